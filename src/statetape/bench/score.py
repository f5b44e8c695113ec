"""Sums over decision points and the figures they give (paper Eq. 3 and 4, TraceBench's scores)."""

from collections.abc import Iterable

from msgspec import Struct


class Score(Struct, frozen=True):
    """Tokens over some decision points; add them up for more of them.

    `unneeded` and `needed` were held, `cleared` and `lost` of those were removed, `restored` of
    the cleared ones stand in the context again, as lines of a fresh text that the old one had.
    `missing` are the gold tokens that were not held, `found` those of them that were added, among
    `added` in all; `abstained` counts the points at which nothing was.
    """

    points: int = 0
    unneeded: int = 0
    needed: int = 0
    cleared: int = 0
    lost: int = 0
    restored: int = 0
    missing: int = 0
    found: int = 0
    added: int = 0
    abstained: int = 0

    def __add__(self, other: "Score") -> "Score":
        return Score(
            *(a + b for a, b in zip(_values(self), _values(other), strict=True)),
        )

    @property
    def ce(self) -> float | None:
        """Unneeded tokens cleared for each needed one lost (Eq. 3). None: nothing was lost."""
        return self.cleared / self.lost if self.lost else None

    @property
    def lift(self) -> float | None:
        """The cleared share over the lost share: 1 for whoever cannot tell. None as `ce`."""
        if not (self.lost and self.needed and self.unneeded):
            return None
        return self.cleared_share / self.lost_share

    @property
    def cleared_share(self) -> float:
        """Cleared ÷ unneeded, 0 to 1."""
        return self.cleared / self.unneeded if self.unneeded else 0.0

    @property
    def lost_share(self) -> float:
        """Lost ÷ needed, 0 to 1."""
        return self.lost / self.needed if self.needed else 0.0

    @property
    def net_share(self) -> float:
        """What was cleared and does not stand in the context again ÷ unneeded."""
        return (self.cleared - self.restored) / self.unneeded if self.unneeded else 0.0

    @property
    def found_share(self) -> float:
        """Found ÷ missing, 0 to 1."""
        return self.found / self.missing if self.missing else 0.0

    @property
    def added_per_point(self) -> float:
        """Tokens added per decision point."""
        return self.added / self.points if self.points else 0.0

    @property
    def re(self) -> float | None:
        """Points of `found_share` in per cent for each thousand tokens added (Eq. 4, κ = 10⁵)."""
        return 1e5 * self.found_share / self.added_per_point if self.added else None


def total(scores: Iterable[Score]) -> Score:
    """All of them as one: the micro-average's sums."""
    return sum(scores, Score())


def _values(score: Score) -> tuple[int, ...]:
    return tuple(getattr(score, name) for name in score.__struct_fields__)
