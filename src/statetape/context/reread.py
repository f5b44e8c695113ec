"""The text of a file in the form of Claude Code's Read: what stands in for "unchanged since"."""

from statetape.context.repository import Repository
from statetape.text import lines_of
from statetape.types import Read


def reread(read: Read, repository: Repository) -> str | None:
    """What reading the file now would show, None where there is no such file or no such line.

    A client that remembers what it read answers a second read with a reference to the first. If
    the first is no longer in the context, the reference leads nowhere.
    """
    text = repository.text(read.path)
    if text is None:
        return None
    lines = lines_of(text)
    first = read.first or 1
    shown = lines[first - 1 : read.last]
    return "\n".join(f"{n}\t{line}" for n, line in enumerate(shown, first)) if shown else None
