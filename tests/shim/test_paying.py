"""The core pays: a scripted provider with a cache of its own, and what the ledger says of it."""

import json
from pathlib import Path
from typing import Any

import pytest
from tests.economics.literal import Anthropic
from tests.shim.spending import LINES, MARK, Agent, Clock, far

from statetape.economics.account import Terms
from statetape.store.bills import bills_beside

pytestmark = pytest.mark.usefixtures("clock")


def test_the_ledger_foresees_to_the_token_what_the_provider_reports(tmp_path: Path) -> None:
    agent = Agent(tmp_path)
    agent.file("a.py")
    agent.send()
    agent.read("a.py")
    agent.send()
    for n in range(12):
        agent.talk()
        if n % 3 == 0:
            agent.edit("a.py", f"return {n} ", f"return {n}0 ")
        agent.send(400.0 if n == 7 else 10.0)
    entries = agent.bills()
    assert [entry.number for entry in entries] == list(range(1, 15))
    for entry in entries[1:]:
        assert entry.planned is not None
        assert entry.paid is not None
        planned, paid = entry.planned, entry.paid
        assert (planned.cache_read, planned.prompt) == (paid.cache_read, paid.prompt)
        assert planned.cache_write_5m == paid.cache_write_5m
    assert sum(sum(entry.changes.values()) for entry in entries) > 0


def test_a_change_that_does_not_pay_waits_until_the_cache_is_cold(tmp_path: Path) -> None:
    agent = far(tmp_path)
    agent.edit("a.py", "return 3 ", "return 33 ")
    agent.send()
    agent.talk()
    agent.send()
    assert "return 3 " in agent.texts()[0]
    assert agent.bills()[-1].nothing == "it does not pay yet"
    agent.talk()
    agent.send(seconds=301)
    assert "return 3 " not in agent.texts()[0]
    assert "statetape" in agent.texts()[0]


def test_eager_takes_it_at_once(tmp_path: Path) -> None:
    agent = Agent(tmp_path, terms=Terms(maintain="eager"), edits="free")
    agent.file("a.py", LINES[:8])
    agent.read("a.py")
    agent.send()
    agent.edit("a.py", "return 3 ", "return 33 ")
    agent.send()
    assert "return 33 " in agent.texts()[0]


def test_what_was_changed_once_stays_changed(tmp_path: Path) -> None:
    agent = Agent(tmp_path)
    agent.file("a.py")
    agent.read("a.py")
    agent.send()
    agent.edit("a.py", "return 3 ", "return 33 ")
    agent.send()
    changed = agent.texts()[0]
    assert "statetape" in changed
    agent.core.close()
    agent.core = agent.started()
    agent.talk()
    agent.send()
    assert agent.texts()[0] == changed


def test_after_a_restart_a_warm_cache_is_not_taken_for_a_cold_one(tmp_path: Path) -> None:
    agent = far(tmp_path)
    agent.core.close()
    agent.core = agent.started()
    agent.edit("a.py", "return 3 ", "return 33 ")
    agent.send()
    assert "return 3 " in agent.texts()[0]


def test_a_model_that_binds_its_thinking_is_told_only_what_is_new(tmp_path: Path) -> None:
    agent = Agent(tmp_path, "claude-opus-5-5")
    agent.thought = lambda: {"type": "thinking", "thinking": "", "signature": "c2ln"}  # type: ignore[method-assign]
    agent.file("a.py")
    agent.read("a.py")
    agent.send()
    agent.edit("a.py", "return 3 ", "return 33 ")
    before = agent.messages[:3]
    agent.send(seconds=10_000)
    assert agent.sent["messages"][:3] == before
    assert agent.bills()[-1].nothing == "what was sent may not be changed"


def test_with_leave_to_drop_thinking_it_is_changed_and_the_leave_is_asked_for(
    tmp_path: Path,
) -> None:
    agent = Agent(tmp_path, "claude-opus-5-5", edits="drop_block")
    agent.file("a.py")
    agent.read("a.py")
    assert "thinking" not in agent.send()
    agent.edit("a.py", "return 3 ", "return 33 ")
    sent = agent.send(seconds=10_000)
    assert "statetape" in agent.texts()[0]
    assert sent["thinking"]["block_binding"] == {"prefix_mismatch_behavior": "drop_block"}


