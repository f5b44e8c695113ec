"""What the gate adds to a request: offers made, decided and reckoned, of a long conversation.

Beside it what reading the same request takes, in processor time (`benchmarks/test_wire.py`).
"""

import json
import time
from hashlib import sha256
from statistics import median
from typing import Any

import pytest

from statetape.bargain import Request, offered
from statetape.economics.account import Account, Terms, changed, marked
from statetape.economics.prices import price_of
from statetape.economics.prompt import Block, Prompt
from statetape.files import Memory
from statetape.policies.control import control
from statetape.pricing import shipped
from statetape.session import Session
from statetape.types import Plan, Record, Replace, Slot, Untracked
from statetape.wire import anthropic
from statetape.workspace import Workspace

FIGURES: list[str] = []
BLOCKS, TOKENS, OFFERS, ROUNDS = 2_000, 100, 100, 50
TEXT = "def load(path): " * 25  # 400 characters, 100 tokens


def slot(n: int) -> Slot:
    return Slot(f"c{n}", "result")


def session() -> Session:
    """It holds a result in every second block."""
    made = Session(Workspace(Memory({})), control, len, title=str)
    for n in range(1, BLOCKS, 2):
        made.hold(Record(slot(n), n, "read", TEXT, Untracked(), 0, TOKENS))
    return made


def prompt(count: int) -> Prompt:
    """So many blocks, marked as Claude Code marks them; all are new objects, as of a decoder."""
    row = (
        Block(sha256(b"%d" % n).digest(), TOKENS, 300 if n in (0, count - 3, count - 1) else 0)
        for n in range(count)
    )
    return Prompt("claude-sonnet-4-5", count / 10, tuple(row), system=1)


def body(blocks: int) -> bytes:
    """A request with so many blocks, half of them calls, half results."""
    messages: list[dict[str, Any]] = []
    for n in range(blocks // 2):
        call = {"type": "tool_use", "id": f"t{n}", "name": "Read", "input": {"file_path": "/r/a"}}
        result = {"type": "tool_result", "tool_use_id": f"t{n}", "content": TEXT * 2}
        messages += [
            {"role": "assistant", "content": [call]},
            {"role": "user", "content": [result]},
        ]
    return json.dumps({"model": "m", "messages": messages}).encode()


def reading() -> float:
    """Seconds to read a request of this size after the one before it."""
    before = anthropic.read(body(BLOCKS))
    asked = body(BLOCKS + 2)
    taken = []
    for _ in range(15):
        began = time.process_time()
        anthropic.read(asked, before)
        taken.append(time.process_time() - began)
    return median(taken)


@pytest.mark.parametrize("stale", ["waiting", "cut", "nothing"])
def test_a_request(stale: str, benchmark: Any) -> None:
    """Every request comes with 100 offers, far from the end or at it, or with none.

    Of a cut that is decided nothing is carried out, so that the next request decides one again.
    """
    price = price_of("claude-sonnet-4-5", shipped())
    assert price is not None
    held = session()
    account = Account(price, Terms(limit=1e9, horizon=60))
    for count in (BLOCKS - 2 * OFFERS, BLOCKS):
        first = prompt(count)
        account.answered(first, first)
    asked = [prompt(BLOCKS + 2 * n) for n in range(1, ROUNDS + 1)]
    blocks = {slot(n): n for n in range(1, BLOCKS, 2)}
    taken, cuts = [], 0
    places = {
        "waiting": range(1, 2 * OFFERS, 2),
        "cut": range(BLOCKS - 2 * OFFERS + 1, BLOCKS, 2),
        "nothing": range(0),
    }

    def all_of_it() -> None:
        nonlocal cuts
        for n, unmodified in enumerate(asked):
            began = time.process_time()
            changes = [Replace(slot(at), f"gone {n}", "refresh") for at in places[stale]]
            asks = Request(unmodified, unmodified, BLOCKS, blocks)
            offers = offered(Plan(tuple(changes)), asks, account, held)
            decision = account.decided(unmodified, unmodified, offers, BLOCKS)
            made = {change.slot for change in decision.changes}
            now = changed(unmodified, [offer for offer in offers if offer.change.slot in made])
            marked(now, decision.anchor)
            account.answered(unmodified, unmodified)
            cuts += bool(made)
            taken.append(time.process_time() - began)

    benchmark.pedantic(all_of_it, rounds=1)
    base = reading()
    each, worst = median(taken), max(taken)
    FIGURES.append(
        f"{stale}: {1e3 * each:.2f} ms a request (at most {1e3 * worst:.2f}), "
        f"{each / base:.2f}x reading it; {cuts} of {ROUNDS} with a cut"
    )
