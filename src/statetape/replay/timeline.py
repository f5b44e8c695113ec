"""What a replay found, as plain values: the one thing that reports, pages and tests read."""

from typing import Literal, NamedTuple

from msgspec import Struct

from statetape.policies.hosted import Spent
from statetape.types import StepKind

State = Literal[
    "fresh", "retrieved", "stale", "kept", "refreshed", "dropped", "rerun", "evicted", "forgotten"
]
Hand = Literal["agent", "shell", "external"]


class StepRow(Struct, frozen=True):
    """One step: `title` is one line (`Read app/config.py 1-40`), `tokens` of all its records."""

    index: int
    kind: StepKind
    title: str
    tokens: int
    request: int


class WriteRow(Struct, frozen=True):
    """One write, at the step it happened in; symbols are spelled `path::name`, sorted."""

    tick: int
    step: int
    path: str
    hand: Hand
    why: str
    body: tuple[str, ...]
    dispatch: tuple[str, ...]
    created: tuple[str, ...]


class Passage(NamedTuple):
    """A record entered a state at a step.

    `because` names the symbols, `path::name`; of one that was kept, it is the reason.
    """

    step: int
    state: State
    because: tuple[str, ...] = ()


class RecordRow(Struct, frozen=True):
    """One record and its life, in order, starting with `fresh` at its own step.

    What a policy brought in behind a result (side `added`) is of the step of that, and starts with
    `retrieved` where it came.

    `text` is as the agent received it, `now` as the policy left it last (None: unchanged);
    `last_use` is the last step that touched what it shows (its own step: never again).
    """

    id: str
    side: str
    step: int
    kind: StepKind
    title: str
    tokens: int
    tokens_now: int
    text: str
    now: str | None
    life: tuple[Passage, ...]
    last_use: int

    def state(self, step: int) -> State | None:
        """The state after `step`; None before the record was born."""
        return next((p.state for p in reversed(self.life) if p.step <= step), None)


class Moment(NamedTuple):
    """The context one request carried under the policy, in tokens, and under control.

    `fresh` is true and used again later, `finished` true and never used again (both with
    hindsight), `stale` false, `ours` the text that maintenance put in.
    """

    request: int
    step: int
    fresh: int
    finished: int
    stale: int
    ours: int
    control: int
    control_stale: int


class Tokens(Struct, frozen=True):
    """Token sums over all requests (`held_peak`: the most one request carried under control)."""

    held_peak: int = 0
    sent_control: int = 0
    sent_policy: int = 0
    stale_sent_control: int = 0
    stale_sent_policy: int = 0
    stale_inputs_sent: int = 0


class BroughtIn(Struct, frozen=True):
    """How much code was brought in: regions, and cl100k tokens with what is said of them."""

    regions: int = 0
    tokens: int = 0

    def and_more(self, regions: int, tokens: int) -> "BroughtIn":
        """The sums with so many more."""
        return BroughtIn(self.regions + regions, self.tokens + tokens)


class Check(Struct, frozen=True):
    """The independent oracle's verdict on the tape."""

    writes: int = 0
    held_reads: int = 0
    misses: int = 0
    over_nominations: int = 0


class Cost(Struct, frozen=True):
    """Dollars of all requests of a session, by the price of `model`.

    `reported` by the provider's own figures (None: the log has none), `simulated_control` of the
    requests as they were, `simulated_policy` as they would have been. `simulator_error` is
    simulated_control as a share of reported, minus 1. What the model said is in all of them; of a
    session without figures nobody knows it, nor its system prompt.
    """

    model: str
    reported: float | None
    simulated_control: float
    simulated_policy: float
    simulator_error: float | None


class Replayed(Struct, frozen=True):
    """One session, replayed under one policy.

    `costs` by the payments asked for, in their order; None where a price is not known.
    `asked`: what the policy has asked a model.
    """

    id: str
    agent: str
    agent_versions: tuple[str, ...]
    models: tuple[str, ...]
    file: str
    policy: str
    steps: tuple[StepRow, ...]
    writes: tuple[WriteRow, ...]
    records: tuple[RecordRow, ...]
    moments: tuple[Moment, ...]
    nominations: int
    actions: dict[str, int]
    tokens: Tokens
    problems: tuple[str, ...]
    check: Check | None = None
    costs: tuple[Cost | None, ...] = ()
    brought_in: BroughtIn = BroughtIn()
    asked: Spent = Spent()
