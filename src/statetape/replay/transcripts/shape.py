"""Values of the expected shape out of decoded JSON, whatever really stands there."""

from datetime import datetime

from statetape.wire.values import items, mapping, string

__all__ = ["items", "joined_text", "mapping", "moment", "number", "part_text", "string"]


def number(value: object) -> int | None:
    """`value` if it is a whole number, else None."""
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def moment(value: object) -> float | None:
    """The Unix seconds that a timestamp states in ISO 8601, None where it states none."""
    try:
        return datetime.fromisoformat(string(value)).timestamp()
    except (ValueError, OverflowError):
        return None


def joined_text(content: object) -> str:
    """The text of a message's or result's content: a string, or parts joined by line breaks.

    A part without text stands as its type in brackets: `[image]`.
    """
    if isinstance(content, str):
        return content
    return "\n".join(map(part_text, items(content)))


def part_text(part: object) -> str:
    """The text of one content part, `[type]` where it has none."""
    text = mapping(part).get("text")
    if isinstance(text, str):
        return text
    return f"[{string(mapping(part).get('type')).removeprefix('input_') or 'unknown'}]"
