"""A model that policies ask, end to end: replays from its cache, the proxy with it and without."""

import json
import threading
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from tests.llm.scripted import Answer, json_answer, never, said, serving
from tests.shim.test_rivals import Live

from statetape.cli import cli
from statetape.cli.managing import Managing
from statetape.economics.account import Terms
from statetape.pricing import prices
from statetape.shim.billing import Means
from statetape.shim.core import Core

EXAMPLE = Path(__file__).parents[2] / "examples" / "config-loader.jsonl"
KINDS = ["anthropic", "openai"]
CALLS = ("callers", {"symbol": "load"})


def plays(*arguments: str) -> Result:
    return CliRunner().invoke(cli, ["replay", str(EXAMPLE), "--policy", "model", *arguments])


def place(kind: str, url: str) -> list[str]:
    return ["--manager-model", "m", "--manager-url", f"{kind}={url}", "--manager-share", "9"]


def rows(text: str) -> tuple[list[list[str]], list[str]]:
    """The nominations of a prompt, and the numbers of other records."""
    lines = text.split("\n")
    at = next(n for n, line in enumerate(lines) if line.startswith("NOMINATED"))
    end = next(n for n, line in enumerate(lines) if line.startswith("HELD"))
    nominated = [line.split(" ") for line in lines[at + 1 : end]]
    return nominated, [line.split(" ")[0] for line in lines[end + 1 :]]


def manager(path: str, body: dict[str, Any]) -> Answer:
    """A model that looks once, then keeps what is to run again and evicts one record."""
    messages = [each for each in body["messages"] if each["role"] != "system"]
    if len(messages) == 1:
        return said(path, "I look.", CALLS)
    content = messages[0]["content"]
    text = content if isinstance(content, str) else content[0]["text"]
    nominated, held = rows(text)
    return said(path, json.dumps({
        "actions": [{"record": row[0], "action": "keep", "reason": "unrelated"}
                    for row in nominated if row[-1] == "rerun"],
        "evict": [{"record": number, "reason": "done"} for number in held[:1]],
        "retrieve": [],
    }))  # fmt: skip


@pytest.mark.parametrize("kind", KINDS)
class TestReplay:
    def test_the_cache_is_filled_once_and_has_all_answers_then(
        self, kind: str, tmp_path: Path
    ) -> None:
        kept = ["--manager-cache", str(tmp_path), "--json"]
        with serving(manager) as server:
            filled = plays(*place(kind, server.url), *kept, "--manager-fill")
            asked = len(server.heard)
            again = plays(*place(kind, server.url), *kept)
            assert len(server.heard) == asked
        assert asked > 10
        (session,) = json.loads(filled.stdout)["sessions"]
        assert session["manager"] == {"asks": asked, "failed": 0, "tokens": asked * 127}
        assert session["actions"]["keep"] > 0
        assert session["actions"]["evict"] > 0
        assert session["tokens"]["stale_sent_policy"] > 0  # what was kept, and nothing else
        assert again.stdout == filled.stdout
        gone = plays(*place(kind, "http://127.0.0.1:9"), *kept)
        assert gone.stdout == filled.stdout

    def test_what_the_cache_does_not_know_is_an_error_and_no_call(
        self, kind: str, tmp_path: Path
    ) -> None:
        with serving(manager) as server:
            found = plays(*place(kind, server.url), "--manager-cache", str(tmp_path))
            assert server.heard == []
        assert found.exit_code == 2
        (line,) = found.stderr.strip().split("\n")
        assert "no reply of m in the cache" in line
        assert "--manager-fill" in line

    def test_behind_a_request_what_is_said_is_done_at_the_next(
        self, kind: str, tmp_path: Path
    ) -> None:
        kept = ["--manager-cache", str(tmp_path), "--manager-fill", "--json"]
        with serving(manager) as server:
            found = plays(*place(kind, server.url), *kept, "--manager-mode", "behind")
        (session,) = json.loads(found.stdout)["sessions"]
        assert session["actions"]["rerun"] > 0  # the fallback's, which no answer came in time for
        assert session["actions"]["evict"] > 0


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ([], "--policy model needs --manager-model"),
        (["--manager-fill"], "needs --manager-model"),
        (["--manager-model", "m"], "needs --manager-cache"),
        (["--manager-model", "m", "--manager-url", "x", "--manager-cache", "c"], "not http://"),
    ],
)
def test_what_does_not_fit_together_is_one_line(arguments: list[str], words: str) -> None:
    found = plays(*arguments)
    assert found.exit_code == 2
    assert words in found.stderr
    assert len(found.stderr.strip().split("\n")) == 1


