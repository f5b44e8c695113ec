"""What a file will be once the agent has made an edit that the model has just asked for."""

from statetape.agents.patch import replaced
from statetape.types import Edit


def outcome(edit: Edit, before: bytes | None) -> bytes | None:
    """The bytes that an edit will leave in its file, as far as anybody can tell; else None.

    A guess that costs a little work if it is wrong: newlines of other systems, say, are not tried.
    """
    if edit.absent or edit.append or edit.moved_to is not None:
        return None
    if edit.content is not None:
        return edit.content.encode("utf-8", "replace")
    try:
        text: str | None = (before or b"").decode()
    except UnicodeDecodeError:
        return None
    stated = [] if edit.old is None or edit.new is None else [(edit.old, edit.new)]
    for old, new in [*stated, *edit.patch]:
        if text is not None:
            text = replaced(text, old, new, every=edit.every)
    after = None if text is None else text.encode("utf-8", "replace")
    return None if after == (before or b"") else after
