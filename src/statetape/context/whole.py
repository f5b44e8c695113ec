"""The whole of a file in the form of a read of it."""

from collections.abc import Callable

from msgspec.structs import replace

from statetape.agents.numbered import renumbered
from statetape.context.claims import views_of
from statetape.context.repository import Repository
from statetape.context.wording import current, noted
from statetape.types import Lines, Record, Shown, Symbols


def whole(record: Record, repository: Repository, tokens: Callable[[str], int]) -> Record | None:
    """The record with all lines of the one file that it reads, as they are now, born now.

    Its rows are numbered as those of the record were; a note stays behind them. None where the
    record reads no file or several, and where there is no file, or an empty one.
    """
    if len(record.read) != 1 or not isinstance(record.referent, Symbols):
        return None
    (path,) = record.read
    content = repository.text(path)
    if not content:
        return None
    lines = content.removesuffix("\n").split("\n")
    form = next((part.prefixes[0] for part in record.referent.shown if part.prefixes), "")
    prefixes = tuple(renumbered(form, n) for n in range(1, len(lines) + 1)) if form else ()
    rows = [a + b for a, b in zip(prefixes, lines, strict=True)] if form else lines
    text = "\n".join([*rows, *filter(None, [noted(record.text)]), current()])
    run = Lines(1, len(lines))
    shown = (Shown(path, run, run, "\n".join(lines), prefixes),)
    referent = Symbols(views_of(shown, repository), shown)
    return replace(record, text=text, referent=referent, born=repository.now, tokens=tokens(text))
