"""Code that is brought in through the proxy: on all three wires, over restarts, as it changes."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.shim.feeding import Wish, feeding, region
from tests.shim.spending import Agent

from statetape.economics.account import Terms
from statetape.policies import POLICIES
from statetape.shim.billing import Means
from statetape.shim.core import Core

SOURCE = "def f():\n    return g()\n\n\ndef g():\n    return 1\n"
ADDED = (
    "\n[statetape: code that may be needed for what comes next]\n"
    "lib.py 5-6, g (dependency: called)\n"
    "     5\tdef g():\n"
    "     6\t    return 1"
)
G = region("lib.py", 5, 6, "g")
EAGER: dict[str, Any] = {"terms": Terms(maintain="eager"), "edits": "free"}


@pytest.fixture
def wish(monkeypatch: pytest.MonkeyPatch) -> Wish:
    """What the policy `feeding` wishes for; nothing at first."""
    asked = Wish()
    monkeypatch.setitem(POLICIES, "feeding", feeding(asked))
    return asked


class Fed(Agent):
    """An agent whose core brings code in."""

    def started(self) -> Core:
        return Core(
            repo=self.folder,
            policy="feeding",
            rewrite_inputs=False,
            store=self.store,
            means=self.means,
        )

    def again(self) -> None:
        self.core.close()
        self.core = self.started()


@pytest.fixture
def agent(tmp_path: Path, wish: Wish, clock: None) -> Iterator[Fed]:  # noqa: ARG001
    made = Fed(tmp_path, **EAGER)
    (made.folder / "lib.py").write_text(SOURCE)
    made.send()
    yield made
    made.core.close()


def test_it_goes_behind_the_result_that_was_never_sent_and_stays(agent: Fed, wish: Wish) -> None:
    agent.talk("first")
    agent.send()
    wish.regions = (G,)
    agent.talk("second")
    agent.send()
    assert agent.texts() == ["first", "second" + ADDED]
    agent.talk("third")
    agent.send()
    assert agent.texts() == ["first", "second" + ADDED, "third"]
    assert agent.core.state()["changes"] == {"retrieve": 1}
    assert agent.core.state()["brought_in"]["regions"] == 1
    assert wish.asked == 4


def test_every_other_byte_is_the_clients(agent: Fed, wish: Wish) -> None:
    wish.regions = (G,)
    agent.talk('say "é" \t \u2028 and 😀')
    body = agent.body()
    out = agent.core.maintained("/v1/messages", {"x-claude-code-session-id": "s1"}, body)
    old = json.dumps(agent.messages[-1]["content"][0]["content"]).encode()
    assert body.count(old) == 1
    text = agent.messages[-1]["content"][0]["content"] + ADDED
    assert out == body.replace(old, json.dumps(text, ensure_ascii=False).encode())


def test_where_there_is_no_such_result_the_policy_is_asked_again(agent: Fed, wish: Wish) -> None:
    wish.regions = (G,)
    agent.send()
    assert agent.core.state()["changes"] == {}
    agent.talk("now")
    agent.send()
    assert agent.texts() == ["now" + ADDED]


def test_it_is_refreshed_when_its_file_is_written_and_the_result_keeps_its_text(
    agent: Fed, wish: Wish
) -> None:
    wish.regions = (G,)
    agent.talk("first")
    agent.send()
    wish.regions = ()
    agent.edit("lib.py", "return 1", "return 2")
    agent.send()
    (first, _) = agent.texts()
    assert first.startswith("first\n[statetape: code")
    assert "     6\t    return 2\n[statetape: shown as it is now" in first
    assert "return 1" not in first
    (agent.folder / "lib.py").unlink()
    agent.talk("second")
    agent.send()
    first = agent.texts()[0]
    assert first.startswith("first\n[statetape: dropped code brought in from lib.py: ")
    assert agent.core.state()["changes"] == {"retrieve": 1, "refresh": 1, "drop": 1}


def test_a_note_and_what_is_brought_in_share_a_result(
    tmp_path: Path,
    wish: Wish,
    clock: None,  # noqa: ARG001
) -> None:
    means: dict[str, Any] = {"terms": Terms(maintain="paying", limit=9.0, cap=99.0)}
    agent = Fed(tmp_path, notes=120, **means)
    agent.file("a.py", [f"def f{n}():\n    return {n}  # {'word ' * 12}" for n in range(8)])
    agent.file("b.py")
    (agent.folder / "lib.py").write_text(SOURCE)
    agent.read("a.py")
    agent.send()
    for _ in range(4):
        agent.read("b.py")
        agent.send()
    path = agent.folder / "a.py"
    path.write_text(path.read_text().replace("return 3 ", "return 33 "))
    wish.regions = (G,)
    agent.talk("some words")
    agent.send()
    told = agent.texts()[-1]
    assert told.startswith("some words\n[statetape: not as shown above")
    assert told.endswith(ADDED.replace("     5\t", "5\t").replace("     6\t", "6\t"))
    agent.again()
    agent.talk("other words")
    agent.send()
    assert agent.texts()[-2] == told
    agent.core.close()


@pytest.mark.parametrize("refreshed", [False, True])
def test_after_a_restart_the_same_bytes_go_out_and_it_is_tracked(
    agent: Fed,
    wish: Wish,
    refreshed: bool,  # noqa: FBT001
) -> None:
    wish.regions = (G,)
    agent.talk("first")
    agent.send()
    wish.regions = ()
    if refreshed:
        agent.edit("lib.py", "return 1", "return 2")
        agent.send()
    text = agent.texts()[0]
    agent.again()
    agent.talk("second")
    agent.send()
    assert agent.texts()[0] == text
    last = "return 2" if refreshed else "return 1"
    agent.edit("lib.py", last, "return 3")
    agent.send()
    assert agent.texts()[0].startswith("first\n")
    assert "return 3" in agent.texts()[0]
    assert last not in agent.texts()[0]


def test_what_changed_while_nobody_followed_is_stale_and_goes(agent: Fed, wish: Wish) -> None:
    wish.regions = (G,)
    agent.talk("first")
    agent.send()
    wish.regions = ()
    agent.core.close()
    (agent.folder / "lib.py").write_text(SOURCE.replace("return 1", "return 2"))
    agent.core = agent.started()
    agent.talk("second")
    agent.send()
    (first, _) = agent.texts()
    assert first.startswith("first\n[statetape: dropped code brought in from lib.py: ")


def test_a_request_that_is_only_repeated_has_it_too(agent: Fed, wish: Wish) -> None:
    wish.regions = (G,)
    agent.talk("first")
    agent.send()
    agent.talk("second")
    body = agent.body()
    out = agent.core.repeated("/v1/messages", {"x-claude-code-session-id": "s1"}, body)
    agent.sent = json.loads(out)
    assert agent.texts() == ["first" + ADDED, "second"]


def test_a_rewind_takes_it_back_and_going_on_the_same_way_brings_it(agent: Fed, wish: Wish) -> None:
    wish.regions = (G,)
    agent.talk("first")
    agent.send()
    way = list(agent.messages)
    del agent.messages[1:]
    wish.regions = ()
    agent.talk("another")
    agent.send()
    assert agent.texts() == ["another"]
    agent.messages = way
    agent.send()
    assert agent.texts() == ["first" + ADDED]


@pytest.mark.parametrize(
    "content",
    [
        [{"type": "text", "text": "one"}, {"type": "text", "text": "two"}],
        [{"type": "text", "text": "one"}, {"type": "image", "source": {"data": "aa"}}],
        [{"type": "image", "source": {"data": "aa"}}],
        [],
        None,
    ],
)
def test_a_result_that_is_not_one_text_is_left_as_it_is(
    agent: Fed, wish: Wish, content: Any
) -> None:
    wish.regions = (G,)
    agent.talk("x")
    agent.messages[-1]["content"][0]["content"] = content
    agent.send()
    assert agent.sent["messages"][-1]["content"][0]["content"] == content
    assert agent.core.state()["brought_in"] == {"regions": 0, "tokens": 0}


def test_of_parallel_results_the_last_that_is_one_text_takes_it(agent: Fed, wish: Wish) -> None:
    wish.regions = (G,)
    agent.talk("first")
    agent.talk("second")
    calls, results = agent.messages[-4:-2], agent.messages[-2:]
    del agent.messages[1:]
    agent.messages += [
        {"role": "assistant", "content": calls[0]["content"] + results[0]["content"]},
        {"role": "user", "content": calls[1]["content"] + results[1]["content"]},
    ]
    results[1]["content"][0]["content"] = [{"type": "image", "source": {"data": "aa"}}]
    agent.send()
    texts = agent.texts()
    assert texts[0] == "first" + ADDED


def test_a_reminder_stays_behind_what_is_brought_in(agent: Fed, wish: Wish) -> None:
    wish.regions = (G,)
    reminder = "\n\n<system-reminder>\nbe quick\n</system-reminder>"
    agent.talk("first" + reminder)
    agent.send()
    assert agent.texts() == ["first" + ADDED + reminder]


@pytest.mark.parametrize(
    "path",
    [".git/config", ".env", "link.py", "/etc/passwd", "../secret.py", "repo/../lib.py", "folder"],
)
def test_nothing_is_brought_in_that_the_repository_does_not_list(
    agent: Fed, wish: Wish, path: str
) -> None:
    root = agent.folder
    git = ["git", "-C", str(root), "-c", "init.defaultBranch=main"]
    subprocess.run([*git, "init", "-q"], check=True)
    (root / ".gitignore").write_text(".env\n")
    (root / ".env").write_text("SECRET = 1\n")
    (root.parent / "secret.py").write_text("SECRET = 2\n")
    (root / "folder").mkdir()
    (root / "link.py").symlink_to(root.parent / "secret.py")
    agent.again()
    agent.send()
    wish.regions = (region(path, 1, 1), G)
    agent.talk("first")
    agent.send()
    (text,) = agent.texts()
    assert "SECRET" not in text
    assert "root:" not in text
    assert text.endswith(ADDED.partition("next]")[2])


def test_what_is_brought_in_is_in_the_bill(agent: Fed, wish: Wish) -> None:
    wish.regions = (G, region("lib.py", 1, 2, "f"))
    agent.talk("first")
    agent.send()
    agent.talk("second")
    agent.send()
    _, first, second = agent.bills()
    assert (first.regions, second.regions) == (2, 0)
    assert first.brought > 20
    assert first.added == second.added == first.brought
    assert first.changes == {"retrieve": 1}
    for entry in (first, second):
        assert entry.planned is not None
        assert entry.unmodified is not None
        more = entry.planned.prompt - entry.unmodified.prompt
        assert 0 < more < 2 * first.brought, "what we add is paid for"
    bill = agent.core.state()["bill"]
    assert bill["regions"] == 2
    assert bill["tokens"]["brought_in"] == first.brought


def test_who_has_to_pay_gets_no_more_than_there_is_money_for(
    tmp_path: Path,
    wish: Wish,
    clock: None,  # noqa: ARG001
) -> None:
    agent = Fed(tmp_path)
    agent.file("long.py")
    (agent.folder / "lib.py").write_text(SOURCE)
    agent.send()
    wish.regions = (region("long.py", 1, 120), G)
    agent.talk("first")
    agent.send()
    (text,) = agent.texts()
    assert text.startswith("first")
    assert "long.py 1-120" not in text
    assert "lib.py 5-6" in text
    for number in range(3):
        wish.regions = (region("long.py", 40 * number + 1, 40 * number + 39),)
        agent.talk(f"words {number}")
        agent.send()
    spent, unmodified = (
        sum(usage.prompt for usage in usages)
        for usages in zip(
            *((e.planned, e.unmodified) for e in agent.bills() if e.planned and e.unmodified),
            strict=True,
        )
    )
    assert unmodified < spent <= 1.01 * unmodified
    agent.core.close()


def test_who_never_pays_gets_nothing(
    tmp_path: Path,
    wish: Wish,
    clock: None,  # noqa: ARG001
) -> None:
    agent = Fed(tmp_path, terms=Terms(maintain="never"))
    (agent.folder / "lib.py").write_text(SOURCE)
    agent.send()
    wish.regions = (G,)
    agent.talk("first")
    agent.send()
    assert agent.texts() == ["first"]
    agent.core.close()


RESPONSES = {
    "model": "gpt-5",
    "instructions": "You help.",
    "tools": [{"type": "function", "name": name} for name in ("shell", "update_plan")],
    "input": [
        {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "go"}]},
        {"type": "function_call", "call_id": "c1", "name": "shell", "arguments": "{}"},
        {"type": "function_call_output", "call_id": "c1", "output": "words"},
    ],
}
CHAT: dict[str, Any] = {
    "model": "gpt-5",
    "tools": [{"type": "function", "function": {"name": n}} for n in ("read", "edit", "bash")],
    "messages": [
        {"role": "user", "content": "go"},
        {
            "role": "assistant",
            "tool_calls": [
                {"id": "c1", "type": "function", "function": {"name": "bash", "arguments": "{}"}}
            ],
        },
        {"role": "tool", "tool_call_id": "c1", "content": "words"},
    ],
}


ENVELOPED = {
    **CHAT,
    "tools": [{"type": "function", "function": {"name": "bash"}}],
    "messages": [
        *CHAT["messages"][:2],
        {
            "role": "tool",
            "tool_call_id": "c1",
            "content": json.dumps({"returncode": 0, "output": "words"}),
        },
    ],
}


@pytest.mark.parametrize(
    ("path", "request_"),
    [
        ("/v1/responses", RESPONSES),
        ("/v1/chat/completions", CHAT),
        ("/v1/chat/completions", ENVELOPED),
    ],
    ids=["responses", "chat", "in an envelope"],
)
def test_on_the_other_wires_it_is_the_same(
    tmp_path: Path, wish: Wish, path: str, request_: dict[str, Any]
) -> None:
    folder = tmp_path / "repo"
    folder.mkdir()
    (folder / "lib.py").write_text(SOURCE)
    means = Means(prices=(), **EAGER)
    core = Core(repo=folder, policy="feeding", rewrite_inputs=False,
                store=tmp_path / "state" / "c.sqlite", means=means)  # fmt: skip
    items = "input" if "input" in request_ else "messages"
    begun = json.dumps({**request_, items: request_[items][:1]}).encode()
    assert core.maintained(path, {}, begun) is begun
    wish.regions = (G,)
    body = json.dumps(request_).encode()
    out = core.maintained(path, {}, body)
    old, new = json.dumps("words"), json.dumps("words" + ADDED)
    if request_ is ENVELOPED:  # JSON in a string
        old, new = json.dumps(old)[1:-1], json.dumps(new)[1:-1]
    assert out == body.replace(old.encode(), new.encode())
    core.close()


async def test_through_the_proxy_the_upstream_gets_it(agent: Fed, wish: Wish, shim: Any) -> None:
    headers = {"x_claude_code_session_id": "s1"}
    async with shim(agent.core) as running:
        await running.post(agent.body(), **headers)
        wish.regions = (G,)
        agent.talk("first")
        await running.post(agent.body(), **headers)
        agent.talk("second")
        await running.post(agent.body(), **headers)
        state = await running.insight.state()
        page = await running.insight.answer("/_statetape/metrics")
    begun, one, two = (json.loads(seen.body) for seen in running.upstream.seen)
    assert begun["messages"][0]["content"][0]["text"] == "go"
    for agent.sent in (one, two):
        assert agent.texts()[0] == "first" + ADDED
    assert agent.texts()[1] == "second"
    assert state["core"]["brought_in"]["regions"] == 1
    assert 'statetape_brought_in_total{kind="regions"} 1\n' in page.text


def test_what_came_too_late_is_not_put_behind_what_was_sent(
    tmp_path: Path,
    wish: Wish,
    clock: None,  # noqa: ARG001
) -> None:
    """Where only what was never sent may be changed, it is withdrawn, and comes with the next."""
    agent = Fed(tmp_path, terms=Terms(maintain="eager"), edits="tail")
    (agent.folder / "lib.py").write_text(SOURCE)
    agent.send()
    wish.regions = (G,)
    agent.talk("first")
    body, headers = agent.body(), {"x-claude-code-session-id": "s1"}
    assert agent.core.repeated("/v1/messages", headers, body) is body
    assert ADDED.encode()[1:20] in agent.core.maintained("/v1/messages", headers, body)
    agent.core.passed(body)
    agent.talk("second")
    agent.send()
    agent.talk("third")
    agent.send()
    assert agent.texts()[0] == "first"
    assert sum(text.endswith(ADDED) for text in agent.texts()) == 1
    agent.core.close()


KILLED = """
import os, signal, sys
from pathlib import Path
from tests.shim.feeding import Wish, feeding, region
from tests.shim.test_added import EAGER, G
from statetape.policies import POLICIES
from statetape.pricing import shipped
from statetape.shim.billing import Means
from statetape.shim.core import Core

