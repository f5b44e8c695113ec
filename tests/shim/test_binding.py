"""A provider that binds thinking: each block is good only behind what it was thought behind."""

import asyncio
import json
import threading
from hashlib import blake2b
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace
from tests.shim.spending import TOOLS, Agent

from statetape.shim.asking import Asked, Asking
from statetape.shim.lanes import Lanes

Message = dict[str, Any]


class Binding(Agent):
    """Its model signs its thinking with all that stood before; `refused` counts what is not so."""

    def __init__(self, folder: Path, model: str = "claude-opus-5-5", **means: Any) -> None:
        super().__init__(folder, model, **{"notes": 120, "dedupe": True, **means})
        self.signature = ""
        self.refused = 0

    def thought(self) -> dict[str, Any]:
        return {"type": "thinking", "thinking": "", "signature": self.signature}

    def send(self, seconds: float = 10.0) -> dict[str, Any]:
        sent = super().send(seconds)
        self.check(sent["messages"])
        self.signature = signed(sent["messages"])
        return sent

    def check(self, messages: list[Message]) -> None:
        for at, message in enumerate(messages):
            for block in message["content"] if message["role"] == "assistant" else ():
                if block["type"] == "thinking" and block["signature"]:
                    self.refused += block["signature"] != signed(messages[:at])

    def outside(self, name: str, old: str, new: str) -> None:
        path = self.folder / name
        path.write_text(path.read_text().replace(old, new))


def signed(messages: list[Message]) -> str:
    plain = [[message["role"], unmarked(message["content"])] for message in messages]
    return blake2b(json.dumps(plain).encode()).hexdigest()


def unmarked(content: Any) -> Any:
    if isinstance(content, str):
        return [{"type": "text", "text": content}]
    return [{k: v for k, v in block.items() if k != "cache_control"} for block in content]


def begun(folder: Path, **means: Any) -> Binding:
    agent = Binding(folder, **means)
    agent.file("a.py")
    agent.send()
    agent.read("a.py")
    agent.send()
    agent.talk("words")
    agent.send()
    return agent


def back_and_forth(agent: Binding, *, restart: bool) -> None:
    """The client goes back to before its last step, and later takes that back."""
    before = list(agent.messages)
    agent.talk("more")
    agent.send()
    after, signature = list(agent.messages), agent.signature
    agent.outside("a.py", "return 3 ", "return 33 ")
    if restart:
        agent.core.close()
        agent.core = agent.started()
    other = {"type": "text", "text": "something else"}
    agent.messages = [*before[:-1], {"role": "user", "content": [*before[-1]["content"], other]}]
    agent.send()
    agent.messages, agent.signature = after, signature
    agent.talk("again")
    agent.send()


def test_what_was_sent_stays_as_it_is_where_the_client_goes_back_to_it(tmp_path: Path) -> None:
    agent = begun(tmp_path)
    back_and_forth(agent, restart=False)
    assert agent.refused == 0
    assert "f3" in agent.texts()[-1]


def test_nor_is_it_changed_by_a_process_that_never_saw_it_sent(tmp_path: Path) -> None:
    agent = begun(tmp_path)
    back_and_forth(agent, restart=True)
    assert agent.refused == 0
    agent.talk("at last")
    agent.send()
    assert agent.refused == 0


def test_a_request_that_is_sent_once_more_is_the_same(tmp_path: Path) -> None:
    agent = begun(tmp_path)
    agent.outside("a.py", "return 3 ", "return 33 ")
    before = agent.texts()
    agent.send()
    assert agent.texts() == before
    agent.talk("on")
    agent.send()
    assert "f3" in agent.texts()[-1]


def test_a_model_that_does_not_mind_leaves_what_another_has_bound(tmp_path: Path) -> None:
    agent = begun(tmp_path)
    bound = agent.model
    agent.model = "claude-sonnet-4-6"
    agent.edit("a.py", "return 3 ", "return 33 ")
    agent.send(10_000)
    agent.core.close()
    agent.core = agent.started()
    agent.talk("on")
    agent.send(10_000)
    agent.model = bound
    agent.talk("back")
    agent.send()
    assert agent.refused == 0


def test_thinking_that_cannot_be_read_is_bound_too(tmp_path: Path) -> None:
    agent = Binding(tmp_path)
    agent.thought = lambda: {"type": "redacted_thinking", "data": "c2ln"}  # type: ignore[method-assign]
    agent.file("a.py")
    agent.send()
    agent.read("a.py")
    agent.send()
    before = agent.texts()
    agent.edit("a.py", "return 3 ", "return 33 ")
    agent.send(10_000)
    assert agent.texts()[:1] == before


