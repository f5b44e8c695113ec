"""What the agent holds, what the tape says of it, and what a policy decides."""

from collections.abc import Mapping
from typing import Literal

from msgspec import Struct

from statetape.types.repository import Lines, SymbolId, Tick, View
from statetape.types.transcript import Search, Slot, StepKind


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

    `state` is the workspace's digest of all it holds: equal digests, equal repositories. `tests`
    are the files (as in `Run`) of which it is the test result, and of nothing else; empty where
    nobody can tell.
    """

    state: int
    tests: tuple[str, ...] = ()


class Untracked(Struct, frozen=True, tag=True):
    """No referent: the agent's own words, and whatever no write can falsify."""


Referent = Symbols | Query | RepositoryState | Untracked


class Record(Struct, frozen=True):
    """One thing the agent holds (r = (c, rho, tau)): `text` about `referent`, true at `born`.

    `read` and `written` are the paths that its step names as read and as changed, each once;
    a step that failed has changed nothing. `by`: whose words they are; None for those of a tool.
    """

    slot: Slot
    step: int
    kind: StepKind
    text: str
    referent: Referent
    born: Tick
    tokens: int
    read: tuple[str, ...] = ()
    written: tuple[str, ...] = ()
    by: Literal["user", "assistant", "system"] | None = None


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


Why = Literal[
    "refresh", "drop", "rerun", "evict", "retrieve", "note", "dedupe", "mask", "summarise"
]


class Replace(Struct, frozen=True, tag=True):
    """The text of one slot is replaced, on this and every later request."""

    slot: Slot
    text: str
    why: Why


Change = Replace


Rule = Literal["G1", "G2", "G3", "G4"]
"""Why code is needed (paper §3.1.1): the site of the edit, what it calls, imports or subclasses,
a site that must stay consistent with it, the contract it must satisfy."""


class Region(Struct, frozen=True):
    """Code that the agent does not hold: whole `lines` of a file as they are now.

    `symbol` is the definition they are of, `reason` says in a few words why it is brought in.
    """

    path: str
    lines: Lines
    symbol: SymbolId
    rule: Rule
    reason: str


class Kept(Struct, frozen=True):
    """A nominated record that stays as it is, and in a few words why."""

    slot: Slot
    reason: str


class Plan(Struct, frozen=True):
    """What a policy decides at one request: a value to be printed, stored, scored, applied.

    `retrieved` is code to bring in, the most needed first; it goes behind a result that was never
    sent; where there is none, the policy is asked again. `shorter` has, for some of the slots in
    `changes`, a change that is as true and takes more away: whoever has to pay for the change of a
    slot may take it instead. `basis` is the slot of a change that all others in `changes` rely on:
    without it none of them is to be made.
    """

    changes: tuple[Change, ...] = ()
    kept: tuple[Kept, ...] = ()
    shorter: tuple[Change, ...] = ()
    retrieved: tuple[Region, ...] = ()
    basis: Slot | None = None