wish = Wish()
wish.regions = (G,)
POLICIES["feeding"] = feeding(wish)
folder, body = Path(sys.argv[1]), Path(sys.argv[2]).read_bytes()
core = Core(repo=folder / "repo", policy="feeding", rewrite_inputs=False,
            store=folder / "state" / "changes.sqlite", means=Means(prices=shipped(), **EAGER))
headers = {"x-claude-code-session-id": "s1"}
core.maintained("/v1/messages", headers, Path(sys.argv[3]).read_bytes())
out = core.maintained("/v1/messages", headers, body)
sys.stdout.buffer.write(out)
sys.stdout.flush()
os.kill(os.getpid(), signal.SIGKILL)
"""


def test_who_is_killed_when_the_request_leaves_has_kept_it(agent: Fed, wish: Wish) -> None:
    places = [agent.folder.parent / name for name in ("first.json", "second.json")]
    places[0].write_bytes(agent.body())
    agent.talk("first")
    places[1].write_bytes(agent.body())
    folder, *bodies = map(str, (agent.folder.parent, *reversed(places)))
    arguments = [sys.executable, "-c", KILLED, folder, *bodies]
    root = Path(__file__).parents[2]
    path = os.pathsep.join([str(root), str(root / "src")])
    done = subprocess.run(
        arguments, capture_output=True, env={**os.environ, "PYTHONPATH": path}, check=False
    )
    assert done.returncode == -signal.SIGKILL, done.stderr.decode()
    agent.sent = json.loads(done.stdout)
    assert agent.texts() == ["first" + ADDED]
    assert not wish.regions
    agent.talk("second")
    agent.send()
    assert agent.texts() == ["first" + ADDED, "second"]
