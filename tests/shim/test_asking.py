"""Policies that ask a model, on a live conversation: through the proxy, and over a restart."""

import json
from pathlib import Path
from typing import Any

import pytest
from tests.shim.test_rivals import Live, changed

from statetape.bench.scripted import Scripted
from statetape.context.asking import Ask, Reply
from statetape.context.wording import folded, summary_in
from statetape.policies.hosted import Models
from statetape.shim.core import Core

ASKING = ("summary", "text", "without-tape")


def core(live: Live, answer: Any) -> Core:
    return Core(
        repo=live.root,
        policy=live.policy,
        rewrite_inputs=False,
        store=live.store,
        models=Models(answer, "m"),
    )


def put_back(sent: bytes, texts: list[str], own: list[str]) -> bytes:
    """The bytes that went on, with the agent's own texts in place of ours, one after another."""
    at = 0
    for ours, theirs in zip(texts, own, strict=True):
        old, new = json.dumps(ours).encode(), json.dumps(theirs).encode()
        at = sent.index(old, at)
        sent = sent[:at] + new + sent[at + len(old) :]
        at += len(new)
    return sent


def results(body: bytes) -> list[str]:
    parts = (m["content"][0] for m in json.loads(body)["messages"] if m["role"] == "user")
    return [part["content"] for part in parts if isinstance(part, dict)]


async def test_a_fold_goes_through_the_proxy_and_nothing_else_changes(
    shim: Any, tmp_path: Path
) -> None:
    live = Live(tmp_path, "summary")
    script = Scripted()
    async with shim(core(live, script), deadline=60) as running:
        for turn in range(33):
            live.read(1, 20 + turn)
            body = live.body()
            await running.post(body, session_id="s1")
            sent = running.upstream.seen[-1].body
            texts, own = results(sent), results(body)
            assert put_back(sent, texts, own) == body
            gone = [n for n, (one, two) in enumerate(zip(texts, own, strict=True)) if one != two]
            end = 0 if turn < 20 else 11 if turn < 31 else 22
            assert gone == list(range(end))
            if end:
                notes = summary_in(texts[end - 1])
                assert notes is not None
                assert notes.startswith("FOUND:")
                placeholders = [folded(f"read a.py 1-{20 + n}") for n in range(end - 1)]
                assert texts[: end - 1] == placeholders
    assert script.asked == 2


@pytest.mark.parametrize("policy", ASKING)
def test_what_a_model_brought_about_stays_so_after_a_restart(policy: str, tmp_path: Path) -> None:
    live = Live(tmp_path, policy)
    live.core = core(live, Scripted())
    for turn in range(26):
        live.read(1, 20 + turn % 3)
        if turn % 5 == 4:
            live.lines[2] = f"value_2 = {turn}  # another value"
            live.write()
            live.wrote(live.lines[2])
        live.send()
    before = live.send()
    assert changed(live, before)
    for answer in (Scripted(), lambda _: Reply(None, why="unreachable")):
        live.core = core(live, answer)
        assert live.send() == before


@pytest.mark.parametrize("policy", ASKING)
@pytest.mark.parametrize("says", ["{", "\ud800 \x00", '{"records": [{"record": "1"}]}', None])
def test_whatever_it_says_requests_stay_whole(
    policy: str, says: str | None, tmp_path: Path
) -> None:
    live = Live(tmp_path, policy)
    asked: list[Ask] = []

    def reply(ask: Ask) -> Reply:
        asked.append(ask)
        return Reply(says)

    live.core = core(live, reply)
    for turn in range(24):
        live.read(1, 20 + turn)
        if turn == 6:
            live.wrote(live.lines[0])
        live.send()
    assert asked
