"""What the agent knows of a write: it made it itself, or it was shown what came of it."""

from collections.abc import Iterable, Sequence

from statetape.agents.patch import replaced
from statetape.context.repository import Repository
from statetape.regions import Block, blocks, moved
from statetape.text import lines_of, text_of
from statetape.types import Edit, Lines, Query, Record, Symbols, Tick, Write


def stated(writes: Sequence[Write], edits: Sequence[Edit]) -> frozenset[int]:
    """Which writes of one file are all that some of the agent's own edits of it say, by number.

    Both in order. A write is known if it makes of the file what the next edits make of it, and no
    more: one that a formatter or another hand had a part in is not. Edits that do not fit are
    passed over.
    """
    found = set()
    done = 0
    for number, write in enumerate(writes):
        before, after = text_of(write.before), text_of(write.after)
        for end in range(done, len(edits)):
            before = _made(edits[end], write.path, before)
            if _same(before, after):
                found.add(number)
                done = end + 1
                break
    return frozenset(found)


def shown_since(path: str, tick: Tick, records: Iterable[Record], now: Repository) -> list[Lines]:
    """The runs of a file's lines, as it is now, that records from a tick on show as they are."""
    lines = lines_of(now.text(path) or "")
    found = []
    for record in records:
        if record.born < tick or not isinstance(record.referent, Symbols | Query):
            continue
        writes = now.writes_of(path, record.born)
        for part in record.referent.shown:
            place = moved(part.lines, writes) if part.path == path else None
            if place is None or place.last - place.first != part.lines.last - part.lines.first:
                continue
            if "\n".join(lines[place.first - 1 : place.last]) == part.text:
                found.append(place)
    return found


def seen(write: Write, tick: Tick, runs: Sequence[Lines], now: Repository) -> bool:
    """Whether what the write at a tick changed is in these runs of lines, as far as it stands.

    Of lines that it took away, the seam has to be there: the line above and the line below.
    """
    if write.before is None or write.after is None:
        return False
    changed = blocks(write)
    length = len(lines_of(text_of(write.after) or ""))
    later = now.writes_of(write.path, tick)
    places = (moved(_lines(block, length), later) for block in changed)
    return bool(changed) and all(
        place is None or any(run.first <= place.first and place.last <= run.last for run in runs)
        for place in places
    )


def _lines(block: Block, length: int) -> Lines:
    if block.new_start < block.new_end:
        return Lines(block.new_start + 1, block.new_end)
    return Lines(max(1, block.new_start), min(length, block.new_start + 1))


def _made(edit: Edit, path: str, before: str | None) -> str | None:
    """What an edit makes of a text; what cannot be told is as before."""
    if edit.absent or (edit.moved_to is not None and path == edit.path):
        return None
    if edit.content is not None:
        content = edit.content.replace("\r\n", "\n")
        return (before or "") + content if edit.append else content
    text = "" if before is None and edit.old == "" else before
    pairs = () if edit.old is None or edit.new is None else ((edit.old, edit.new),)
    for old, new in (*pairs, *edit.patch):
        made = None if text is None else replaced(text, old, new, every=edit.every)
        if made is None:
            return before
        text = made
    return text


def _same(one: str | None, other: str | None) -> bool:
    """Tools differ in the newlines that they leave at the end."""
    if one is None or other is None:
        return one is other
    return one.rstrip("\n") == other.rstrip("\n")
