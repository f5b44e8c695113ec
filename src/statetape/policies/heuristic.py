"""The manager without a model: the defaults, and what graph, tape and past tell beside them.

Requirement 2: what is finished with is let go. Requirement 3: the code that the next edit needs is
brought in, or nothing is. Both by weights that were fitted on recorded sessions.
"""

from collections.abc import Callable, Generator

from msgspec.structs import replace

from statetape.context.asking import Ask, Reply
from statetape.context.repository import Code
from statetape.context.settling import default_change, removal
from statetape.context.situation import Situation
from statetape.context.wording import let_go
from statetape.manager.candidates import RULES
from statetape.manager.choice import caution, finished, retrieved
from statetape.manager.finished import results
from statetape.manager.past import Past, begun, past
from statetape.manager.wanted import Wanted, wanted
from statetape.manager.weights import Weights, weights
from statetape.policies.default import default
from statetape.types import Change, Kept, Nomination, Plan, Region, Replace, Slot

_REASONS = {
    "callee": "called by {}",
    "caller": "calls {}",
    "base": "{} has to keep to it",
    "override": "overrides {}",
    "beside": "beside {}",
    "named": "named by a result above",
    "onward": "goes on from what was read",
}


def managed(known: Callable[[], Weights]) -> Callable[[Situation], Generator[Ask, Reply, Plan]]:
    """The policy by some weights, asked for when it first decides; without a graph, `default`."""

    def decide(situation: Situation) -> Generator[Ask, Reply, Plan]:
        if situation.code is None:
            return (yield from default(situation))
        changes: dict[Slot, Change] = {}
        removals: dict[Slot, Change] = {}
        kept: list[Kept] = []
        held = dict(situation.held)
        for nominated in situation.nominations:
            slot = nominated.record.slot
            if slot.side == "input" and not situation.rewrite_inputs:
                continue
            if why := situation.unreached(nominated):
                kept.append(Kept(slot, why))
                continue
            changes[slot] = _current(nominated, situation) or default_change(nominated, situation)
            if changes[slot].why == "refresh":
                removals[slot] = removal(nominated, situation)
                held[slot] = situation.fresh(nominated) or held[slot]
        # As the refreshes leave it: else one would be let go right after it.
        left = replace(situation, held=held)
        before = past(left, situation.code)
        spent = _let_go(left, before, known())
        shorter = [change for slot, change in removals.items() if slot not in spent]
        changes |= spent
        ordered = tuple(changes[slot] for slot in situation.held if slot in changes)
        regions = tuple(_brought_in(left, situation.code, before, known()))
        stays = tuple(each for each in kept if each.slot not in spent)
        return Plan(ordered, stays, tuple(shorter), regions)

    return decide


heuristic = managed(weights)
"""By the shipped weights."""


def _current(nominated: Nomination, situation: Situation) -> Change | None:
    """A text that is as its file has it, though what it calls is another by now: it may stay.

    It is shown anew, so that it counts from now on. What calls what is told by notes.
    """
    if nominated.default != "drop" or nominated.body or nominated.record.slot.side == "input":
        return None
    fresh = situation.fresh(nominated)
    return None if fresh is None else Replace(nominated.record.slot, fresh.text, "refresh")


def _let_go(situation: Situation, before: Past, known: Weights) -> dict[Slot, Change]:
    """What is finished with; nothing of a file that the agent came back to after that before."""
    regrets = [
        each.slot for each in situation.again if each.why == "evict" and each.slot in situation.held
    ]
    missed = {path for slot in regrets for path in situation.held[slot].read}
    gone = sum(change.why == "evict" for change in situation.ledger.values())
    cautious = caution(gone, len(regrets))
    found: dict[Slot, Change] = {}
    for result in finished(results(situation, before), known.wanted_again, cautious):
        record = result.record
        text = let_go(situation.title(record))
        if len(text) < len(record.text) and missed.isdisjoint(record.read):
            found[record.slot] = Replace(record.slot, text, "evict")
    return found


def _brought_in(
    situation: Situation, code: Code, before: Past, known: Weights
) -> Generator[Region, None, None]:
    """The code to bring in, after a write that the agent has not gone on from yet."""
    if not _is_new_write(situation):
        return
    offers = ((each, _size(each, code)) for each in wanted(situation, before, code))
    for each in retrieved(offers, known.wanted_next):
        one = each.candidate
        near = one.near.name if one.near is not None else ""
        yield Region(
            one.path, each.lines, one.symbol, RULES[one.way], _REASONS[one.way].format(near)
        )


def _is_new_write(situation: Situation) -> bool:
    """Whether something was written in the last turn, or after it."""
    turns = situation.turns()
    last = max(turns.values(), default=0)
    earlier = (
        record.born
        for slot, record in situation.held.items()
        if slot.side in ("input", "say") and turns[slot] < last
    )
    return situation.now > max(earlier, default=begun(situation))


def _size(each: Wanted, code: Code) -> int:
    """The tokens of an offer, about: 3 characters each, as code with its line numbers has."""
    rows = (code.text(each.candidate.path) or "").split("\n")
    return sum(len(row) + 6 for row in rows[each.lines.first - 1 : each.lines.last]) // 3