def test_who_only_observes_is_told_what_it_would_have_saved(tmp_path: Path) -> None:
    agent = Agent(tmp_path, observe=True)
    agent.file("a.py")
    agent.read("a.py")
    agent.send()
    agent.edit("a.py", "return 3 ", "return 33 ")
    for _ in range(4):
        agent.talk()
        agent.sent = {}
        Clock.now += 10
        headers = {"x-claude-code-session-id": "s1"}
        body = agent.body()
        agent.core.maintained("/v1/messages", headers, body)
        usage = agent.provider.usage_of(json.loads(body), Clock.now)
        answer = json.dumps({"type": "message", "usage": {**usage, "output_tokens": 7}})
        agent.core.answered("/v1/messages", headers, body, answer.encode())
        agent.core.answered("/v1/messages", headers, body, None)
    last = agent.bills()[-1]
    assert last.unmodified is not None
    assert last.planned is not None
    assert last.paid is not None
    assert last.unmodified.cache_read == last.paid.cache_read
    assert last.planned.prompt < last.paid.prompt
    bill = agent.core.state()["bill"]
    assert bill["saved"] == 0 < bill["would_have_saved"]
    assert bill["unmodified"] == bill["paid"]
    assert bill["simulator_error"]["requests_within_half_percent"] >= 3


def test_a_model_without_a_price_has_tokens_only(tmp_path: Path) -> None:
    agent = Agent(tmp_path, "nobody-knows-1")
    agent.file("a.py")
    agent.read("a.py")
    agent.send()
    state = agent.core.state()
    assert (state["bill"]["unpriced"], state["bill"]["paid"]) == (1, None)
    assert state["bill"]["tokens"]["sent"] > 0


def test_an_answer_that_never_came_costs_nothing(tmp_path: Path) -> None:
    agent = Agent(tmp_path)
    agent.file("a.py")
    headers = {"x-claude-code-session-id": "s1"}
    body = agent.body()
    agent.core.maintained("/v1/messages", headers, body)
    agent.core.answered("/v1/messages", headers, body, None)
    assert agent.bills() == ()
    agent.send()
    assert [entry.number for entry in agent.bills()] == [1]


def test_a_ledger_that_cannot_be_written_harms_no_request(tmp_path: Path) -> None:
    agent = Agent(tmp_path)
    bills_beside(agent.store).mkdir(parents=True)
    agent.file("a.py")
    agent.read("a.py")
    agent.send()
    assert agent.core.state()["bill_faults"] == {"StoreError": 1}
    assert agent.core.state()["bill"]["requests"] == 1


def test_the_life_of_breakpoints_follows_the_pauses(tmp_path: Path) -> None:
    agent = Agent(tmp_path, ttl="auto")
    agent.file("a.py")
    marks = []
    for _ in range(4):
        agent.talk()
        agent.send(seconds=600)
        marks.append(agent.sent["system"][0]["cache_control"])
    assert marks[0] == {"type": "ephemeral"}
    assert marks[-1] == {"type": "ephemeral", "ttl": "1h"}
    last = agent.bills()[-1]
    assert last.planned is not None
    assert last.paid is not None
    assert last.planned.cache_read == last.paid.cache_read > 0
    costs = agent.core.state()["prompts_by_ttl"]
    assert costs["auto"] < costs["client"]


def test_the_client_s_own_breakpoints_stay_as_they_are(tmp_path: Path) -> None:
    agent = Agent(tmp_path)
    agent.file("a.py")
    for _ in range(3):
        agent.talk()
        agent.send(seconds=600)
        assert agent.sent["system"][0]["cache_control"] == {"type": "ephemeral"}


def test_after_a_long_rest_everything_pending_goes(tmp_path: Path) -> None:
    agent = far(tmp_path)
    agent.edit("a.py", "return 3 ", "return 33 ")
    agent.core.close()
    agent.core = agent.started()
    agent.send(seconds=4_000)
    assert "return 3 " not in agent.texts()[0]


