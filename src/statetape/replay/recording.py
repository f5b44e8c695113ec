"""A recorded session, whatever the agent that wrote it: what happened, in order.

A *recording* holds what the model was sent and answered (blocks), where requests were sent, what
the client forgot, and what its log knows of the files beside that (evidence).
"""

from typing import Literal

from msgspec import Struct

from statetape.types import Block, Slot, Usage


class Whole(Struct, frozen=True, tag=True):
    """The whole text of a file, before or after the block's effect. `text` None: absent."""

    path: str
    text: str | None
    when: Literal["before", "after"]


class Part(Struct, frozen=True, tag=True):
    """Lines of a file as shown, from line `first` (1-based) on. `total` lines in all, if known."""

    path: str
    first: int
    lines: tuple[str, ...]
    total: int | None = None


class Hunk(Struct, frozen=True):
    """Lines replaced, context included; `first` is 1-based in the state before the whole patch.

    An insertion into nothing has `first` = the line it follows (0 at the top), as diffs have it.
    """

    first: int
    old: tuple[str, ...]
    new: tuple[str, ...]


class Patched(Struct, frozen=True, tag=True):
    """An applied patch with line numbers."""

    path: str
    hunks: tuple[Hunk, ...]
    moved_to: str | None = None


class Replaced(Struct, frozen=True, tag=True):
    """An applied replacement of a text that stands in the file."""

    path: str
    old: str
    new: str
    every: bool = False


Evidence = Whole | Part | Patched | Replaced


class Sent(Struct, frozen=True, tag=True):
    """The agent sent a request here: all blocks so far that were not forgotten were in it.

    `usage` are the provider's figures, `at` is when it was sent, in Unix seconds; None where the
    log has none.
    """

    model: str
    usage: Usage | None = None
    at: float | None = None


class Happened(Struct, frozen=True, tag=True):
    """A block entered the conversation. `cwd` is repository-relative ("" at the root)."""

    block: Block
    evidence: tuple[Evidence, ...] = ()
    cwd: str = ""


class Noticed(Struct, frozen=True, tag=True):
    """The client noticed that files changed outside its tools."""

    evidence: tuple[Evidence, ...]


class Forgot(Struct, frozen=True, tag=True):
    """The client dropped these slots from the conversation; None: everything so far."""

    slots: frozenset[Slot] | None = None


Event = Sent | Happened | Noticed | Forgot


class Recording(Struct, frozen=True):
    """One session file. `root` is the folder that paths are relative to, as the log spells it."""

    id: str
    agent: str
    file: str
    root: str
    agent_versions: tuple[str, ...]
    models: tuple[str, ...]
    events: tuple[Event, ...]
    problems: tuple[str, ...] = ()
