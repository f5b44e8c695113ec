"""The vocabulary: every value that crosses a boundary, frozen.

Conventions, everywhere in the package: a *path* is relative to the repository, with forward
slashes (a file outside the repository keeps its absolute path); *lines* are 1-based and
inclusive; *spans* are half-open byte ranges; *tokens* are cl100k tokens; a *tick* is the number
of writes the workspace has seen.
"""

from collections.abc import Iterable, Mapping
from typing import Any, Literal, NamedTuple, Protocol

from msgspec import Struct

Tick = int


class Files(Protocol):
    """The files of a repository in one state: a folder, a commit, a memory."""

    def read(self, path: str) -> bytes | None:
        """The bytes of the file at `path`, None where there is none."""

    def paths(self) -> Iterable[str]:
        """The path of every file, in no order."""


class SymbolId(NamedTuple):
    """A named definition: repository path and qualified name, dotted for nesting.

    Never a line number, so an edit that moves a symbol keeps it. The empty name is the residue:
    the text of the file outside every definition.
    """

    path: str
    name: str

    def __str__(self) -> str:
        return f"{self.path}::{self.name}"


class Span(NamedTuple):
    """A half-open byte range of one file."""

    start: int
    end: int


class Lines(NamedTuple):
    """A run of whole lines of one file, 1-based and inclusive."""

    first: int
    last: int


class Definition(Struct, frozen=True):
    """One symbol as one file states it.

    `spans` and `lines` run in parallel: one entry for each place the name is defined (overloads,
    property accessors, conditional definitions). `digest` is of the *own* text of all places in
    order: newlines normalised, nested definitions replaced by their qualified names.
    """

    name: str
    kind: str
    spans: tuple[Span, ...]
    lines: tuple[Lines, ...]
    digest: bytes


class Write(Struct, frozen=True):
    """One change of one file. `None` means the file is absent on that side."""

    path: str
    before: bytes | None
    after: bytes | None


class Drift(Struct, frozen=True):
    """The symbols that differ between two states (Eq. 6), the created ones apart."""

    body: frozenset[SymbolId] = frozenset()
    dispatch: frozenset[SymbolId] = frozenset()
    created: frozenset[SymbolId] = frozenset()


class View(NamedTuple):
    """The local view of a symbol: digest of its own text, and its outgoing edges.

    A record keeps the views of its symbols at birth; Theorem 1 needs nothing else. `edges` None:
    the record makes no claim on what the symbol reaches (a search hit, the agent's own text).
    """

    digest: bytes
    edges: frozenset[SymbolId] | None


class Slot(NamedTuple):
    """Where a record stands in the transcript: the call's or message's id, and which side of it."""

    id: str
    side: Literal["input", "result", "say"]


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
    (old lines, new lines) with their context. With none of them the change is unknown.
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
    """

    command: str
    kind: Literal["test", "build", "query", "event", "unknown"]


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


class Shown(Struct, frozen=True):
    """A run of whole lines of a file as a record shows it.

    `lines` are the file's lines at birth, `rows` the lines of the record's text that show them,
    `prefixes` what stands before the file's own text on each row (empty: nothing on any row).
    """

    path: str
    lines: Lines
    rows: Lines
    text: str
    prefixes: tuple[str, ...] = ()


class Symbols(Struct, frozen=True, tag=True):
    """A referent: symbols, with their local views at birth and the lines the record shows.

    `whole`: `shown` is all that the record shows of them. Where it is not (a form nobody could
    match to the file), any change of a symbol may falsify the record.
    """

    views: Mapping[SymbolId, View]
    shown: tuple[Shown, ...] = ()
    whole: bool = True


class Query(Struct, frozen=True, tag=True):
    """A referent: the solution set of searches, and what else the record shows of files.

    `shown` are the hits and other lines, `whole` as for `Symbols`.
    """

    searches: tuple[Search, ...]
    views: Mapping[SymbolId, View]
    shown: tuple[Shown, ...] = ()
    whole: bool = True


class RepositoryState(Struct, frozen=True, tag=True):
    """A referent: the whole repository as it was (test, build and other command results).

    `state` is the workspace's digest of all it holds: equal digests, equal repositories.
    """

    state: int


class Untracked(Struct, frozen=True, tag=True):
    """No referent: the agent's own words, and whatever no write can falsify."""


Referent = Symbols | Query | RepositoryState | Untracked


class Record(Struct, frozen=True):
    """One thing the agent holds (r = (c, rho, tau)): `text` about `referent`, true at `born`."""

    slot: Slot
    step: int
    kind: StepKind
    text: str
    referent: Referent
    born: Tick
    tokens: int


Decision = Literal["refresh", "drop", "rerun", "keep"]


class Nomination(Struct, frozen=True):
    """A held record that some write in its window could have falsified (Eq. 7).

    `body` and `dispatch` are the symbols that justify it; both are empty for a record of the
    repository's state. `since` is the first tick after birth that touched one of them.
    """

    record: Record
    body: frozenset[SymbolId]
    dispatch: frozenset[SymbolId]
    since: Tick
    default: Decision


Why = Literal["refresh", "drop", "rerun", "evict", "retrieve", "note", "mask", "summarise"]


class Replace(Struct, frozen=True, tag=True):
    """The text of one slot is replaced, on this and every later request."""

    slot: Slot
    text: str
    why: Why


Change = Replace


class Plan(Struct, frozen=True):
    """What a policy decides at one request: a value to be printed, stored, scored, applied."""

    changes: tuple[Change, ...] = ()
    kept: tuple[Slot, ...] = ()
