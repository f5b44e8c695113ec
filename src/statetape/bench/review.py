"""What of a benchmark's labels a reviewer is asked about, and how far he agrees."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from hashlib import sha256
from itertools import zip_longest
from typing import Literal

from msgspec import Struct

from statetape.bench.labels import Gold, Held, Labelled, Point, Verdict
from statetape.types import Slot

Answer = Literal["needed", "stale", "superseded", "finished", "unneeded", "skip"]
"""What a reviewer says: a held record's verdict, "unneeded" of a region, or nothing."""


class Case(Struct, frozen=True):
    """One label: what it is of, and at which point of which session.

    `name` is its name in the reviews: what it is of, whatever the label says.
    """

    session: str
    point: Point
    of: Held | Gold

    @property
    def name(self) -> str:
        """What a review calls it."""
        what = (
            f"held {self.of.side} {self.of.id}"
            if isinstance(self.of, Held)
            else f"{self.of.rule} {self.of.path}:{self.of.lines.first}-{self.of.lines.last}"
        )
        return f"{self.session} {self.point.family}{self.point.step} {self.point.reading} {what}"

    @property
    def stratum(self) -> str:
        """The verdict of a held record, the rule of a region."""
        return self.of.verdict if isinstance(self.of, Held) else self.of.rule

    @property
    def label(self) -> Verdict:
        """What the benchmark says. A region is needed."""
        return self.of.verdict if isinstance(self.of, Held) else "needed"

    @property
    def slot(self) -> Slot | None:
        """Where a held record stands; None for a region."""
        return self.of.slot if isinstance(self.of, Held) else None


class Agreement(Struct, frozen=True):
    """How far a reviewer agrees with the labels of one kind.

    `pairs` counts (label, answer). `kappa` is Cohen's, `kappa_needed` that of needed against
    unneeded; None where all are of one class. `weighted` is the agreement with each stratum
    counted as often as it occurs, for the cases are drawn evenly from the strata; None where a
    stratum has no answer.
    """

    pairs: Mapping[str, Mapping[str, int]]
    kappa: float | None
    kappa_needed: float | None
    weighted: float | None

    @property
    def count(self) -> int:
        """The labels that were answered."""
        return sum(sum(answers.values()) for answers in self.pairs.values())

    @property
    def share(self) -> float | None:
        """The share of them that were confirmed; None for none."""
        agreed = sum(answers.get(label, 0) for label, answers in self.pairs.items())
        return agreed / self.count if self.count else None


def cases(session: Labelled) -> Iterable[Case]:
    """All labels of a session; what each record says of itself alone is none."""
    for point in session.points:
        for held in point.held:
            yield Case(session.id, point, held)
        for gold in point.needed:
            yield Case(session.id, point, gold)


def sampled(every: Iterable[Case], most: int, seed: int) -> list[Case]:
    """Up to `most` cases, evenly from all strata, in an order that rests on seed and name alone."""
    strata: defaultdict[str, list[tuple[bytes, Case]]] = defaultdict(list)
    for case in every:
        place = sha256(f"{seed} {case.name}".encode()).digest()
        strata[case.stratum].append((place, case))
    rows = [sorted(found, key=lambda each: each[0]) for _, found in sorted(strata.items())]
    turns = (case for turn in zip_longest(*rows) for case in turn if case is not None)
    return [case for (_, case), _ in zip(turns, range(most), strict=False)]


def agreement(
    every: Sequence[Case], answers: Mapping[str, Answer], kind: type[Held] | type[Gold]
) -> Agreement:
    """How far the answers (by the names of cases) agree with the labels of one kind."""
    pairs: defaultdict[str, Counter[str]] = defaultdict(Counter)
    strata: defaultdict[str, Counter[bool]] = defaultdict(Counter)
    sizes: Counter[str] = Counter()
    for case in every:
        if not isinstance(case.of, kind):
            continue
        sizes[case.stratum] += 1
        answer = answers.get(case.name)
        if answer is not None and answer != "skip":
            pairs[case.label][answer] += 1
            strata[case.stratum][answer == case.label] += 1
    flat = Counter({(label, a): n for label, found in pairs.items() for a, n in found.items()})
    needed: Counter[tuple[str, str]] = Counter()
    for (one, other), n in flat.items():
        needed[_two(one), _two(other)] += n
    return Agreement(
        {label: dict(sorted(found.items())) for label, found in sorted(pairs.items())},
        kappa(flat),
        kappa(needed),
        _weighted(strata, sizes),
    )


def kappa(pairs: Mapping[tuple[str, str], int]) -> float | None:
    """Cohen's kappa of counted pairs of classes; None where chance alone agrees on all."""
    count = sum(pairs.values())
    ones: Counter[str] = Counter()
    others: Counter[str] = Counter()
    for (one, other), n in pairs.items():
        ones[one] += n
        others[other] += n
    if not count:
        return None
    agreed = sum(n for (one, other), n in pairs.items() if one == other) / count
    chance = sum(ones[each] * others[each] for each in ones) / count**2
    return None if chance == 1 else (agreed - chance) / (1 - chance)


def _two(verdict: str) -> str:
    return "needed" if verdict == "needed" else "unneeded"


def _weighted(strata: Mapping[str, Counter[bool]], sizes: Mapping[str, int]) -> float | None:
    if not sizes or any(not strata.get(name) for name in sizes):
        return None
    shares = {name: found[True] / sum(found.values()) for name, found in strata.items()}
    return sum(shares[name] * size for name, size in sizes.items()) / sum(sizes.values())
