"""What of a policy's plan is carried out now: every change weighed by what it costs and saves."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from msgspec.structs import replace

from statetape.economics.account import Account, Decision
from statetape.economics.fit import estimated
from statetape.economics.gate import Offer
from statetape.economics.prompt import Prompt
from statetape.economics.reasons import NOT_YET
from statetape.session import Session
from statetape.types import Plan, Record, Slot


class Request(NamedTuple):
    """A request about to leave, as its provider will see it.

    `unmodified` is how the client made it, `prompt` how it goes on without further changes: the
    same blocks, some with other texts. The first `sent` of them were sent before. `blocks` tells
    in which block a slot stands; a slot that is not in it cannot be changed.
    """

    unmodified: Prompt
    prompt: Prompt
    sent: int
    blocks: Mapping[Slot, int]


def placed(blocks: Mapping[Slot, int], changed: Iterable[Slot]) -> Mapping[Slot, int]:
    """In which block each slot stands; what was added to a result is in the block of that.

    `changed` are the slots of the ledger: all that was added is among them.
    """
    added = [slot for slot in changed if slot.side == "added"]
    found = {slot: blocks.get(Slot(slot.id, "result")) for slot in added}
    ours = {slot: block for slot, block in found.items() if block is not None}
    return {**blocks, **ours} if ours else blocks


def bargained(
    plan: Plan, request: Request, account: Account, session: Session
) -> tuple[Plan, Decision]:
    """The part of a plan to carry out in this request, and the decision behind it.

    Nothing of it where the change that the others rely on is not worth it.
    """
    offers = offered(plan, request, account, session)
    decision = account.decided(request.unmodified, request.prompt, offers, request.sent)
    slots = {change.slot for change in decision.changes}
    if slots and plan.basis is not None and plan.basis not in slots:
        decision = Decision(why=NOT_YET)
    for change in decision.changes:
        if change.why != "refresh":
            account.regret.made(change.why)
    return replace(plan, changes=decision.changes), decision


def offered(plan: Plan, request: Request, account: Account, session: Session) -> list[Offer]:
    """One offer for each change of a plan, and for each shorter one; those of the policy first."""
    changes = (*plan.changes, *plan.shorter)
    if not changes:
        return []
    price, held = account.price, session.held
    rate = account.rate(request.prompt)
    total = request.prompt.tokens
    alone = len(set(request.blocks.values())) == len(request.blocks)
    texts: defaultdict[int, list[Record]] = defaultdict(list)
    for slot, block in () if alone else request.blocks.items():
        if slot in held:
            texts[block].append(held[slot])
    found = []
    for change in changes:
        if change.slot not in request.blocks:
            continue
        block = request.blocks[change.slot]
        record = held[change.slot]
        before = request.prompt.blocks[block].tokens
        estimate = estimated(price, record.tokens, record.kind)
        if len(texts[block]) > 1:
            whole = sum(estimated(price, each.tokens, each.kind) for each in texts[block])
            before = round(before * estimate / whole) if whole else 0
        after = estimated(price, session.tokens_after(change), record.kind)
        # The block's size is put right by what was reported: both texts are off alike.
        saved = before - round(before * after / estimate) if estimate else 0
        requests = account.horizon(change.slot)
        risk = 0.0
        if change.why != "refresh":
            risk = account.regret.risk(change.why, before, total, rate, requests)
        found.append(Offer(change, block, saved, requests, risk))
    return found
