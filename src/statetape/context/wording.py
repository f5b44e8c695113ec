"""Every text the agent will ever see from us, in one place.

A tombstone and a stub state only what stays true whatever is written later: that something
changed after the agent saw it. Each is short, of bounded size, and says how to look again.
"""

import re
from collections.abc import Collection, Iterable, Mapping
from collections.abc import Set as AbstractSet
from types import MappingProxyType
from typing import NamedTuple

from statetape.code.moves import Moved
from statetape.context.titles import shortened
from statetape.types import Lines, Nomination, Rule, SymbolId

Edge = tuple[SymbolId, bytes]

_NAMED = 4
_NOTHING: Mapping[SymbolId, Moved] = MappingProxyType({})
# A name may be a heading or a key of any length, and hold line breaks.
_WIDTH = 60
_NOTE = "[statetape: not as shown above any more:"
_NOTE_OF_CALLERS = "[statetape: not shown above, but calling what changed:"
_SUMMARY = (
    "[statetape: this result and those above that are left out, as a model sums them up. "
    "Ask again for what you need in full.]"
)
_CALLERS = "Not shown above, but calling what changed:"
_RULES: Mapping[Rule, str] = {
    "G1": "site",
    "G2": "dependency",
    "G3": "consistency",
    "G4": "contract",
}
_HEADING = re.compile(r"(.+?) (\d{1,9})-(\d{1,9})(?:, (.+?))? \((.*)\)")


class Heading(NamedTuple):
    """What stands above a run of lines that is brought in: which they are, of what, and why."""

    path: str
    lines: Lines
    name: str
    why: str


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


def masked(title: str, rows: int) -> str:
    """What observation masking leaves: `rows` is how many lines there were."""
    lines = "1 line" if rows == 1 else f"{rows} lines"
    return f"[statetape: old result of {title} left out, {lines}. Ask again if you need it.]"


def superseded(title: str) -> str:
    """What is left of a read of files that were read or written again."""
    return f"[statetape: dropped {title}: read again or written later. Read it again if needed.]"


def cleared(title: str) -> str:
    """What clearing leaves of a result."""
    return f"[statetape: result of {title} cleared to make room. Ask again if you need it.]"


def folded(title: str) -> str:
    """What stands for a result whose gist is in a summary further down."""
    return f"[statetape: result of {title}, summed up below. Ask again if you need it.]"


def summed_up(summary: str) -> str:
    """A summary in the place of the last of the results that it is of."""
    return f"{_SUMMARY}\n{summary}"


def summary_in(text: str) -> str | None:
    """The summary that a text is; None for another text."""
    return text.removeprefix(_SUMMARY + "\n") if text.startswith(_SUMMARY + "\n") else None


def let_go(title: str) -> str:
    """What is left of a result that is true and that the agent has probably finished with."""
    return f"[statetape: {title} left out, as done with. Ask again if you need it.]"


def outdated(title: str) -> str:
    """What is left of a read of a file that has changed and was read once more."""
    return f"[statetape: dropped {title}: the file changed since, and was read again later.]"


def current() -> str:
    """The line that ends a refreshed text."""
    return "[statetape: shown as it is now, after later writes]"


def more_matches() -> str:
    """The line before matches that writes added to a search result."""
    return "[statetape: new matches since]"


def pointer(path: str, lines: Lines, title: str) -> str:
    """The row that stands for lines of a file which an earlier result shows, at these numbers."""
    of = "" if path in title else f" of {shortened(path, _WIDTH)}"
    return f"[statetape: lines {_run(lines)}{of} as shown above, in {title}]"


def bringing() -> str:
    """The line that begins code which is brought in."""
    return "[statetape: code that may be needed for what comes next]"


def why(rule: Rule, reason: str) -> str:
    """Why lines are brought in: a word for the rule, and the policy's own, on one line."""
    words = "".join(c for c in shortened(reason, _WIDTH) if c.isprintable())
    return f"{_RULES[rule]}: {words}" if words else _RULES[rule]


