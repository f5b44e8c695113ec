"""Whatever agents, users and other hands do to a small repository: what goes on is true of it.

An oracle that shares no code with statetape compares each outgoing request with the disk. Each
differs from the agent's own, and from the one before, only in slots that the store declares.
"""

import importlib.util
import json
import random
import sqlite3
import sys
from collections.abc import Callable, Iterator
from copy import deepcopy
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from statetape.shim.checkout import Checkout
from statetape.shim.core import Core

NAMES = ["a.py", "b.py", "lib/c.py", "notes.md", "d.js"]
TOOLS = [{"name": name} for name in ("Read", "Edit", "Write", "Bash")]
Called = tuple[str, dict[str, Any], str]
Messages = list[dict[str, Any]]


def loaded(file: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(f"shim_{file.stem}", file)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


oracle = loaded(Path(__file__).parents[1] / "clients" / "oracle.py")


class World:
    """A repository, an agent that works on it, and a core in between; each action is random."""

    def __init__(self, folder: Path, seed: int) -> None:
        self.random = random.Random(seed)  # noqa: S311
        self.repo = folder / "repo"
        (self.repo / "lib").mkdir(parents=True)
        for name in NAMES:
            (self.repo / name).write_text(self.source())
        self.store = folder / "state" / "changes.sqlite"
        self.rewriting = seed % 2 == 1
        self.core = self.started()
        self.messages: Messages = [{"role": "user", "content": "go"}]
        self.other: Messages = []
        self.session = "s"
        self.count = 0
        self.seen: dict[str, tuple[str, str]] = {}
        self.last: tuple[Messages, Messages, dict[tuple[str, ...], str]] = ([], [], {})

    def started(self) -> Core:
        given: dict[str, Any] = {"repo": self.repo, "store": self.store, "policy": "default"}
        return Core(rewrite_inputs=self.rewriting, **given)

    def source(self) -> str:
        functions = [
            f"def {name}(x):\n    y = x + {self.random.randint(0, 5)}\n    return f(y) * 2\n"
            for name in self.random.sample("fghk", self.random.randint(1, 4))
        ]
        return "\n\n".join(functions)

    # What the agent calls, with the result that the tool would give.

    def read(self, file: Path) -> Called:
        if not file.is_file():
            return "Read", {"file_path": str(file)}, "<tool_use_error>File does not exist."
        lines = file.read_text().split("\n")
        first = self.random.choice([1, 1, self.random.randint(1, len(lines))])
        limit = self.random.choice([None, 2, 5])
        shown = lines[first - 1 : limit and first - 1 + limit]
        asked = {"file_path": str(file), "offset": first, **({"limit": limit} if limit else {})}
        return "Read", asked, "\n".join(f"{n}\t{line}" for n, line in enumerate(shown, first))

    def edit(self, file: Path) -> Called:
        text = file.read_text() if file.is_file() else ""
        lines = [line for line in text.split("\n") if line.strip() and text.count(line) == 1]
        if not lines:
            return self.write(file)
        old = self.random.choice(lines)
        new = self.random.choice([old + "  # new", f"{old}\n    z = 1", "", f"# above\n{old}"])
        file.write_text(text.replace(old, new))
        asked = {"file_path": str(file), "old_string": old, "new_string": new}
        return "Edit", asked, f"The file {file} has been updated successfully."

    def write(self, file: Path) -> Called:
        text = self.source()
        file.write_text(text)
        return "Write", {"file_path": str(file), "content": text}, f"File created at: {file}"

    def bash(self, file: Path) -> Called:
        name, there = file.relative_to(self.repo), file.is_file()
        kind = self.random.choice(["pytest -q", "make", "rm -f", "mv", *["cat", "sed"] * there])
        if kind == "pytest -q":
            return "Bash", {"command": kind}, f"{self.random.randint(0, 9)} passed"
        if kind == "cat":
            return "Bash", {"command": f"cat {name}"}, file.read_text().rstrip("\n")
        if kind == "make":
            self.outside(file)
        elif kind == "sed":
            kind = "sed -i s/return/return 1 +/"
            file.write_text(file.read_text().replace("return", "return 1 +"))
            return "Bash", {"command": f"sed -i 's/return/return 1 +/g' {name}"}, ""
        elif kind == "rm -f":
            file.unlink(missing_ok=True)
        elif there:
            file.rename(self.repo / self.random.choice(NAMES))
        return "Bash", {"command": f"{kind} {name}"}, ""

    def outside(self, file: Path) -> None:
        lines = file.read_text().split("\n") if file.is_file() else []
        if not lines or self.random.random() < 0.3:
            file.write_text(self.source())
        elif self.random.random() < 0.2:
            file.unlink()
        else:
            at = self.random.randrange(len(lines))
            lines[at : at + 1] = self.random.choice([[], [lines[at] + " #"], ["# in", lines[at]]])
            file.write_text("\n".join(lines))

    # What a conversation does.

    def said(self, text: str = "on") -> None:
        self.count += 1
        self.messages.append({"role": "assistant", "content": f"ok {self.count}"})
        self.messages.append({"role": "user", "content": text})

    def called(self, *calls: Called) -> None:
        uses, results = [], []
        for tool, asked, text in calls:
            self.count += 1
            name = f"toolu_{self.count}"
            uses.append({"type": "tool_use", "id": name, "name": tool, "input": asked})
            results.append({"type": "tool_result", "tool_use_id": name, "content": text})
        self.messages.append({"role": "assistant", "content": uses})
        self.messages.append({"role": "user", "content": results})

    def parallel(self, file: Path) -> None:
        some = [self.repo / name for name in self.random.sample(NAMES, 2)]
        self.called(self.read(file), self.read(some[0]), self.edit(file), self.read(some[1]))

    def cut(self) -> Messages:
        return deepcopy(self.messages[: self.random.randrange(len(self.messages)) // 2 * 2 + 1])

    def rewind(self, _: Path) -> None:
        self.other, self.messages = self.messages, self.cut()
        self.said("rewound")

    def back(self, _: Path) -> None:
        if self.other:
            self.other, self.messages = self.messages, deepcopy(self.other)
        self.said("back")

    def sub_agent(self, file: Path) -> None:
        mine, last = self.messages, self.last
        self.messages = self.cut()
        self.said("a sub-agent without a key of its own")
        self.send()
        self.called(self.edit(file))
        self.send()
        self.messages, self.last = mine, last
        self.said()

    def fork(self, _: Path) -> None:
        self.session += "+"
        self.said()

    def restart(self, file: Path) -> None:
        self.core.close()
        if self.random.random() < 0.5:
            self.outside(file)
        self.core = self.started()
        self.said()

    def compact(self, _: Path) -> None:
        self.messages = [{"role": "user", "content": f"a summary {self.count}"}]

    def other_hand(self, file: Path) -> None:
        self.outside(file)
        self.said()

    # What must hold of each request.

    def send(self) -> None:
        system = f" - Primary working directory: {self.repo}\n"
        asks = {"model": "m", "system": system, "tools": TOOLS, "messages": self.messages}
        headers = {"x-claude-code-session-id": self.session}
        body = json.dumps(asks).encode()
        out = self.core.maintained("/v1/messages", headers, body)
        self.core.answered("/v1/messages", headers, body, None)
        assert oracle.stale(out, self.repo, self.seen) == []
        assert not self.rewriting or oracle.stale_inputs(out, self.repo) == []
        sent, rows = json.loads(out)["messages"], self.rows()
        texts = set(rows.values())
        for own, other in differing(self.messages, sent):
            if own["type"] == "tool_use":
                assert {**own, "input": other["input"]} == other
                values = ((own["input"][name], text) for name, text in other["input"].items())
                assert all(text in (value, "", *texts) for value, text in values)
            else:
                assert {**own, "content": other["content"]} == other
                assert other["content"] in texts
        messages, before, known = self.last
        same = next(
            (n for n, (a, b) in enumerate(zip(messages, self.messages, strict=False)) if a != b),
            min(len(messages), len(self.messages)),
        )
        declared = {key[1] for key, text in rows.items() if known.get(key) != text}
        for block, _ in differing(before[:same], sent[:same]):
            assert block.get("tool_use_id", block.get("id")) in declared
        self.last = deepcopy(self.messages), sent, rows

    def rows(self) -> dict[tuple[str, ...], str]:
        database = sqlite3.connect(self.store)
        found = database.execute("SELECT hex(chain), id, side, text FROM changes").fetchall()
        database.close()
        return {(chain, name, side): text for chain, name, side, text in found}


def differing(ours: Messages, theirs: Messages) -> Iterator[tuple[dict[str, Any], dict[str, Any]]]:
    for one, other in zip(ours, theirs, strict=True):
        if one != other:
            pairs = zip(one["content"], other["content"], strict=True)
            yield from (pair for pair in pairs if pair[0] != pair[1])


ACTIONS: dict[str, Callable[[World, Path], None]] = {
    "read": lambda world, file: world.called(world.read(file)),
    "edit": lambda world, file: world.called(world.edit(file)),
    "write": lambda world, file: world.called(world.write(file)),
    "bash": lambda world, file: world.called(world.bash(file)),
    "bash again": lambda world, file: world.called(world.bash(file)),
    "parallel": World.parallel,
    "other hand": World.other_hand,
    "rewind": World.rewind,
    "back": World.back,
    "sub-agent": World.sub_agent,
    "fork": World.fork,
    "restart": World.restart,
    "compact": World.compact,
}
ACTED = st.tuples(st.sampled_from(sorted(ACTIONS)), st.sampled_from(NAMES))


@settings(max_examples=25, suppress_health_check=list(HealthCheck))
@example(
    # The lines of the last `cat` still stand, but no more in one run.
    acted=[("edit", "a.py"), ("bash", "a.py"), ("bash", "b.py"), ("restart", "b.py")],
    seed=2,
)
@given(acted=st.lists(ACTED, min_size=4, max_size=16), seed=st.integers(0, 10**6))
def test_nothing_stale_goes_on_and_nothing_changes_undeclared(
    tmp_path_factory: pytest.TempPathFactory, acted: list[tuple[str, str]], seed: int
) -> None:
    heard = Checkout.catch_up
    world = World(tmp_path_factory.mktemp("world"), seed)
    with pytest.MonkeyPatch.context() as patch:
        # Other hands are heard of within milliseconds, the oracle asks at once.
        patch.setattr(Checkout, "catch_up", lambda it, named=(), **_: heard(it, named, ran=True))
        try:
            world.send()
            for action, name in acted:
                ACTIONS[action](world, world.repo / name)
                world.send()
        finally:
            world.core.close()
