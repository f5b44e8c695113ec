"""Writes whose outcome a recording never shows: a command wrote, and nothing looked again."""

from collections import defaultdict
from collections.abc import Iterator, Mapping

from statetape.replay.history import History
from statetape.replay.prepared import Prepared
from statetape.replay.recording import Event, Happened, Noticed
from statetape.types import Edit


def unseen(ready: Prepared, seen: History) -> Mapping[int, tuple[str, ...]]:
    """The paths that a command wrote and that no later evidence shows, by event of its result.

    A path of which anything is shown later is known again: if it had changed there, the history
    has the write.
    """
    shown: dict[str, int] = {}
    for at, event in enumerate(ready.recording.events):
        shown.update((path, at) for path in _paths(event))
    for at, writes in seen.writes.items():
        for write in writes:
            shown[write.write.path] = max(at, shown.get(write.write.path, -1))
    found: defaultdict[int, list[str]] = defaultdict(list)
    for at, edits in ready.shell_writes.items():
        for edit in edits:
            if edit is not None and _open(edit) and shown.get(edit.path, -1) < at:
                found[at].append(edit.path)
    return {at: tuple(dict.fromkeys(paths)) for at, paths in found.items()}


def _open(edit: Edit) -> bool:
    """Whether an edit does not say what it makes of its file."""
    stated = (edit.old, edit.new, edit.content, edit.moved_to)
    return not edit.absent and not edit.patch and all(part is None for part in stated)


def _paths(event: Event) -> Iterator[str]:
    if isinstance(event, Happened | Noticed):
        yield from (evidence.path for evidence in event.evidence)
