"""Hostile JSON in the midst of a conversation that is maintained, and a store that is read-only."""

import json
import sqlite3
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from statetape.shim.core import Core
from statetape.store import state as store_state
from statetape.store.state import opened

SOURCE = "def f():\n    return 1\n"
SHOWN = "1\\tdef f():\\n2\\t    return 1\\n3\\t"
DEEP = 50_000
HOSTILE = {
    "deep lists": "[" * DEEP + "]" * DEEP,
    "deep objects": '{"a":' * DEEP + "1" + "}" * DEEP,
    "half a pair": '"\\ud800 \\udc00"',
    "keys twice": '{"file_path": "a.py", "file_path": ["b.py"], "": null, "": 1}',
    "large numbers": "[1e999, -0, " + "9" * 5_000 + ", 0.1e-999, 1E+2]",
    "a long text": '"' + "x\\n" * 700_000 + '"',
    "many keys": "{" + ",".join(f'"k{n}": {n}' for n in range(20_000)) + "}",
    "zero": '"\\u0000\\u2028"',
    "nothing": "null",
}
# Where it stands: in an input, as an input, as a block, in a result, or in the request.
REQUEST = """{{"model": "m", "tools": [{{"name": "Read"}}, {{"name": "Edit"}}, {{"name": "Bash"}}],
"system": " - Primary working directory: {repo}\\n", "x": {field}, "messages": [
{{"role": "user", "content": "go"}}, {{"role": "assistant", "content": [
 {{"type": "tool_use", "id": "a", "name": "Read", "input": {{"file_path": "a.py"}}}},
 {{"type": "tool_use", "id": "b", "name": "Read",
  "input": {{"file_path": "a.py", "limit": {part}}}}},
 {{"type": "tool_use", "id": "c", "name": "Bash", "input": {whole}}}, {block}]}},
{{"role": "user", "content": [
 {{"type": "tool_result", "tool_use_id": "a", "content": "{shown}"}},
 {{"type": "tool_result", "tool_use_id": "b", "content": "{shown}"}},
 {{"type": "tool_result", "tool_use_id": "c", "content": [{{"type": "text", "text": {result}}}]}}]}}
{more}]}}"""
MORE = ', {"role": "assistant", "content": "ok"}, {"role": "user", "content": "on"}'
PLACES = ("field", "part", "whole", "block", "result")


class Case:
    """A repository with one file that an agent has read, and a core in front of it."""

    def __init__(self, folder: Path) -> None:
        self.repo = folder / "repo"
        self.repo.mkdir()
        self.file = self.repo / "a.py"
        self.file.write_text(SOURCE)
        self.store = folder / "state" / "changes.sqlite"

    def core(self) -> Core:
        return Core(repo=self.repo, policy="default", rewrite_inputs=True, store=self.store)

    def body(self, more: str = "", **hostile: str) -> bytes:
        given = {"field": "1", "part": "5", "whole": '{"command": "true"}', "result": '"x"'}
        given |= {"block": '{"type": "text", "text": "x"}'} | hostile
        return REQUEST.format(repo=self.repo, shown=SHOWN, more=more, **given).encode()


@pytest.fixture
def case(tmp_path: Path) -> Case:
    return Case(tmp_path)


@pytest.mark.parametrize("place", PLACES)
async def test_it_goes_on_and_the_rest_is_maintained(shim: Any, case: Case, place: str) -> None:
    async with shim(case.core(), deadline=60) as running:
        for number, text in enumerate(HOSTILE.values()):
            hostile = {place: text}
            now = SOURCE.replace("1", str(number + 1))
            await running.post(case.body(**hostile))
            case.file.write_text(now)
            body = case.body(MORE, **hostile)
            assert await running.post(body) == b"{}"
            sent = running.upstream.seen[-1].body
            assert text.encode() in sent
            case.file.write_text(SOURCE)
        state = await running.insight.state()
    assert set(state["proxy"]["passed"]) <= {"core error WireError"}
    assert state["core"]["changes"].get("refresh", 0) > 2


async def test_a_store_that_is_read_only_passes_all_through(
    shim: Any, case: Case, monkeypatch: pytest.MonkeyPatch
) -> None:
    def read_only(path: Path, migrations: Sequence[str]) -> sqlite3.Connection:
        connection = opened(path, migrations)
        connection.execute("PRAGMA query_only = 1")
        return connection

    monkeypatch.setattr(store_state, "opened", read_only)
    async with shim(case.core(), deadline=60) as running:
        for number in range(3):
            case.file.write_text(SOURCE.replace("1", str(number)))
            assert await running.post(case.body(MORE * number)) == b"{}"
        state = await running.insight.state()
    assert [json.loads(one.body) for one in running.upstream.seen] == [
        json.loads(case.body(MORE * number)) for number in range(3)
    ]
    assert set(state["proxy"]["passed"]) == {"core error StoreError"}
