"""Rival policies on a live conversation: only results change, pairs stay, and changes stick."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from statetape.cli.policies import NAMES
from statetape.shim.core import Core

HEADERS = {"x-claude-code-session-id": "s1"}
TOOLS = [{"name": name} for name in ("Read", "Edit", "Bash")]
LINES = [f"value_{n} = {n}  # the value of number {n}" for n in range(60)]

# Without a model, by what they see of it alone.
CHANGING = {"masking", "supersede", "corvus", "without-graph"}


class Live:
    """An agent that reads lines of a file, again and again, while somebody writes it."""

    def __init__(self, folder: Path, policy: str) -> None:
        self.root = folder / "repo"
        self.root.mkdir()
        self.file = self.root / "a.py"
        self.lines = list(LINES)
        self.write()
        self.store = folder / "state" / "changes.sqlite"
        self.policy = policy
        self.messages: list[dict[str, Any]] = [{"role": "user", "content": "go"}]
        self.restart()

    def restart(self) -> None:
        self.core = Core(repo=self.root, policy=self.policy, rewrite_inputs=False, store=self.store)

    def write(self) -> None:
        self.file.write_text("\n".join(self.lines) + "\n")

    def read(self, first: int, last: int) -> None:
        """One turn."""
        name = f"t{len(self.messages)}"
        given = {"file_path": str(self.file), "offset": first, "limit": last - first + 1}
        rows = enumerate(self.lines[first - 1 : last], first)
        text = "\n".join(f"{n}\t{line}" for n, line in rows)
        use = {"type": "tool_use", "id": name, "name": "Read", "input": given}
        result = {"type": "tool_result", "tool_use_id": name, "content": text}
        self.messages += [
            {"role": "assistant", "content": [use]},
            {"role": "user", "content": [result]},
        ]

    def wrote(self, line: str) -> None:
        """A turn in which the agent put a line there that stands there now."""
        name = f"t{len(self.messages)}"
        given = {"file_path": str(self.file), "old_string": "something", "new_string": line}
        use = {"type": "tool_use", "id": name, "name": "Edit", "input": given}
        said = f"The file {self.file} has been updated."
        result = {"type": "tool_result", "tool_use_id": name, "content": said}
        self.messages += [
            {"role": "assistant", "content": [use]},
            {"role": "user", "content": [result]},
        ]

    def body(self) -> bytes:
        """The request as the agent makes it."""
        asks = {
            "model": "m",
            "tools": TOOLS,
            "system": f" - Primary working directory: {self.root}",
        }
        return json.dumps({**asks, "messages": self.messages}).encode()

    def send(self) -> list[str]:
        """A request: the results as they go on. All else goes on as it came."""
        body = self.body()
        sent = json.loads(self.core.maintained("/v1/messages", HEADERS, body))
        assert {**sent, "messages": 0} == {**json.loads(body), "messages": 0}
        texts = []
        for ours, theirs in zip(sent["messages"], self.messages, strict=True):
            if ours["role"] == "user" and ours["content"] != "go":
                (ours_part,), (theirs_part,) = ours["content"], theirs["content"]
                assert {**ours_part, "content": ""} == {**theirs_part, "content": ""}
                texts.append(ours_part["content"])
            else:
                assert ours == theirs
        return texts


def changed(live: Live, texts: Sequence[str]) -> list[int]:
    """Which of the results are not as the agent has them."""
    own = [m["content"][0]["content"] for m in live.messages if isinstance(m["content"], list)
           and m["role"] == "user"]  # fmt: skip
    return [n for n, (ours, theirs) in enumerate(zip(texts, own, strict=True)) if ours != theirs]


@pytest.mark.parametrize("policy", NAMES)
def test_what_changed_stays_so_also_after_a_restart(policy: str, tmp_path: Path) -> None:
    live = Live(tmp_path, policy)
    for turn in range(14):
        live.read(1, 20 + turn)
        live.send()
        if turn == 7:
            live.lines[50] = "value_50 = 'new'"
            live.write()
    before = live.send()
    assert live.send() == before
    live.restart()
    assert live.send() == before
    assert bool(changed(live, before)) is (policy in CHANGING)


def test_masking_counts_turns_and_not_requests(tmp_path: Path) -> None:
    live = Live(tmp_path, "masking")
    for _ in range(13):
        live.read(1, 20)
    assert changed(live, live.send()) == [0, 1, 2]


def test_a_whole_file_is_followed_after_a_restart(tmp_path: Path) -> None:
    live = Live(tmp_path, "corvus")
    live.read(1, 20)
    live.send()
    live.lines[40] = "value_40 = 'new'"
    live.write()
    (text,) = live.send()
    assert "41\tvalue_40 = 'new'" in text
    assert text.count("\n") == 60
    live.restart()
    assert live.send() == [text]
    live.lines[41] = "value_41 = 'newer'"
    live.write()
    (text,) = live.send()
    assert "42\tvalue_41 = 'newer'" in text
