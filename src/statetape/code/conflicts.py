"""Conflicts that a merge left in a text."""

import re

_MARKER = re.compile(rb"^(?:<{7}|={7}|>{7}|\|{7})[^\n]*", re.MULTILINE)
_TEXT = re.compile(rb"[^\r\n]")


def ours(data: bytes) -> bytes:
    """The text with its conflict markers, and the other side of each conflict, blanked.

    No line and no byte moves. Of a conflict that is not whole, the markers alone are blanked.
    """
    if b"<<<<<<<" not in data and b">>>>>>>" not in data:
        return data
    blanked: list[tuple[int, int]] = []
    other: int | None = None
    for marker in _MARKER.finditer(data):
        blanked.append(marker.span())
        match marker[0][:1]:
            case b"<":
                other = None
            case b">":
                blanked += [(other, marker.start())] if other is not None else []
                other = None
            case _:
                other = marker.start() if other is None else other
    text = bytearray(data)
    for start, end in blanked:
        text[start:end] = _TEXT.sub(b" ", data[start:end])
    return bytes(text)
