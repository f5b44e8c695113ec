"""Every text the agent will ever see from us, in one place.

A tombstone and a stub state only what stays true whatever is written later: that something
changed after the agent saw it. Each is short, of bounded size, and says how to look again.
"""

from collections.abc import Collection

from statetape.context.titles import shortened
from statetape.types import Nomination, SymbolId

_NAMED = 4
# A name may be a heading or a key of any length, and hold line breaks.
_WIDTH = 60


def tombstone(nomination: Nomination, title: str) -> str:
    """What drop leaves: names what the record was of and the symbols that changed since."""
    if nomination.body:
        reason = f"{_names(nomination.body)} changed or went away since"
    else:
        reason = f"calls in {_names(nomination.dispatch)} now reach another definition"
    return f"[statetape: dropped {title}: {reason}. Read it again if you need it.]"


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


def _names(symbols: Collection[SymbolId]) -> str:
    names = sorted({shortened(symbol.name or symbol.path, _WIDTH) for symbol in symbols})
    rest = len(names) - _NAMED
    return ", ".join(names[:_NAMED]) + (f" and {rest} more" if rest > 0 else "")
