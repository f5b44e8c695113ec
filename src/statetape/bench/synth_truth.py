"""What is exactly known of a scripted session: the file that stands beside it."""

from bisect import bisect_right
from typing import Literal, NamedTuple

from msgspec import Struct

from statetape.bench.truth import Verdict
from statetape.types import Slot


class Spell(NamedTuple):
    """From request `request` on (1 for the first) this holds, until the next spell."""

    request: int
    verdict: Verdict


class Known(Struct, frozen=True):
    """One record that claims something of files: its call's id, side, kind and step.

    `path` is the one file that the step reads or writes; None for a search or a run. The first of
    the `spells` begins with the first request that carries the record.
    """

    id: str
    side: Literal["input", "result"]
    kind: str
    step: int
    path: str | None
    spells: tuple[Spell, ...]

    @property
    def slot(self) -> Slot:
        """Where it stands in the conversation."""
        return Slot(self.id, self.side)

    def at(self, request: int) -> Verdict | None:
        """What holds when a request leaves; None: it does not carry the record yet."""
        place = bisect_right(self.spells, request, key=lambda spell: spell.request)
        return self.spells[place - 1].verdict if place else None


class Truth(Struct, frozen=True):
    """One session: the commit its files are of at the start, and the commits that it makes.

    `requests` is one more than its requests: the last one is the end, which none carries.
    `left_out` files of the commits were no texts of usual size: the session leaves them alone.
    """

    session: str
    base: str
    commits: tuple[str, ...]
    requests: int
    steps: int
    left_out: int
    records: tuple[Known, ...]
