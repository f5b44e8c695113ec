"""One line that says what a step was: for tombstones, timelines and reports."""

from collections.abc import Sequence

from statetape.types import Action, Edit, Other, Read, Remark, Run, Search, Step

_WIDTH = 72


def title(step: Step) -> str:
    """The step in one line of at most 72 characters, without line breaks."""
    words = _of_actions(step.actions) or (step.call.tool if step.call else "remark")
    return shortened(words)


def brought_title(paths: Sequence[str]) -> str:
    """What was brought in, in one line: the files that it is of."""
    return shortened(f"code brought in from {', '.join(paths)}")


def shortened(text: str, width: int = _WIDTH) -> str:
    """The text on one line, cut to a width with an ellipsis."""
    line = " ".join(text.split())
    return line if len(line) <= width else line[: width - 1] + "…"


def _of_actions(actions: tuple[Action, ...]) -> str:
    for action in actions:
        if isinstance(action, Run):
            return action.command
    return ", ".join(dict.fromkeys(_of_action(action) for action in actions))


def _of_action(action: Action) -> str:
    match action:
        case Read(path=path, first=None, last=None):
            return f"read {path}"
        case Read(path=path, first=first, last=last):
            return f"read {path} {first or 1}-{last or 'end'}"
        case Edit(path=path, absent=True):
            return f"remove {path}"
        case Edit(path=path, moved_to=str(target)):
            return f"move {path} to {target}"
        case Edit(path=path, content=str()):
            return f"write {path}"
        case Edit(path=path):
            return f"edit {path}"
        case Search(pattern=None, paths=paths):
            return f"list {' '.join(paths) or 'files'}"
        case Search(pattern=pattern, paths=paths):
            return f"search {pattern!r}" + (f" in {' '.join(paths)}" if paths else "")
        case Other(tool=tool):
            return tool
        case Remark():
            return "remark"
        case Run(command=command):
            return command
