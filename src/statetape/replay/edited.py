"""What an edit that names the text it replaces makes of a partly known file."""

from collections.abc import Sequence

from statetape.replay.cells import Line, State, Tail

_UNSEEN = "\0unseen\0"


def replaced(state: State, old: str, new: str, *, every: bool) -> State | None:
    """The state with the text `old` replaced, once or everywhere.

    None: `old` does not stand in the known lines, or stands there more than once and not `every`.
    Unknown lines stay as they are, and so do the cells of all lines not touched.
    """
    old, new = old.replace("\r\n", "\n"), new.replace("\r\n", "\n")
    lines, texts = _with_end(state)
    text = "\n".join(texts)
    places = _places(text, old)
    if not places or (len(places) > 1 and not every):
        return None
    # From the last to the first: what stands before a place keeps its line and column.
    for place, number in reversed([*zip(places, _numbers(text, places), strict=True)]):
        last, end = number + old.count("\n"), place + len(old)
        before = texts[number][: place - text.rfind("\n", 0, place) - 1]
        rows = (before + new + texts[last][end - text.rfind("\n", 0, end) - 1 :]).split("\n")
        texts[number : last + 1] = rows
        lines[number : last + 1] = rows
    if not state.tail.closed:
        return State(lines[:-1], state.tail, len(state.tail.cells), state.style)
    final = lines[-1] == ""
    return State(lines[:-1] if final else lines, Tail(closed=True, final=final), 0, state.style)


def _with_end(state: State) -> tuple[list[Line], list[str]]:
    """The lines and their texts, and a last one for what follows the last newline."""
    end = _UNSEEN if not state.tail.closed else ""
    lines = state.lines()
    texts = [_UNSEEN if text is None else text for text in state.texts()]
    if state.ended or not (state.tail.closed and lines):
        lines.append(end)
        texts.append(end)
    return lines, texts


def _places(text: str, old: str) -> list[int]:
    """Where `old` stands in `text`, overlaps left out."""
    places: list[int] = []
    place = text.find(old) if old else -1
    while place >= 0:
        places.append(place)
        place = text.find(old, place + len(old))
    return places


def _numbers(text: str, places: Sequence[int]) -> list[int]:
    """The 0-based lines that hold the places, which rise."""
    numbers, number, before = [], 0, 0
    for place in places:
        number += text.count("\n", before, place)
        before = place
        numbers.append(number)
    return numbers
