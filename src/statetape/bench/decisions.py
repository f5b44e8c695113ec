"""One walk of a session under all policies at once: what each does at every decision point."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Literal, NamedTuple

from statetape.bench.effects import Effect, Sight, recorded
from statetape.bench.foresight import moved
from statetape.bench.labels import Point
from statetape.bench.lineage import Lineage
from statetape.bench.maintained import Maintained
from statetape.bench.reference import ORACLE, REFERENCES, Moment, effect, oracle
from statetape.bench.scripted import Scripted
from statetape.bench.uses import Uses
from statetape.context.asking import no_answer
from statetape.judgements import Judgements
from statetape.manager.weights import weights_without
from statetape.policies import POLICIES, Policy, answered, planned
from statetape.policies.heuristic import managed
from statetape.replay.walk import Asked, Came, Walk, Went, Wrote
from statetape.session import Session
from statetape.tokens import tokens
from statetape.types import Record, Slot, Step

Mode = Literal["recorded", "rolling"]
"""Each decision on the context that was recorded, or on what the policy has made of it so far."""

SCRIPTED = frozenset({"summary", "text", "without-tape"})
"""The policies that ask a model, which is a script here (`bench.scripted`)."""

RUNNABLE = tuple(sorted(POLICIES.keys() - {"model"}))
"""The policies that can be run: the model manager has no script that would stand for a model."""

FRONTIER = {f"heuristic x{factor:g}": factor for factor in (0.1, 0.25, 0.5, 2.0, 3.0, 4.0)}
"""The heuristic manager that lets go and brings in so many times as readily, by name.

They are run where they are asked for.
"""


class Asker(NamedTuple):
    """Who decides, and how: one column of cells."""

    policy: str
    mode: Mode


class Decided(NamedTuple):
    """What was decided at a point."""

    by: Asker
    point: Point
    effect: Effect


class Decisions:
    """The decisions of one walk at some points. Iterate once; `rolling` and `sent` are whole then.

    A policy sees nothing of the points; the oracle sees the labels of its own. `rolling` are the
    sessions that policies maintained, `sent` the tokens of all requests without maintenance.
    """

    def __init__(
        self, walk: Walk, points: Iterable[Point], askers: Iterable[Asker], session: str = ""
    ) -> None:
        """`session`: the hex SHA-256 of its file, so that no weights decide that have seen it."""
        self._walk = walk
        self._points: defaultdict[int, list[Point]] = defaultdict(list)
        for point in points:
            self._points[point.request].append(point)
        self._askers = tuple(askers)
        lineage = Lineage(walk.workspace)
        self._uses = Uses(lineage)
        self._sight = Sight(walk.workspace, lineage, self._uses)
        self._tokens = lru_cache(maxsize=4096)(tokens)
        self._judgements = Judgements(walk.workspace, tokens)
        self._control = self._session(POLICIES["control"])
        self._policies = {
            name: _answering(name, session)
            for name, mode in self._askers
            if mode == "recorded" and is_policy(name)
        }
        self.rolling: Mapping[str, Maintained] = {
            name: Maintained(self._session(_answering(name, session)), self._sight)
            for name, mode in self._askers
            if mode == "rolling" and is_policy(name)
        }
        self.sent = 0
        self._written: dict[str, None] = {}
        self._unsent: list[Slot] = []

    def _session(self, policy: Policy) -> Session:
        walk = self._walk
        session = Session(walk.workspace, policy, self._tokens, title=walk.title)
        session.share(self._judgements)
        return session

    def __iter__(self) -> Iterator[Decided]:
        """In the order of the points; those that no request carries come last."""
        for happening in self._walk:
            used = len(self._uses.all)
            self._uses.follow(happening)
            match happening:
                case Wrote(entry=entry):
                    self._written.pop(entry.write.path, None)
                    self._written[entry.write.path] = None
                case Came(records=records, step=step):
                    self._come(records, step, used)
                case Went(slots=slots):
                    self._control.forget(slots)
                    for maintained in self.rolling.values():
                        maintained.forget(slots)
                case Asked():
                    yield from self._request(self._walk.request)
        last = self._walk.request
        if any(request > last for request in self._points):
            yield from self._request(last + 1, sent=False)

    def _come(self, records: Sequence[Record], step: Step | None, used: int) -> None:
        for use in self._uses.all[used:]:
            for maintained in self.rolling.values():
                maintained.use(use.lines)
        for record in records:
            self._control.hold(record)
            for maintained in self.rolling.values():
                maintained.hold(record)
        if step is not None:
            self._unsent += [record.slot for record in records]

    def _request(self, number: int, *, sent: bool = True) -> Iterator[Decided]:
        for maintained in self.rolling.values():
            maintained.send(self._unsent, counts=sent)
        self._unsent.clear()
        if sent:
            self.sent += self._control.tokens
        points = self._points.get(number, ())
        if not points:
            return
        situation = self._control.situation()
        moment = Moment(situation, self._walk.step, tuple(reversed(self._written)))
        for by in self._askers:
            for point in points:
                if by.policy == ORACLE:
                    found = effect(oracle(point), moment, self._sight)
                elif by.policy in REFERENCES:
                    found = effect(REFERENCES[by.policy](moment), moment, self._sight)
                elif by.mode == "rolling":
                    found = self.rolling[by.policy].effect(situation.held)
                else:
                    plan = planned(self._policies[by.policy], situation, no_answer)
                    found = recorded(plan, situation, self._sight)
                yield Decided(by, point, found)


def is_policy(name: str) -> bool:
    """Whether it decides as a policy does, and is no reference point."""
    return name in POLICIES or name in FRONTIER


def _answering(name: str, session: str) -> Policy:
    """A policy that asks nothing more; weights that were fitted have not seen the session."""
    if name == "heuristic" or name in FRONTIER:
        factor = FRONTIER.get(name, 1.0)
        return managed(lambda: moved(weights_without(session), factor))
    return answered(POLICIES[name], Scripted())