def test_a_request_for_a_summary_repeats_what_was_sent(tmp_path: Path) -> None:
    """As it came it would be new to the provider's cache, and the summary one of stale text."""
    agent = Agent(tmp_path)
    agent.file("a.py")
    agent.read("a.py")
    agent.send()
    agent.edit("a.py", "return 3 ", "return 33 ")
    sent = agent.send()["messages"]
    assert "statetape" in agent.texts()[0]
    agent.messages += [
        {"role": "assistant", "content": [{"type": "text", "text": "done"}]},
        {
            "role": "user",
            "content": [{"type": "text", "text": "CRITICAL: Respond with TEXT ONLY. x"}],
        },
    ]
    Clock.now += 10
    body = agent.body()
    out = json.loads(
        agent.core.maintained("/v1/messages", {"x-claude-code-session-id": "s1"}, body)
    )
    usage = agent.provider.usage_of(out, Clock.now)
    assert usage["cache_read_input_tokens"] == agent.bills()[-1].paid.prompt  # type: ignore[union-attr]
    assert out["messages"][2]["content"][0]["content"] == sent[2]["content"][0]["content"]
    assert out["messages"][-1] == json.loads(body)["messages"][-1]


def test_breakpoints_inside_of_blocks_count(tmp_path: Path) -> None:
    agent = Agent(tmp_path)
    plain = agent.body
    tools = [{"name": "Read", **MARK}, {"name": "Edit"}, {"name": "Bash", **MARK}]
    agent.body = lambda: json.dumps({**json.loads(plain()), "tools": tools}).encode()  # type: ignore[method-assign]
    agent.file("a.py")
    agent.send()
    for n in range(3):
        agent.read("a.py")
        agent.send()
        for _ in range(3):
            agent.talk()
            agent.send()
        agent.edit("a.py", f"return {n} ", f"return {n}7 ")
        agent.send()
        assert json.dumps(agent.sent).count('"cache_control"') <= 4
        agent.talk()
        agent.send(400 if n == 0 else 10)
    assert sum(sum(entry.changes.values()) for entry in agent.bills()) > 0
    agent.core.close()


@pytest.mark.parametrize("figure", [10**400, 10**30, 2**63, -5, True, 1.5, "7"])
def test_figures_that_are_no_counts_spoil_no_bill(tmp_path: Path, figure: object) -> None:
    agent = Agent(tmp_path)
    agent.file("a.py")
    agent.read("a.py")
    provider = agent.provider
    agent.provider = Odd(figure)
    agent.send()
    agent.provider = provider
    agent.talk()
    agent.send()
    assert 0 < agent.core.state()["bill"]["paid"] < 1
    assert len(agent.bills()) == 2


class Odd(Anthropic):
    def __init__(self, figure: object) -> None:
        super().__init__()
        self.figure = figure

    def usage_of(self, body: dict[str, Any], at: float) -> dict[str, Any]:
        usage = super().usage_of(body, at)
        return {**usage, "input_tokens": self.figure, "cache_creation_input_tokens": self.figure}


@pytest.mark.parametrize("first", [0, 1])
def test_each_answer_pays_for_its_own_request(tmp_path: Path, first: int) -> None:
    agent = Agent(tmp_path)
    agent.file("a.py")
    agent.send()
    agent.read("a.py")
    agent.send()
    agent.talk()
    headers = {"x-claude-code-session-id": "s1"}
    bodies = [agent.body()]
    agent.messages += [
        {"role": "assistant", "content": [{"type": "text", "text": "done"}]},
        {"role": "user", "content": [{"type": "text", "text": "next " * 4000}]},
    ]
    bodies.append(agent.body())
    Clock.now += 10
    sent = [json.loads(agent.core.maintained("/v1/messages", headers, it)) for it in bodies]
    usages = [agent.provider.usage_of(it, Clock.now) for it in sent]
    for n in (first, 1 - first):
        answer = json.dumps({"type": "message", "usage": {**usages[n], "output_tokens": 7}})
        agent.core.answered("/v1/messages", headers, bodies[n], answer.encode())
        agent.core.answered("/v1/messages", headers, bodies[n], None)
    for entry in agent.bills()[1:]:
        assert entry.planned is not None
        assert entry.paid is not None
        assert entry.planned.prompt == entry.paid.prompt


def test_two_proxies_keep_the_bills_of_one_conversation_apart(tmp_path: Path) -> None:
    agent = Agent(tmp_path)
    agent.file("a.py")
    cores = [agent.core, agent.started()]
    for n in range(6):
        agent.core = cores[n % 2]
        agent.talk()
        agent.send()
    assert [entry.number for entry in agent.bills()] == [1, 2, 3, 4, 5, 6]
    for core in cores:
        core.close()


def test_of_a_model_no_more_is_kept_than_a_name(tmp_path: Path) -> None:
    agent = Agent(tmp_path, "m" * 100_000)
    agent.file("a.py")
    agent.talk()
    agent.send()
    assert agent.bills()[0].model == "m" * 200
