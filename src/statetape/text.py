"""Bytes of a file as text: one place for newlines, byte order marks and undecodable bytes."""

from functools import lru_cache


@lru_cache(maxsize=128)
def text_of(data: bytes | None) -> str | None:
    """The text: newlines normalised, no byte order mark, undecodable bytes kept as surrogates.

    None for no file. The last texts are kept: one file is asked for again and again.
    """
    if data is None:
        return None
    text = data.decode("utf-8", "surrogateescape").removeprefix("\ufeff")
    return text.replace("\r\n", "\n").replace("\r", "\n") if "\r" in text else text


def speakable(text: str) -> str:
    """A text as it can be sent and as agents show it: what is no UTF-8 is a U+FFFD."""
    try:
        data = text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:  # half of a pair, from a JSON escape
        data = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace").encode()
    return data.decode("utf-8", "replace")


@lru_cache(maxsize=64)
def framed(text: str) -> str:
    """The text with a newline on either side: whole lines stand in it between newlines. Kept."""
    return f"\n{text}\n"


@lru_cache(maxsize=64)
def lines_of(text: str) -> tuple[str, ...]:
    """The lines of a text; one that ends with a newline has an empty last "line". Kept as above."""
    return tuple(text.split("\n"))
