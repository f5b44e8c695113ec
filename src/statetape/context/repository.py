"""What records, refreshes and searches ask of the repository they are about."""

from collections.abc import Iterable, Sequence
from typing import Protocol

from statetape.code.facts import Facts
from statetape.code.graph import Graph
from statetape.tape import Present, Tape
from statetape.types import Tick, Write


class Repository(Present, Protocol):
    """The repository now and at the ticks before (a `Workspace`, or a test's own)."""

    @property
    def now(self) -> Tick:
        """How many writes were seen."""

    def text(self, path: str) -> str | None:
        """The file's text now, newlines normalised; None where there is no file."""

    def text_at(self, path: str, tick: Tick) -> str | None:
        """The file's text at a tick."""

    def facts(self, path: str) -> Facts | None:
        """What the file says now; None where there is no file."""

    def writes_of(self, path: str, since: Tick) -> Sequence[Write]:
        """The writes of one file after a tick, oldest first."""

    def written_since(self, tick: Tick) -> Iterable[str]:
        """The paths written after a tick, each once."""


class Code(Repository, Protocol):
    """The repository with what decisions rest on: who reaches whom, and what each write moved."""

    graph: Graph
    tape: Tape
