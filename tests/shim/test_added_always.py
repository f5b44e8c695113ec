"""Whatever agents, users and other hands do: what was brought in is true, and stays where it is.

The world is that of `test_always_true`, with a policy that asks for random lines at each request.
What is added is cut off each request and read by an oracle of its own; the rest must hold as
without it.
"""

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.shim.feeding import Wish, feeding, region
from tests.shim.test_always_true import ACTED, ACTIONS, NAMES, World

from statetape.policies import POLICIES
from statetape.shim.checkout import Checkout
from statetape.shim.core import Core

MARKS = ("\n[statetape: code that may", "\n[statetape: dropped code brought in from ")
HEADING = re.compile(r"(\S+) (\d+)-(\d+)(?:, .+)? \(dependency: called\)")
ROW = re.compile(r" *(\d+)(?:\t|→)(.*)")


class Fed(World):
    """It gets code that it did not ask for."""

    def __init__(self, folder: Path, seed: int, wish: Wish) -> None:
        self.wish = wish
        self.sent: dict[tuple[str, str], bool] = {}
        self.brought = 0
        super().__init__(folder, seed)

    def started(self) -> Core:
        given: dict[str, Any] = {"repo": self.repo, "store": self.store, "policy": "feeding"}
        core = Core(rewrite_inputs=self.rewriting, **given)
        maintained = core.maintained

        def cut(path: str, headers: Mapping[str, str], body: bytes) -> bytes:
            return self.without_added(maintained(path, headers, body))

        core.maintained = cut  # type: ignore[method-assign]
        return core

    def send(self) -> None:
        names = self.random.choices(NAMES, k=self.random.choice([0, 1, 3]))
        self.wish.regions = tuple(
            region(name, first, first + self.random.randint(0, 6))
            for name in names
            for first in [self.random.randint(1, 12)]
        )
        super().send()

    def without_added(self, out: bytes) -> bytes:
        asks = json.loads(out)
        texts = {key[1:]: text for key, text in self.rows().items()}
        before = ""
        for own, message in zip(self.messages, asks["messages"], strict=True):
            before += json.dumps(own)
            for block in message["content"] if isinstance(message["content"], list) else ():
                if block["type"] == "tool_result":
                    self.cut_off(block, before, texts)
        return json.dumps(asks).encode()

    def cut_off(
        self, block: dict[str, Any], before: str, texts: Mapping[tuple[str, ...], str]
    ) -> None:
        """One result: what stands behind it is true, declared, and was there from the first."""
        name, content = block["tool_use_id"], block["content"]
        at = max(content.rfind(mark) for mark in MARKS)
        assert self.sent.setdefault((before, name), at >= 0) == (at >= 0)
        if at >= 0:
            added = content[at + 1 :]
            assert texts[name, "added"] == added
            self.is_true(added)
            block["content"] = content[:at]
            self.brought += 1

    def is_true(self, added: str) -> None:
        first, *rows = added.split("\n")
        if first.startswith(MARKS[1][1:]):
            assert not rows
            return
        if rows[-1].startswith("[statetape: shown as it is now"):
            rows.pop()
        assert rows
        while rows:
            heading = HEADING.fullmatch(rows.pop(0))
            assert heading is not None
            numbers = range(int(heading[2]), int(heading[3]) + 1)
            found = [ROW.fullmatch(row) for row in rows[: len(numbers)]]
            del rows[: len(numbers)]
            assert [int(row[1]) for row in found if row] == list(numbers)
            text = "\n".join(row[2] for row in found if row)
            assert f"\n{text}\n" in f"\n{(self.repo / heading[1]).read_text()}\n"


@settings(max_examples=20, deadline=None, suppress_health_check=list(HealthCheck))
@given(acted=st.lists(ACTED, min_size=4, max_size=14), seed=st.integers(0, 10**6))
def test_what_was_brought_in_is_true_and_stays(
    tmp_path_factory: pytest.TempPathFactory, acted: list[tuple[str, str]], seed: int
) -> None:
    wish, heard = Wish(), Checkout.catch_up
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(POLICIES, "feeding", feeding(wish))
        patch.setattr(Checkout, "catch_up", lambda it, named=(), **_: heard(it, named, ran=True))
        world = Fed(tmp_path_factory.mktemp("world"), seed, wish)
        try:
            world.send()
            for action, name in acted:
                ACTIONS[action](world, world.repo / name)
                world.send()
        finally:
            world.core.close()


def test_the_world_does_get_code(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    wish = Wish()
    monkeypatch.setitem(POLICIES, "feeding", feeding(wish))
    world = Fed(tmp_path, 2, wish)
    world.send()
    for _ in range(6):
        world.called(world.read(world.repo / "a.py"))
        world.send()
    world.core.close()
    assert world.brought > 5
