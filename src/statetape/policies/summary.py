"""LLM summary: the results of older turns are folded into a summary that a model writes.

The paper's Appendix D: it "folds the history into a summary once 21 turns have accumulated and
keeps the last 10", by the agent's own model, after Lindenbauer et al., "The Complexity Trap"
(2025), arXiv:2508.21433. What differs here, where texts are replaced in their place: what the
agent said and what it typed into tools stay, results alone are folded. The summary stands in the
last result of those that it is of, so whoever goes back to a history from before it never reads it.
"""

from collections.abc import Generator, Iterator

from statetape.context.asking import Ask, Message, Reply
from statetape.context.situation import Situation
from statetape.context.wording import cleared, folded, summary_in, summed_up
from statetape.policies.telling import SYSTEM, VERSION, told
from statetape.types import Plan, Record, Replace, Slot

PURPOSE = "summary"

_OUTPUT = 2_000  # tokens
_MOST = 12_000  # characters of a summary


def summary(
    situation: Situation, *, at: int = 21, kept: int = 10, every: int = 5
) -> Generator[Ask, Reply, Plan]:
    """Fold once `at` turns have come since the last fold; the last `kept` of them stay.

    The summary of before goes into the next one. Without a reply nothing is folded; the model is
    asked again after `every` turns, in the same words until `at - kept` more have come. Nor is
    anything folded that would not be shorter. `at` is more than `kept`.
    """
    turns = situation.turns()
    standing = [slot for slot in situation.held if _summary(situation, slot) is not None]
    done = turns[standing[-1]] if standing else 0
    waiting = max(turns.values(), default=0) - done
    if waiting >= at and (waiting - at) % every == 0:
        step = at - kept
        end = done + step * ((waiting - kept) // step)
        plan = yield from _folding(situation, standing, done, end)
        if plan is not None:
            return plan
    return Plan(tuple(_left(situation, standing, standing[-1] if standing else None)))


def _folding(
    situation: Situation, standing: list[Slot], done: int, end: int
) -> Generator[Ask, Reply, Plan | None]:
    """The fold of the turns after `done` up to `end`; None where there is nothing to gain."""
    turns = situation.turns()
    results = [r for r in situation.results() if done < turns[r.slot] <= end]
    if not results:
        return None
    window = [r for slot, r in situation.held.items() if done < turns[slot] <= end]
    before = (_summary(situation, standing[-1]) or "") if standing else ""
    reply = yield Ask(
        PURPOSE,
        (Message("user", told(situation, window, before)),),
        SYSTEM,
        most=_OUTPUT,
        version=VERSION,
        by="agent",
    )
    text = (reply.text or "").strip()[:_MOST]
    if not text:
        return None
    basis = results[-1].slot
    changes = [
        *_left(situation, standing, basis),
        Replace(basis, summed_up(text), "summarise"),
    ]
    before_all = sum(len(situation.held[change.slot].text) for change in changes)
    if sum(len(change.text) for change in changes) >= before_all:
        return None
    made = {change.slot: change for change in changes}
    return Plan(tuple(made[slot] for slot in situation.held if slot in made), basis=basis)


def _left(situation: Situation, standing: list[Slot], last: Slot | None) -> Iterator[Replace]:
    """What is still to be done where the last summary stands, or is to stand, in slot `last`.

    None: there is none. Before it: results that are longer than what stands for them, and the
    summaries of before. Behind it: placeholders, whose own summary the client has dropped.
    """
    open_ = {*standing, *(record.slot for record in situation.results())}
    behind = last is None
    for slot, record in situation.held.items():
        if slot == last:
            behind = True
        elif behind and _is_placeholder(situation, record):
            yield Replace(slot, cleared(situation.title(record)), "evict")
        elif not behind and slot in open_:
            words = folded(situation.title(record))
            if len(words) < len(record.text):
                yield Replace(slot, words, "summarise")


def _is_placeholder(situation: Situation, record: Record) -> bool:
    change = situation.ledger.get(record.slot)
    return change is not None and change.why == "summarise" and summary_in(change.text) is None


def _summary(situation: Situation, slot: Slot) -> str | None:
    """The summary that stands in a slot; None: none does."""
    change = situation.ledger.get(slot)
    return summary_in(change.text) if change is not None and change.why == "summarise" else None
