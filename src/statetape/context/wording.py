"""Every text the agent will ever see from us, in one place.

A tombstone and a stub state only what stays true whatever is written later: that something
changed after the agent saw it. Each is short, of bounded size, and says how to look again.
"""

from collections.abc import Collection, Mapping
from types import MappingProxyType

from statetape.code.moves import Moved
from statetape.context.titles import shortened
from statetape.types import Nomination, SymbolId

_NAMED = 4
_NOTHING: Mapping[SymbolId, Moved] = MappingProxyType({})
# A name may be a heading or a key of any length, and hold line breaks.
_WIDTH = 60


def tombstone(
    nomination: Nomination, title: str, moved: Mapping[SymbolId, Moved] = _NOTHING
) -> str:
    """What drop leaves: names what the record was of and the symbols that changed since.

    Of those that `moved`, it says where to. Their lines are those they had then.
    """
    gone = nomination.body - moved.keys()
    reasons = _moves(moved)
    if gone:
        reasons.append(f"{_names(gone)} changed or went away since")
    elif not reasons:
        reasons.append(f"what {_names(nomination.dispatch)} calls or reads has changed since")
    again = "it again" if gone or not moved else "it there"
    return f"[statetape: dropped {title}: {'; '.join(reasons)}. Read {again} if you need it.]"


def stub(title: str) -> str:
    """What rerun leaves: asks to run the command or the search again."""
    return f"[statetape: the result of {title} is older than later writes. Run it again.]"


def spent_input(title: str) -> str:
    """What stands for the agent's own edit text once the file no longer holds it."""
    return f"[statetape: text of {title}, changed again since]"


def current() -> str:
    """The line that ends a refreshed text."""
    return "[statetape: shown as it is now, after later writes]"


def more_matches() -> str:
    """The line before matches that writes added to a search result."""
    return "[statetape: new matches since]"


def _moves(moved: Mapping[SymbolId, Moved]) -> list[str]:
    """One clause for each of the first files that something moved to."""
    files: dict[str, list[SymbolId]] = {}
    for old in sorted(moved):
        files.setdefault(moved[old].to.path, []).append(old)
    found = []
    for path, symbols in list(files.items())[:_NAMED]:
        to, lines = moved[symbols[0]]
        place = shortened(path, _WIDTH)
        if len(symbols) == 1 and to.name:
            name = shortened(to.name, _WIDTH)
            place = f"{place}::{name} (lines {lines.first}-{lines.last} then)"
        whole = {symbol.path for symbol in symbols if not symbol.name}
        named = [symbol for symbol in symbols if not symbol.name or symbol.path not in whole]
        found.append(f"{_names(named)} moved to {place}")
    return found


def _names(symbols: Collection[SymbolId]) -> str:
    names = sorted({shortened(symbol.name or symbol.path, _WIDTH) for symbol in symbols})
    rest = len(names) - _NAMED
    return ", ".join(names[:_NAMED]) + (f" and {rest} more" if rest > 0 else "")