@pytest.mark.parametrize("model", ["claude-opus-4-6", "claude-haiku-4-5"])
def test_no_leave_is_asked_of_models_that_bind_nothing(tmp_path: Path, model: str) -> None:
    agent = Binding(tmp_path, model, edits="drop_block")
    agent.file("a.py")
    agent.send()
    agent.read("a.py")
    agent.send()
    agent.edit("a.py", "return 3 ", "return 33 ")
    agent.send(10_000)
    assert "statetape" in agent.texts()[0]
    assert "thinking" not in agent.sent


def test_where_thinking_is_off_nothing_is_dropped(tmp_path: Path) -> None:
    agent = begun(tmp_path, edits="drop_block")
    plain = agent.body
    off = {"thinking": {"type": "disabled"}}
    agent.body = lambda: json.dumps({**json.loads(plain()), **off}).encode()  # type: ignore[method-assign]
    before = agent.texts()
    agent.edit("a.py", "return 3 ", "return 33 ")
    agent.send(10_000)
    assert agent.texts()[:2] == before
    assert agent.refused == 0
    agent.core.close()


HEADERS = {"x-claude-code-session-id": "s1"}


def asked(agent: Binding, body: bytes, late: str = "") -> Asked:
    """What becomes of a request; the core may be `late` before or after its work."""
    lanes = Lanes()
    gate = threading.Event()
    core = agent.core
    made = core.maintained

    def slow(path: str, headers: Any, request: bytes) -> bytes:
        if late == "before":
            gate.wait(60)
        out = made(path, headers, request)
        gate.wait(60)
        return out

    async def run() -> Asked:
        asking = Asking(core, lanes, deadline=2, limit=10**8, notice=lambda *_: None)
        if late:
            core.maintained = slow  # type: ignore[method-assign,assignment]
        found = await asking.asked("/v1/messages", HEADERS, body, "")
        gate.set()
        assert lanes.idle(60)
        return found

    found = asyncio.run(run())
    core.maintained = made  # type: ignore[method-assign]
    return found


@pytest.mark.parametrize("late", ["before", "after"])
def test_what_came_too_late_was_not_sent_and_never_will_be(tmp_path: Path, late: str) -> None:
    agent = begun(tmp_path)
    agent.outside("a.py", "return 3 ", "return 33 ")
    agent.talk("told")
    agent.send()
    assert "f3" in agent.texts()[-1]
    agent.outside("a.py", "return 4 ", "return 44 ")
    agent.talk("late")
    found = asked(agent, agent.body(), late)
    assert found.reason == "core late"
    assert found.changed is not None
    sent = json.loads(found.changed)["messages"]
    agent.check(sent)  # what was told before still is
    agent.signature = signed(sent)
    agent.talk("on")
    agent.send()
    agent.talk("and on")
    agent.send()
    assert agent.refused == 0
    agent.core.close()


def test_a_core_that_fails_leaves_the_changes_of_before(tmp_path: Path) -> None:
    agent = begun(tmp_path)
    agent.outside("a.py", "return 3 ", "return 33 ")
    agent.talk("told")
    agent.send()
    agent.talk("on")

    def failing(*_: object) -> bytes:
        raise RuntimeError

    agent.core.maintained = failing  # type: ignore[method-assign,assignment]
    found = asked(agent, agent.body())
    assert found.reason == "core error RuntimeError"
    assert found.changed is not None
    agent.check(json.loads(found.changed)["messages"])
    assert agent.refused == 0
    agent.core.close()


def test_whoever_repeats_the_history_with_other_tools_repeats_it_as_it_was_sent(
    tmp_path: Path,
) -> None:
    agent = begun(tmp_path)
    agent.outside("a.py", "return 3 ", "return 33 ")
    agent.talk("told")
    agent.send()
    agent.talk("on")
    other = {**json.loads(agent.body()), "tools": [{**TOOLS[0], "name": "WebSearch"}]}
    out = agent.core.maintained("/v1/messages", HEADERS, json.dumps(other).encode())
    agent.check(json.loads(out)["messages"])
    assert agent.refused == 0
    agent.core.close()


def test_what_was_only_observed_is_not_sent_later(tmp_path: Path) -> None:
    agent = Binding(tmp_path, observe=True)
    agent.file("a.py")
    agent.talk("words")
    for n in range(3):
        agent.read("a.py")
        agent.outside("a.py", f"return {n} ", f"return {n}7 ")
        agent.core.maintained("/v1/messages", HEADERS, agent.body())
    agent.core.close()
    agent.means = replace(agent.means, observe=False)
    agent.core = agent.started()
    came = json.loads(agent.body())["messages"]
    assert signed(agent.send()["messages"]) == signed(came)
    agent.core.close()
