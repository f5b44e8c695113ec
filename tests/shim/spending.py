"""An agent that reads, edits and talks through a core that pays, and the provider behind it."""

import json
from pathlib import Path
from typing import Any

from tests.economics.literal import Anthropic

from statetape.economics.bill import Entry
from statetape.economics.prices import price_of
from statetape.pricing import shipped
from statetape.shim.billing import Means
from statetape.shim.core import Core
from statetape.store.bills import Bills, bills_beside
from statetape.types import Usage

TOOLS: list[dict[str, Any]] = [{"name": name} for name in ("Read", "Edit", "Bash")]
MARK = {"cache_control": {"type": "ephemeral"}}
LINES = [f"def f{n}():\n    return {n}  # {'word ' * 12}" for n in range(60)]


class Clock:
    now = 1_000.0


CORES: list[Core] = []


class Agent:
    """An agent that reads, edits and talks, as Claude Code does on the wire; and its provider."""

    def __init__(self, folder: Path, model: str = "claude-opus-4-6", **means: Any) -> None:
        self.folder = folder / "repo"
        self.folder.mkdir(exist_ok=True)
        self.store = folder / "state" / "changes.sqlite"
        self.model = model
        self.means = Means(prices=shipped(), **means)
        self.core = self.started()
        price = price_of(model, shipped())
        self.provider = Anthropic(least=price.least if price else 1024)
        self.messages: list[dict[str, Any]] = [{"role": "user", "content": "go"}]
        self.count = 0
        self.usages: list[Usage] = []
        self.sent: dict[str, Any] = {}

    def started(self) -> Core:
        core = Core(
            repo=self.folder,
            policy="default",
            rewrite_inputs=False,
            store=self.store,
            means=self.means,
        )
        CORES.append(core)
        return core

    def file(self, name: str, lines: list[str] = LINES) -> None:
        (self.folder / name).write_text("\n".join(lines) + "\n")

    def called(self, tool: str, result: str, **given: Any) -> None:
        self.count += 1
        use = {"type": "tool_use", "id": f"t{self.count}", "name": tool, "input": given}
        answer = {"type": "tool_result", "tool_use_id": f"t{self.count}", "content": result}
        self.messages.append({"role": "assistant", "content": [self.thought(), use]})
        self.messages.append({"role": "user", "content": [answer]})

    def thought(self) -> dict[str, Any]:
        return {"type": "text", "text": f"thinking of step {self.count}"}

    def read(self, name: str) -> None:
        text = (self.folder / name).read_text().split("\n")
        shown = "\n".join(f"{n}\t{line}" for n, line in enumerate(text, 1))
        self.called("Read", shown, file_path=str(self.folder / name))

    def edit(self, name: str, old: str, new: str) -> None:
        path = self.folder / name
        path.write_text(path.read_text().replace(old, new))
        self.called(
            "Edit",
            "The file has been updated.",
            file_path=str(path),
            old_string=old,
            new_string=new,
        )

    def talk(self, words: str = "well " * 300) -> None:
        self.called("Bash", words, command="echo")

    def body(self) -> bytes:
        messages = [dict(message) for message in self.messages]
        last = messages[-1]["content"]
        if isinstance(last, str):
            last = [{"type": "text", "text": last}]
        messages[-1]["content"] = [*last[:-1], {**last[-1], **MARK}]
        system = f"You help.\n - Primary working directory: {self.folder}\n" + "be good " * 5000
        return json.dumps(
            {
                "model": self.model,
                "stream": False,
                "system": [{"type": "text", "text": system, **MARK}],
                "tools": TOOLS,
                "messages": messages,
            }
        ).encode()

    def send(self, seconds: float = 10.0) -> dict[str, Any]:
        """One request and its answer; what went on."""
        Clock.now += seconds
        headers = {"x-claude-code-session-id": "s1"}
        body = self.body()
        out = self.core.maintained("/v1/messages", headers, body)
        self.sent = json.loads(out)
        usage = self.provider.usage_of(self.sent, Clock.now)
        answer = {"type": "message", "content": [], "usage": {**usage, "output_tokens": 7}}
        self.core.answered("/v1/messages", headers, body, json.dumps(answer).encode())
        self.core.answered("/v1/messages", headers, body, None)
        return self.sent

    def bills(self) -> tuple[Entry, ...]:
        bills = Bills(bills_beside(self.store))
        try:
            return bills.of()
        finally:
            bills.close()

    def texts(self) -> list[str]:
        return [
            block["content"]
            for message in self.sent["messages"]
            if isinstance(message["content"], list)
            for block in message["content"]
            if block["type"] == "tool_result"
        ]


def far(folder: Path, **means: Any) -> Agent:
    """The agent has a read of a.py so far from the end that a change of it has to wait."""
    agent = Agent(folder, **means)
    agent.file("a.py", LINES[:8])
    agent.file("b.py")
    agent.read("a.py")
    agent.send()
    for _ in range(4):
        agent.read("b.py")
        agent.send()
    return agent