def heading(above: Heading) -> str:
    """The row above a run of lines. `headed` reads it; where it cannot, it says another thing."""
    path, lines, name, reason = above
    return f"{path} {lines.first}-{lines.last}{f', {name}' if name else ''} ({reason})"


def headed(row: str) -> Heading | None:
    """What a row says that `heading` made; None: another one."""
    found = _HEADING.fullmatch(row)
    if found is None:
        return None
    path, first, last, name, reason = found.groups()
    return Heading(path, Lines(int(first), int(last)), name or "", reason)


def note(changed: Iterable[tuple[str, str]], callers: Iterable[tuple[str, str]], more: int) -> str:
    """What was shown and is another now, and who calls it unseen: each a path and its words.

    `more` are left out. Words of one path stand on one row.
    """
    first, second = _rows(changed), _rows(callers)
    rows = [_NOTE, *first] if first else [_NOTE_OF_CALLERS]
    rows += [_CALLERS, *second] if first and second else second
    if more:
        rows.append(f"and {more} more")
    return "\n".join(rows) + "]"


def noted(text: str) -> str:
    """The note at the end of a text, or behind its rows where it was refreshed; "" without one."""
    at = max(text.rfind("\n" + _NOTE), text.rfind("\n" + _NOTE_OF_CALLERS))
    return text[at + 1 :].removesuffix("\n" + current()) if at >= 0 else ""


def without_note(text: str) -> str:
    """A text as it is without its note."""
    found = noted(text)
    return text.replace("\n" + found, "") if found else text


def bare(text: str) -> str:
    """A text of a file's lines without what we say behind them."""
    return without_note(text).removesuffix("\n" + current())


def names(note: str, path: str, name: str) -> bool:
    """Whether a note has something of a symbol, or, without a name, of a file as a whole."""
    row = shortened(path, _WIDTH) + ": "
    wanted = said(name, None, "") if name else "changed"
    items = (
        item
        for line in note.removesuffix("]").split("\n")
        if line.startswith(row)
        for item in line.removeprefix(row).split("; ")
    )
    return any(item == wanted or (name and item.startswith(wanted + " ")) for item in items)


def said(name: str, lines: Lines | None, words: str) -> str:
    """What a note has of one symbol: its name, where it is now, and what became of it."""
    place = f"({_run(lines)})" if lines else ""
    shown = shortened(name, _WIDTH) if name else "text outside definitions"
    return " ".join(filter(None, (shown, place, words)))


def went(moved: Moved | None) -> str:
    """The words of a note for a symbol that is no longer where it was."""
    if moved is None:
        return "is gone"
    to, lines = moved
    return f"is in {shortened(to.path, _WIDTH)} now ({_run(lines)})"


def reaching(old: AbstractSet[Edge], new: AbstractSet[Edge]) -> str:
    """The words of a note for a symbol whose edges were these and are those.

    One edge that is new, else one that is gone, else one whose target is another.
    """
    targets = {target for target, _ in new}
    gone = sorted(edge for edge in old if edge[0] not in targets)
    targets = {target for target, _ in old}
    come = sorted(edge for edge in new if edge[0] not in targets)
    for edges, words in ((come, "now"), (gone, "no more")):
        for target, taken in edges:
            return f"{'reads' if taken else 'calls'} {_name(target)} {words}"
    return next((f"reads {_name(target)}, which changed" for target, _ in sorted(new - old)), "")


def _run(lines: Lines) -> str:
    return str(lines.first) if lines.first == lines.last else f"{lines.first}-{lines.last}"


def _name(symbol: SymbolId) -> str:
    return shortened(symbol.name or symbol.path, _WIDTH)


def _rows(items: Iterable[tuple[str, str]]) -> list[str]:
    files: dict[str, list[str]] = {}
    for path, words in items:
        files.setdefault(shortened(path, _WIDTH), []).append(words)
    return [f"{path}: {'; '.join(words)}" for path, words in files.items()]


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
