"""What the APIs share: content that is a string or a list of parts, calls, results, reminders."""

from collections.abc import Collection, Mapping

from statetape.agents.told import told
from statetape.types import Call, Result, Slot
from statetape.wire.history import Part, Role, Said
from statetape.wire.places import Spot
from statetape.wire.raw import Path
from statetape.wire.values import items, mapping, string

_TEXTS = frozenset({"text", "input_text", "output_text"})
_OPEN, _CLOSE = "<system-reminder>", "</system-reminder>"


def texts(content: object, path: Path) -> list[tuple[str, Path]]:
    """The texts of a content that stands at `path`, each with the path of its string."""
    if isinstance(content, str):
        return [(content, path)]
    return [
        (part["text"], (*path, number, "text"))
        for number, part in enumerate(items(content))
        if kind(part) in _TEXTS and isinstance(part.get("text"), str)
    ]


def said(role: Role, content: object, path: Path) -> list[Part]:
    """The texts of a message, the empty ones apart."""
    parts: list[Part] = []
    for text, at in texts(content, path):
        if role != "assistant" and (role == "system" or is_reminder(text)) and told(text):
            parts += _apart(text, at)
        elif text:
            parts.append(Part(Said(role, text), Spot(at)))
    return parts


def _apart(text: str, at: Path | None, offset: int = 0) -> list[Part]:
    """What the client says in a text, and the lines of files that it tells of, each alone.

    The text stands in the string at `at` behind so many characters; None: nothing can be put there.
    """
    parts: list[Part] = []
    done = 0
    for start, end in [*told(text), (len(text), len(text))]:
        if words := text[done:start].strip():
            parts.append(Part(Said("system", words), None))
        if start < end:
            part = (offset + start, offset + end)
            spot = None if at is None else Spot(at, part=part)
            parts.append(Part(Said("system", text[start:end]), spot))
        done = end
    return parts


def asked(
    call: object, tool: object, given: Mapping[str, object] | str, spot: Spot | None
) -> list[Part]:
    """A call; nothing where it has no id, since no result could answer it."""
    if not isinstance(call, str):
        return []
    return [Part(Call(Slot(call, "input"), string(tool), given), spot)]


def answered(
    call: object, content: object, path: Path, *, failed: bool = False, reminded: bool = False
) -> list[Part]:
    """A result: its texts, joined by line breaks, of which the first takes a new one.

    `reminded`: the client may have appended reminders, to the last text or as texts of their own.
    They are said after it, as the system's. What they tell of files has a place of its own, if
    the result is one text.
    """
    if not isinstance(call, str):
        return []
    found = texts(content, path)
    notes: list[Part] = []
    tail = ""
    if reminded:
        while len(found) > 1 and is_reminder(found[-1][0]):
            notes[:0] = _apart(*found.pop())
        if found:
            text, at = found[-1]
            text, tail = without_reminders(text)
            found[-1] = (text, at)
    spot = Spot(found[0][1], (), tuple(at[:-1] for _, at in found[1:]), tail) if found else None
    if tail:
        alone = spot is not None and not spot.cut and bool(told(tail))
        if spot is not None and alone:
            spot = Spot(spot.text, part=(0, len(found[0][0])))
        notes[:0] = _apart(tail, spot.text if spot and alone else None, len(found[0][0]))
    if spot is not None and any(kind(part) not in _TEXTS for part in items(content)):
        spot = spot._replace(mixed=True)
    result = Result(Slot(call, "result"), "\n".join(text for text, _ in found), failed)
    return [Part(result, spot), *notes]


def is_reminder(text: str) -> bool:
    """Whether a text is the client's, not the user's or a tool's."""
    return text.lstrip().startswith(_OPEN) and text.rstrip().endswith(_CLOSE)


def without_reminders(text: str) -> tuple[str, str]:
    """A text, and the reminders that were appended to it: each after an empty line."""
    end = len(text)
    while text[:end].rstrip().endswith(_CLOSE):
        start = text.rfind(f"\n\n{_OPEN}", 0, end)
        if start < 0:
            break
        end = start
    return text[:end], text[end:]


def same(content: object, unlike: Collection[str] = ()) -> object:
    """A content in the form in which it never changes between requests.

    A list of one text part is the same as its string, the cache marks wander, and the parts of
    the types `unlike` may come and go.
    """
    if not isinstance(content, list):
        return content
    return _sole([_bare(part) for part in content if not unlike or kind(part) not in unlike])


def _bare(part: object) -> object:
    if not isinstance(part, dict):
        return part
    inside = part.get("content")  # of a result; there is nothing deeper
    if isinstance(inside, list):
        marked = (without(it, "cache_control") if isinstance(it, dict) else it for it in inside)
        part = {**part, "content": _sole(list(marked))}
    return without(part, "cache_control")


def _sole(parts: list[object]) -> object:
    """The text of a list that is one text part, else the list."""
    text = mapping(parts[0]).get("text") if len(parts) == 1 else None
    return text if isinstance(text, str) and kind(parts[0]) in _TEXTS else parts


def kind(part: object) -> str:
    """The `type` of a part, empty where it has none."""
    return string(part.get("type")) if isinstance(part, dict) else ""


def without(value: dict[str, object], *names: str) -> dict[str, object]:
    """An object without these keys; the same one where it has none of them."""
    for name in names:
        if name in value:
            return {key: element for key, element in value.items() if key not in names}
    return value
