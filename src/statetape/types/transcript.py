"""The conversation: blocks as they are sent, and what the agent did in them, step by step."""

from collections.abc import Mapping
from typing import Any, Literal, NamedTuple

from msgspec import Struct


class Slot(NamedTuple):
    """Where a record stands in the transcript: the call's or message's id, and which side of it.

    `added` is what we put behind the result of that id: code that the agent did not ask for.
    """

    id: str
    side: Literal["input", "result", "say", "added"]


class Say(Struct, frozen=True):
    """A text that is no tool call: the user's, the agent's own, a reminder."""

    slot: Slot
    role: Literal["user", "assistant", "system"]
    text: str


class Call(Struct, frozen=True):
    """A tool call. `input` is the decoded argument object, or the raw text of a custom tool."""

    slot: Slot
    tool: str
    input: Mapping[str, Any] | str


class Result(Struct, frozen=True):
    """What a tool call returned to the model. `failed`: the call was refused or had an error."""

    slot: Slot
    text: str
    failed: bool = False


Block = Say | Call | Result


class Turn(Struct, frozen=True):
    """One message of a conversation."""

    role: Literal["user", "assistant", "system"]
    blocks: tuple[Block, ...]


class Transcript(Struct, frozen=True):
    """A conversation as one request carries it."""

    key: str
    model: str
    turns: tuple[Turn, ...]


class Read(Struct, frozen=True, tag=True):
    """The text shows a file, or lines of it (None: from the start, to the end)."""

    path: str
    first: int | None = None
    last: int | None = None


class Edit(Struct, frozen=True, tag=True):
    """The step changes a file.

    `old`/`new` state a replacement (`every`: all occurrences), `content` the whole new text,
    `absent` a removal, `moved_to` a new path; `patch` the hunks of a patch for this file, each
    (old lines, new lines) with their context. `new` alone was put in somewhere. With none of them
    the change is unknown.
    """

    path: str
    old: str | None = None
    new: str | None = None
    every: bool = False
    content: str | None = None
    append: bool = False
    absent: bool = False
    moved_to: str | None = None
    patch: tuple[tuple[str, str], ...] = ()


class Search(Struct, frozen=True, tag=True):
    """The text lists matches. `pattern` None: a listing of names; `paths` empty: everywhere."""

    pattern: str | None
    paths: tuple[str, ...] = ()
    glob: str | None = None
    fixed: bool = False
    ignore_case: bool = False


class Run(Struct, frozen=True, tag=True):
    """A command ran.

    `kind`: test and build are claims about the repository's state; query too (`git status`,
    `ls`); event is not (a push, a download, an echo); unknown may have read or written anything.
    `tests` are the files whose tests it runs: paths, and globs of which `*` is a name in a folder,
    `**` any path below it; empty where nobody can tell.
    """

    command: str
    kind: Literal["test", "build", "query", "event", "unknown"]
    tests: tuple[str, ...] = ()


class Remark(Struct, frozen=True, tag=True):
    """The step is words only."""


class Other(Struct, frozen=True, tag=True):
    """A tool that touches no file: plans, to-do lists, questions, sub-agents, the web."""

    tool: str


Action = Read | Edit | Search | Run | Remark | Other
StepKind = Literal["read", "edit", "edit_failed", "run", "search", "say", "other"]


class Step(Struct, frozen=True):
    """One tool call with its result.

    `actions` is everything the step did, in order (a shell line may read two files and write a
    third). `kind` is the one word for it, by the tool that was called. `cwd` is where it ran
    (repository-relative, "" at the root).
    """

    index: int
    kind: StepKind
    actions: tuple[Action, ...]
    call: Call | None = None
    result: Result | None = None
    cwd: str = ""
