"""What a proxy did during a run, in a few lines."""

from collections.abc import Iterator, Mapping
from typing import Any

from statetape.cli.columns import clean, counts, regions
from statetape.economics.reasons import NOTHING_STALE

_WORTH = 0.02  # of what was paid
_DONE = {
    "refresh": "refreshed",
    "drop": "dropped",
    "rerun": "to run again",
    "evict": "let go",
    "note": "noted",
    "dedupe": "pointed to",
    "retrieve": "brought in",
}


def account(state: Mapping[str, Any], *, restarts: int = 0) -> Iterator[str]:
    """The lines for the state of a proxy, as `/_statetape/state` has it; empty where it is gone."""
    if not state:
        yield "the proxy ended before the command did; what it did is not known"
        return
    proxy, core = _part(state, "proxy"), _part(state, "core")
    passed = {**_numbers(proxy, "passed"), **_numbers(core, "nothing_done")}
    changes = _numbers(core, "changes")
    if not core.get("requests"):
        yield f"did nothing, because {_why(proxy, passed)}"
        return
    tokens = _numbers(core, "tokens")
    verb = "would have sent" if state.get("observe") else "sent"
    words = f"{_requests(core['requests'])}, {verb} {tokens.get('with', 0):,} tokens"
    yield f"{words} instead of {tokens.get('without', 0):,}{_share(tokens)}"
    if changes:
        known = {why: changes[why] for why in (*_DONE, *sorted(changes)) if why in changes}
        yield counts({_DONE.get(why, why): number for why, number in known.items()})
    else:
        yield f"changed nothing, because {_held_back(core)}"
    brought = _numbers(core, "brought_in")
    if brought.get("regions"):
        yield f"brought in {regions(brought['regions'], brought.get('tokens', 0))}"
    yield from _money(core, observe=state.get("observe") is True)
    yield from _manager(_part(_part(core, "bill"), "manager"))
    if passed:
        yield f"as they came: {counts(passed)}"
    if failures := _numbers(proxy, "failures"):
        yield f"answers that failed: {counts(failures)}"
    if restarts:
        yield f"the proxy died and was started again, {restarts} times; what is counted is since"


def _held_back(core: Mapping[str, Any]) -> str:
    """Why no change was made, as the bill has it."""
    idle = _numbers(_part(core, "bill"), "nothing_done")
    waiting = {why: n for why, n in idle.items() if why != NOTHING_STALE}
    return _reasons(waiting) if waiting else "nothing that the agent held went stale"


def _money(core: Mapping[str, Any], *, observe: bool) -> Iterator[str]:
    """What the requests cost, and what they would have cost without us, in dollars."""
    bill = _part(core, "bill")
    paid, saved = bill.get("paid"), bill.get("would_have_saved" if observe else "saved")
    if isinstance(paid, float) and isinstance(saved, float):
        amount = f"about ${abs(saved):.4f} {'less' if saved >= 0 else 'more'}"
        compared = f"; changed, {amount}" if observe else f", {amount} than without us"
        yield f"paid ${paid:.4f}{compared} (`statetape bill`)"
        yield from _lives(core)
    elif core.get("requests") and bill.get("unpriced"):
        yield "no dollars: the model's price is not known (`statetape prices`)"


def _manager(part: Mapping[str, Any]) -> Iterator[str]:
    """What the model manager was asked, and what that cost, on top of all else."""
    if not part.get("asks"):
        return
    dollars = part.get("dollars")
    price = f", ${dollars:.4f} on top" if isinstance(dollars, float) else ""
    yield f"manager: {part.get('tokens', 0):,} tokens in {part['asks']:,} asks{price}"


def _lives(core: Mapping[str, Any]) -> Iterator[str]:
    """What other lives of the client's breakpoints would have saved, if it is worth a word."""
    costs = _part(core, "prompts_by_ttl")
    client, auto = costs.get("client"), costs.get("auto")
    if isinstance(client, float) and isinstance(auto, float) and client - auto > _WORTH * client:
        yield f"`--ttl auto` would have saved ${client - auto:.4f} of what prompts cost"


def _why(proxy: Mapping[str, Any], passed: Mapping[str, int]) -> str:
    if not proxy.get("requests"):
        return "no request came: the agent sent none, or to another server (`statetape doctor`)"
    return _reasons(passed) if passed else "no request carried a conversation"


def _reasons(counted: Mapping[str, int]) -> str:
    """Each reason with its requests, that of most of them first."""
    return ", ".join(
        f"{clean(reason)} ({_requests(number)})"
        for reason, number in sorted(counted.items(), key=lambda each: -each[1])
    )


def _share(tokens: Mapping[str, int]) -> str:
    without = tokens.get("without", 0)
    return f" ({(tokens.get('with', 0) - without) / without:+.1%})" if without else ""


def _requests(number: int) -> str:
    return "1 request" if number == 1 else f"{number:,} requests"


def _part(state: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    part = state.get(name)
    return part if isinstance(part, Mapping) else {}


def _numbers(part: Mapping[str, Any], name: str) -> dict[str, int]:
    return {key: value for key, value in _part(part, name).items() if isinstance(value, int)}
