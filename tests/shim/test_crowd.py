"""Many at once, and much at once: the real core behind the proxy holds nobody up."""

import asyncio
import json
import threading
from pathlib import Path
from typing import Any

import pytest

from statetape.policies import POLICIES
from statetape.shim.core import Core

SOURCE = "def f():\n    return 1\n"
READ = "1\tdef f():\n2\t    return 1\n3\t"
TOOLS = [{"name": name} for name in ("Read", "Edit", "Bash")]


def body(repo: Path, name: str, turns: int = 0, padding: str = "") -> bytes:
    """A conversation of its own by its name, in which a.py was read; so many turns ago."""
    use = {"type": "tool_use", "id": "t1", "name": "Read", "input": {"file_path": "a.py"}}
    messages: list[dict[str, Any]] = [
        {"role": "user", "content": f"{name} {padding}"},
        {"role": "assistant", "content": [use]},
        {
            "role": "user",
            "content": [{"type": "tool_result", "tool_use_id": "t1", "content": READ}],
        },
    ]
    for turn in range(turns):
        messages.append({"role": "assistant", "content": f"did {turn}"})
        messages.append({"role": "user", "content": "and now?"})
    system = f" - Primary working directory: {repo}\n"
    asks = {"model": "m", "system": system, "tools": TOOLS, "messages": messages}
    return json.dumps(asks).encode()


def repositories(folder: Path, count: int) -> list[Path]:
    found = [folder / f"repo{number}" for number in range(count)]
    for repo in found:
        (repo / ".git").mkdir(parents=True)
        (repo / "a.py").write_text(SOURCE)
    return found


def core(folder: Path) -> Core:
    return Core(repo=None, policy="default", rewrite_inputs=False, store=folder / "state" / "db")


@pytest.mark.parametrize("count", [1, 5])
async def test_fifty_conversations_at_once(shim: Any, tmp_path: Path, count: int) -> None:
    repos = repositories(tmp_path, count)
    mine = core(tmp_path)
    async with shim(mine, deadline=60) as running:
        for turn in range(3):
            for repo in repos:
                (repo / "a.py").write_text(SOURCE.replace("1", str(turn + 1)))
            asks = [body(repos[n % count], str(n), turn) for n in range(50)]
            await asyncio.gather(
                *(
                    running.post(ask, **{"x-claude-code-session-id": f"s{n}"})
                    for n, ask in enumerate(asks)
                )
            )
        state = await running.insight.state()
    sent = [json.loads(one.body)["messages"] for one in running.upstream.seen]
    assert len(sent) == 150
    for messages in sent:
        turn = (len(messages) - 3) // 2
        text = messages[2]["content"][0]["content"]
        assert text == READ if turn == 0 else f"return {turn + 1}" in text
        assert messages[0]["content"].strip().isdigit()
    assert state["core"]["conversations"] == 50
    assert not state["proxy"]["passed"]
    mine.close()


async def test_three_megabytes_are_changed_in_one_place(shim: Any, tmp_path: Path) -> None:
    (repo,) = repositories(tmp_path, 1)
    mine = core(tmp_path)
    padding = "é\U0001f600 " * 400_000
    async with shim(mine, deadline=60) as running:
        await running.post(body(repo, "large", 0, padding))
        (repo / "a.py").write_text(SOURCE.replace("1", "2"))
        asked = body(repo, "large", 1, padding)
        await running.post(asked)
    first, second = (one.body for one in running.upstream.seen)
    assert first == body(repo, "large", 0, padding)
    new = json.loads(second)["messages"][2]["content"][0]["content"]
    assert "return 2" in new
    assert second == asked.replace(json.dumps(READ).encode(), json.dumps(new).encode())
    mine.close()


async def test_a_policy_that_hung_is_caught_up_with(
    shim: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (repo,) = repositories(tmp_path, 1)
    go_on, real = threading.Event(), POLICIES["default"]

    def hanging(situation: Any) -> Any:
        go_on.wait(60)
        return (yield from real(situation))

    mine = core(tmp_path)
    async with shim(mine, deadline=60) as running:
        await running.post(body(repo, "x"))
    monkeypatch.setitem(POLICIES, "default", hanging)
    mine.close()
    mine = core(tmp_path)
    async with shim(mine, deadline=0.2) as running:
        (repo / "a.py").write_text(SOURCE.replace("1", "2"))
        await running.post(body(repo, "x", 1))
        await running.post(body(repo, "x", 2))
        assert [one.body for one in running.upstream.seen] == [body(repo, "x", n) for n in (1, 2)]
        go_on.set()
        while "return 1" in json.dumps(json.loads(running.upstream.seen[-1].body)["messages"][2]):
            await running.post(body(repo, "x", 3))
    mine.close()


async def test_a_store_that_is_locked_from_the_start_holds_nobody_up(
    shim: Any, tmp_path: Path
) -> None:
    import sqlite3

    repos = repositories(tmp_path, 2)
    mine = core(tmp_path)
    async with shim(mine, deadline=60) as running:
        await running.post(body(repos[0], "x"))
        held = sqlite3.connect(tmp_path / "state" / "db", isolation_level=None)
        held.execute("BEGIN EXCLUSIVE")
        mine.close()
        asks = [body(repos[n % 2], str(n)) for n in range(4)]
        await asyncio.gather(*(running.post(ask, session_id=ask[-40:].hex()) for ask in asks))
        held.execute("ROLLBACK")
        held.close()
        for n in range(4):
            (repos[n % 2] / "a.py").write_text(SOURCE.replace("1", "2"))
            await running.post(body(repos[n % 2], str(n), 1))
    sent = [one.body for one in running.upstream.seen]
    assert sorted(sent[1:5]) == sorted(asks)
    assert all(b"return 1" not in one for one in sent[5:])
    mine.close()
