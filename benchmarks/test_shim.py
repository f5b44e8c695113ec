"""What the core of the shim adds to a request, and whether the size of the repository matters.

A made-up session on a made-up repository: the agent reads files until its history has 700 kB, then
reads and edits in turn. Each figure is the median over the requests of the second part, in wall
time, since part of it is spent waiting for the disk.
"""

import json
import statistics
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from statetape.shim.core import Core

RATIOS: list[str] = []
HEADERS = {"x-claude-code-session-id": "bench"}
TOOLS = [
    {"name": name, "description": "What it does. " * 150, "input_schema": {"type": "object"}}
    for name in ("Read", "Edit", "Write", "Bash", "Grep", "Glob")
]
HISTORY = 700_000
EDITS = 25


@pytest.fixture(scope="module", autouse=True)
def _ratios() -> Iterator[None]:
    yield
    print("\n\n" + "\n".join(RATIOS))  # noqa: T201 -- the figures are the point


def source(number: int) -> str:
    """A module of some 6 kB that calls its neighbour."""
    other = f"pkg.part{number // 100}.m{max(number - 1, 0)}"
    parts = [f"from {other} import work0 as before\n\nLIMIT = {number}\n"]
    parts += [
        f"\n\ndef work{n}(values: list[int], scale: int = {n}) -> int:\n"
        f'    """Step {n} of module {number}."""\n'
        f"    total = before(values) if scale else LIMIT\n"
        f"    for value in values:\n"
        f"        total += value * scale\n"
        f"    return total\n"
        for n in range(24)
    ]
    return "".join(parts)


class Agent:
    """An agent in a repository of some files, and its history as it sends it."""

    def __init__(self, folder: Path, files: int) -> None:
        self.root = folder / "repo"
        for number in range(files):
            path = self.path(number)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(source(number))
        (self.root / ".git").mkdir()
        self.messages: list[dict[str, Any]] = [{"role": "user", "content": "Go on."}]
        self.size = 0

    def path(self, number: int) -> Path:
        return self.root / "pkg" / f"part{number // 100}" / f"m{number}.py"

    def called(self, tool: str, result: str, **given: Any) -> None:
        name = f"t{len(self.messages)}"
        use = {"type": "tool_use", "id": name, "name": tool, "input": given}
        answer = {"type": "tool_result", "tool_use_id": name, "content": result}
        self.messages += [
            {"role": "assistant", "content": [use]},
            {"role": "user", "content": [answer]},
        ]
        self.size += len(result) + 200

    def reads(self, number: int) -> None:
        lines = self.path(number).read_text().split("\n")
        shown = "\n".join(f"{n}\t{line}" for n, line in enumerate(lines, 1))
        self.called("Read", shown, file_path=str(self.path(number)))

    def edits(self, number: int, step: int) -> None:
        text = self.path(number).read_text()
        old = f"def work{step % 24}(values: list[int], scale: int = {step % 24})"
        new = old.replace("scale", f"scale{step}")
        self.path(number).write_text(text.replace(old, new))
        given = {"file_path": str(self.path(number)), "old_string": old, "new_string": new}
        self.called("Edit", f"The file {self.path(number)} has been updated.", **given)

    def body(self) -> bytes:
        system = f" - Primary working directory: {self.root}\n"
        asks = {"model": "m", "stream": True, "system": system, "tools": TOOLS}
        return json.dumps({**asks, "messages": self.messages}).encode()


def latencies(folder: Path, files: int) -> tuple[list[float], int]:
    """Seconds of each request of the second part, and the bytes of the last one."""
    agent = Agent(folder, files)
    core = Core(repo=None, policy="default", rewrite_inputs=False, store=folder / "s.sqlite")
    while agent.size < HISTORY:
        agent.reads(len(agent.messages) // 2 % files)
        core.maintained("/v1/messages", HEADERS, agent.body())
    spent = []
    for step in range(EDITS):
        if step % 2:
            agent.edits(step, step)
        else:
            agent.reads(100 + step)
        body = agent.body()
        begun = time.perf_counter()
        core.maintained("/v1/messages", HEADERS, body)
        spent.append(time.perf_counter() - begun)
    core.close()
    return spent, len(body)


def test_own_work_on_a_long_history(benchmark: Any, tmp_path: Path) -> None:
    """Own work per request on 700 kB of history, in repositories of three sizes."""
    found = {}
    for files in (1_000, 10_000, 30_000):
        folder = tmp_path / str(files)
        folder.mkdir()
        found[files] = latencies(folder, files)
    base = statistics.median(found[1_000][0])
    for files, (spent, size) in found.items():
        median, ninety = statistics.median(spent), sorted(spent)[int(len(spent) * 0.9)]
        RATIOS.append(
            f"own work on {size / 1e3:.0f} kB, {files:6} files: p50 {median * 1e3:5.1f} ms, "
            f"p90 {ninety * 1e3:5.1f} ms, {median / base:.2f} x that of 1000 files"
        )
    benchmark.pedantic(lambda: None, rounds=1)
