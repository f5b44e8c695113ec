"""What was false already when it came: the results of a history that moved on since."""

from collections.abc import Set as AbstractSet

from msgspec.structs import replace

from statetape.agents.paths import is_outside
from statetape.context.claims import told
from statetape.types import (
    Edit,
    Read,
    Record,
    RepositoryState,
    Step,
    SymbolId,
    Symbols,
    Untracked,
    View,
)

# Of a numbered line without a text.
_SILENT = " \t\r0123456789"


def judged(
    step: Step | int, record: Record, written: AbstractSet[str], *, unseen: bool
) -> tuple[Record, bool]:
    """The record of a step, and whether it is older than later steps that came with it.

    Those say that they have `written` files. A read that still stands in its file is true whatever
    was written. In a history that passed `unseen`, any command may have written, and a read that
    does not stand is false whoever wrote.
    """
    if record.slot.side == "input":
        return _put(step, record)
    match record.referent:
        case RepositoryState():
            return record, bool(written if unseen else written - {""})
        case Symbols(views=views) as shown:
            own = any(symbol.path in written for symbol in views)
            result = step.result if isinstance(step, Step) else None
            failed = result is not None and result.failed
            false = strays(record, failed=failed) or _is_scattered(step, shown)
            if (own or unseen) and false and (own or _read_alone(step, record)):
                return replace(record, referent=replace(shown, whole=False)), True
        case Untracked():
            paths = _read_alone(step, record)
            if paths and (unseen or paths & written):
                views = {SymbolId(path, ""): View(b"", None) for path in paths}
                return replace(record, referent=Symbols(views, whole=False)), True
    return record, False


def _put(step: Step | int, record: Record) -> tuple[Record, bool]:
    """The agent's own texts: false where its file does not have one of them.

    Another call of the same answer took it away, a formatter, or whoever wrote in a history that
    nobody followed.
    """
    done = step.actions if isinstance(step, Step) else ()
    edits = [edit for edit in done if isinstance(edit, Edit) and not edit.absent]
    paths = [
        edit.moved_to or edit.path
        for edit in edits
        for text in (edit.new, edit.content, *(new for _, new in edit.patch))
        if text is not None and text.strip()
    ]
    shown = record.referent.shown if isinstance(record.referent, Symbols) else ()
    if len(shown) == len(paths) or any(is_outside(path) for path in paths):
        return record, False
    views = {SymbolId(path, ""): View(b"", None) for path in paths}
    return replace(record, referent=Symbols(views, whole=False)), True


def _is_scattered(step: Step | int, shown: Symbols) -> bool:
    """Whether a step that read one run of lines, without numbers, shows what is none now."""
    reads = step.actions if isinstance(step, Step) else ()
    one = len(reads) == 1 and isinstance(reads[0], Read)
    return one and len(shown.shown) > 1 and not any(part.prefixes for part in shown.shown)


def _read_alone(step: Step | int, record: Record) -> frozenset[str]:
    """The files of the repository whose lines are all that a result can be about."""
    if not isinstance(step, Step) or step.result is None:
        return frozenset()
    paths = [action.path for action in step.actions if isinstance(action, Read)]
    if len(paths) < len(step.actions) or not paths:
        return frozenset()
    found = told(record.text, failed=step.result.failed)
    if found.cut or not (len(found.rows) > 1 or any(row.number for row in found.rows)):
        return frozenset()
    return frozenset(path for path in paths if not is_outside(path))


def strays(record: Record, *, failed: bool = False) -> bool:
    """Whether a record shows lines that its files do not have, be it one of a thousand.

    What a command says that `failed` is no line.
    """
    referent = record.referent
    if not isinstance(referent, Symbols):
        return False
    known = {row for part in referent.shown for row in range(part.rows.first, part.rows.last + 1)}
    last = max(known, default=0)
    lines = enumerate(record.text.split("\n"), 1)
    open_ = ((row, line) for row, line in lines if row not in known)
    if referent.whole and not any(row < last or line.strip(_SILENT) for row, line in open_):
        return False
    rows = told(record.text, failed=failed).rows
    if any(row.number is not None for row in rows):
        rows = tuple(row for row in rows if row.number is not None)
    # A blank row that has a number is a line as well, but behind the others it may be no line.
    return not referent.whole or any(
        row.row not in known and (row.line.strip() or (row.number is not None and row.row < last))
        for row in rows
    )