def asking(url: str, deadline: float, model: str = "m") -> Managing:
    """Whom a short conversation asks, however little it has sent."""
    return Managing(model, url, deadline, share=99.0)


@pytest.mark.parametrize("command", [["run", "--", "claude"], ["serve", "--port", "0"]])
def test_a_proxy_does_not_start_without_the_model_it_needs(command: list[str]) -> None:
    found = CliRunner().invoke(cli, [command[0], "--policy", "model", *command[1:]])
    assert found.exit_code == 2
    assert "--policy model needs --manager-model" in found.stderr


class Asking(Live):
    """A live conversation under the model manager."""

    def __init__(self, folder: Path, managing: Managing) -> None:
        self.managing = managing
        super().__init__(folder, "model")

    def restart(self) -> None:
        means = Means(prices=prices(None), terms=Terms(maintain="eager"), edits="free")
        self.core = Core(
            repo=self.root,
            policy=self.policy,
            rewrite_inputs=False,
            store=self.store,
            means=means,
            models=self.managing.models(),
        )

    def write(self) -> None:
        """At once: whoever looks meanwhile sees the one text or the other."""
        new = self.root.parent / "new"
        new.write_text("\n".join(self.lines) + "\n")
        new.replace(self.file)

    def work(self) -> list[str]:
        """Reads, a write of what was read, and the results as they go on."""
        self.read(1, 20)
        self.send()
        self.lines[2] = "value_2 = 'new'"
        self.write()
        self.wrote(self.lines[2])
        return self.send()


@pytest.mark.parametrize("kind", KINDS)
class TestProxy:
    def test_a_request_waits_for_the_model_and_does_as_it_says(
        self, kind: str, tmp_path: Path
    ) -> None:
        def keeps(path: str, body: dict[str, Any]) -> Answer:
            nominated, _ = rows(json.dumps(body).replace("\\n", "\n").split('"TASK')[-1])
            row = {"record": nominated[0][0], "action": "keep", "reason": "fine"}
            return said(path, json.dumps({"actions": [row], "evict": [], "retrieve": []}))

        with serving(keeps) as server:
            live = Asking(tmp_path, asking(f"{kind}={server.url}", 30, "claude-haiku-4-5"))
            texts = live.work()
            assert "value_2 = 'new'" not in texts[0]
            assert len(server.heard) == 1
        state = live.core.state()["manager"]
        assert state == {"asks": 1, "tokens": 127}

    @pytest.mark.parametrize("fault", ["late", "refused", "malformed", "unreachable"])
    def test_any_failure_of_the_model_is_no_failure_of_the_request(
        self, kind: str, fault: str, tmp_path: Path
    ) -> None:
        answers: dict[str, Answer] = {
            "late": never,
            "refused": json_answer({}, 529),
            "malformed": (200, b"{"),
            "unreachable": json_answer({}),
        }
        with serving(lambda *_: answers[fault]) as server:
            url = "http://127.0.0.1:9" if fault == "unreachable" else server.url
            live = Asking(tmp_path, asking(f"{kind}={url}", 0.2 if fault == "late" else 30))
            assert "value_2 = 'new'" in live.work()[0]
        assert live.core.state()["manager"] == {"asks": 1, "tokens": 0, fault: 1}

    def test_behind_no_request_waits(self, kind: str, tmp_path: Path) -> None:
        may = threading.Event()

        def held_back(path: str, _: dict[str, Any]) -> Answer:
            may.wait(30)
            return said(path, '{"actions": [], "evict": [{"record": "3"}], "retrieve": []}')

        with serving(held_back) as server:
            live = Asking(tmp_path, asking(f"{kind}={server.url}", 30)._replace(behind=True))
            live.read(21, 60)
            live.send()
            texts = live.work()
            assert "value_2 = 'new'" in texts[1]
            may.set()
            for thread in threading.enumerate():
                if thread.name == "statetape-manager":
                    thread.join(30)
            assert len(server.heard) == 1
            live.read(1, 3)
            texts = live.send()
        assert "left out" in texts[0]
        assert live.core.state()["manager"]["asks"] == 1
