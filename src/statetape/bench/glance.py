"""A benchmark at a glance: its two blocks (paper Table 5), and how far labels agree."""

from collections import Counter
from collections.abc import Iterable, Mapping

from msgspec import Struct

from statetape.bench.bounds import is_source
from statetape.bench.labelling import Scene, Session
from statetape.bench.labels import Labelled, Point
from statetape.bench.uses import AROUND, REACH
from statetape.tokens import tokens

VERDICTS = ("needed", "stale", "superseded", "finished")
RULES = ("G1", "G2", "G3", "G4")


class Block(Struct, frozen=True):
    """Sums over some points: tokens held by verdict, and of gold, in all and missing, by rule.

    `results` are the held tokens without the agent's own calls and words, by verdict. `empty`
    are the points that need nothing, `whole` those that hold all that they need.
    """

    points: int = 0
    held: Mapping[str, int] = {}
    results: Mapping[str, int] = {}
    regions: Mapping[str, int] = {}
    gold: Mapping[str, int] = {}
    missing: Mapping[str, int] = {}
    empty: int = 0
    whole: int = 0

    def __add__(self, other: "Block") -> "Block":
        return Block(
            self.points + other.points,
            _sum(self.held, other.held),
            _sum(self.results, other.results),
            _sum(self.regions, other.regions),
            _sum(self.gold, other.gold),
            _sum(self.missing, other.missing),
            self.empty + other.empty,
            self.whole + other.whole,
        )


class Agreement(Struct, frozen=True):
    """Rule labels against what the agent itself did in the next steps, in tokens.

    Of held results: needed by a rule, used within `REACH` steps, both, and all there are. Of
    source code that is not held: gold by a rule, sought (read or quoted, with the lines around)
    in these steps, and both.
    """

    needed: int = 0
    used: int = 0
    needed_and_used: int = 0
    held: int = 0
    gold: int = 0
    sought: int = 0
    gold_and_sought: int = 0

    def __add__(self, other: "Agreement") -> "Agreement":
        return Agreement(
            *(getattr(self, name) + getattr(other, name) for name in self.__struct_fields__)
        )


class Glance(Struct, frozen=True):
    """A session's share of the figures; `families` of the usual reading, `strict` of P alone."""

    families: Mapping[str, Block]
    strict: Block
    skipped: int
    agreement: Agreement

    def __add__(self, other: "Glance") -> "Glance":
        families = {name: self.families[name] + other.families[name] for name in self.families}
        return Glance(
            families,
            self.strict + other.strict,
            self.skipped + other.skipped,
            self.agreement + other.agreement,
        )


def glance(session: Session, found: Labelled) -> Glance:
    """The figures of one session."""
    usual = [point for point in found.points if point.reading != "strict"]
    strict = [p for p in found.points if p.reading != "usual" and p.family == "P"]
    families = {name: _block(p for p in usual if p.family == name) for name in "PTF"}
    pairs = zip(session.scenes, found.points, strict=True)
    agreed = [
        agreement(session, scene, point)
        for scene, point in pairs
        if point.family == "P" and point.reading != "strict"
    ]
    return Glance(families, _block(strict), found.skipped_bursts, sum(agreed, Agreement()))


def agreement(session: Session, scene: Scene, point: Point) -> Agreement:
    """How far the labels of a point agree with what the agent did in the next steps."""
    results = [each for each in point.held if each.side == "result"]
    needed = [each for each in results if each.verdict == "needed"]
    until = point.step + REACH
    used = [each for each in results if each.next_use is not None and each.next_use <= until]
    both = [each for each in needed if each in used]
    gold = {
        (region.path, line)
        for region in point.needed
        for lines in region.absent
        for line in range(lines.first, lines.last + 1)
    }
    sought = _sought(session, scene)
    chronicle = session.story.chronicle

    def cost(lines: Iterable[tuple[str, int]]) -> int:
        return sum(tokens(chronicle.at(p, point.tick).lines[at - 1] + "\n") for p, at in lines)

    return Agreement(
        sum(each.n for each in needed),
        sum(each.n for each in used),
        sum(each.n for each in both),
        sum(each.n for each in results),
        cost(gold),
        cost(sought),
        cost(gold & sought),
    )


def _sought(session: Session, scene: Scene) -> set[tuple[str, int]]:
    """The lines of source files that the next steps read or quote, and that are not held."""
    chronicle = session.story.chronicle
    fresh = session.inventory.fresh(scene.context, scene.tick)
    found: set[tuple[str, int]] = set()
    for use in session.story.uses.all:
        if not scene.step < use.step <= scene.step + REACH:
            continue
        for number in chronicle.stand(use.lines, scene.tick):
            path = chronicle.paths[number]
            if number in fresh or not is_source(path):
                continue
            state = chronicle.at(path, scene.tick)
            at = state.places[number]
            last = len(state.numbers) - (not state.lines[-1])
            around = range(max(1, at - AROUND), min(last, at + AROUND) + 1)
            found |= {(path, line) for line in around if state.numbers[line - 1] not in fresh}
    return found


def _block(points: Iterable[Point]) -> Block:
    held, results = Counter[str](), Counter[str]()
    regions, gold, missing = Counter[str](), Counter[str](), Counter[str]()
    count = empty = whole = 0
    for point in points:
        count += 1
        empty += not point.needed
        whole += bool(point.needed) and not point.missing
        for record in point.held:
            held[record.verdict] += record.n
            results[record.verdict] += record.n if record.side == "result" else 0
        for region in point.needed:
            regions[region.rule] += 1
            gold[region.rule] += region.tokens
            missing[region.rule] += region.missing
    return Block(count, held, results, regions, gold, missing, empty, whole)


def _sum(one: Mapping[str, int], other: Mapping[str, int]) -> dict[str, int]:
    names = sorted({*one, *other})
    return {name: one.get(name, 0) + other.get(name, 0) for name in names}
