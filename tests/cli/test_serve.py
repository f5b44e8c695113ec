"""`statetape serve` as a process."""

import json
import os
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.client import HTTPConnection
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from statetape.cli import cli
from statetape.cli.hosting import default_store
from statetape.errors import StatetapeError
from statetape.shim.core import Core

RUN = "from statetape.cli import main; main()"


class Server:
    """A proxy of its own; its upstream is a port where nobody is."""

    def __init__(self, home: Path, *options: str) -> None:
        environment = {**os.environ, "HOME": str(home)}
        environment.pop("XDG_STATE_HOME", None)
        self.process = subprocess.Popen(
            [sys.executable, "-c", RUN, "serve", "--port", "0", *options],
            stderr=subprocess.PIPE,
            text=True,
            env=environment,
            cwd=home,
        )
        assert self.process.stderr is not None
        self.said = self.process.stderr.readline()
        self.port = int(self.said.split(" goes on")[0].rpartition(":")[2])

    def answer(self, method: str, path: str, body: bytes | None = None) -> tuple[int, bytes]:
        connection = HTTPConnection("127.0.0.1", self.port, timeout=60)
        connection.request(method, path, body)
        response = connection.getresponse()
        found = response.status, response.read()
        connection.close()
        return found


@pytest.fixture
def nobody() -> Iterator[str]:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        yield f"http://127.0.0.1:{taken.getsockname()[1]}"


def test_it_serves_until_it_is_told_to_stop(tmp_path: Path, nobody: str) -> None:
    log = tmp_path / "log"
    server = Server(tmp_path, "--upstream", nobody, "--log", str(log))
    assert server.said.endswith(f" goes on to {nobody}\n")
    assert server.answer("GET", "/_statetape/healthz") == (200, b"ok\n")
    state = json.loads(server.answer("GET", "/_statetape/state")[1])
    assert set(state["upstreams"].values()) == {nobody}
    assert state["core"]["requests"] == 0
    assert server.answer("POST", "/v1/messages", b"\xff no JSON")[0] == 502
    server.process.terminate()
    _, err = server.process.communicate(timeout=60)
    assert server.process.returncode == 0
    assert err.count("passing through, core error ") == 1
    assert "Traceback" not in err
    assert log.stat().st_mode & 0o777 == 0o600
    lines = [json.loads(line) for line in log.read_text().splitlines()]
    assert [line["event"] for line in lines] == ["passed through", "request"]


def test_after_kill_9_the_next_request_sends_the_same_text(tmp_path: Path) -> None:
    seen: list[bytes] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            seen.append(self.rfile.read(int(self.headers["Content-Length"])))
            self.send_response(200)
            self.end_headers()

        def log_message(self, *_: object) -> None:
            pass

    repo = tmp_path / "repo"
    repo.mkdir()
    file = repo / "a.py"
    file.write_text("def f():\n    return 1\n")
    use = {"type": "tool_use", "id": "t1", "name": "Read", "input": {"file_path": str(file)}}
    result = {"tool_use_id": "t1", "content": "1\tdef f():\n2\t    return 1\n3\t"}
    messages: list[dict[str, Any]] = [
        {"role": "user", "content": "go"},
        {"role": "assistant", "content": [use]},
        {"role": "user", "content": [{"type": "tool_result", **result}]},
    ]
    tools = [{"name": name} for name in ("Read", "Edit", "Bash")]

    def ask(server: Server) -> str:
        body = {"model": "m", "tools": tools, "messages": messages}
        assert server.answer("POST", "/v1/messages", json.dumps(body).encode())[0] == 200
        messages.append({"role": "assistant", "content": "ok"})
        messages.append({"role": "user", "content": "more"})
        text: str = json.loads(seen[-1])["messages"][2]["content"][0]["content"]
        return text

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as upstream:
        thread = threading.Thread(target=upstream.serve_forever, args=(0.01,))
        thread.start()
        options = ["--upstream", f"http://127.0.0.1:{upstream.server_address[1]}"]
        options += ["--maintain", "eager", "--edit-mode", "free"]
        options += ["--repo", repo.name, "--deadline", "60"]
        server = Server(tmp_path, *options)
        ask(server)
        file.write_text("def f():\n    return 2\n")
        before = ask(server)
        server.process.kill()
        server.process.communicate()
        file.write_text("def f():\n    return 2\n\n\ndef g():\n    return 3\n")
        server = Server(tmp_path, *options)
        after = ask(server)
        server.process.terminate()
        server.process.communicate()
        upstream.shutdown()
        thread.join()
    assert "return 2" in before
    assert after == before
    assert (tmp_path / ".local/state/statetape/changes.sqlite").stat().st_mode & 0o777 == 0o600


def test_a_request_may_wait_half_of_the_deadline_for_its_repository(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    made: list[Core] = []

    async def served(
        _: object, core: Core, listener: socket.socket, *__: object, **___: object
    ) -> bool:
        listener.close()
        made.append(core)
        return False

    monkeypatch.setattr("statetape.cli.serve._served", served)
    options = ["serve", "--port", "0", "--store", str(tmp_path / "s"), "--deadline", "50"]
    assert CliRunner().invoke(cli, options).exit_code == 0
    assert [core.patience for core in made] == [25]


def test_ctrl_c_ends_it_quietly(tmp_path: Path, nobody: str) -> None:
    server = Server(tmp_path, "--upstream", nobody)
    server.process.send_signal(signal.SIGINT)
    assert server.process.communicate(timeout=60)[1].strip() == ""
    assert server.process.returncode == 130


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--host", "0.0.0.0"], "--allow-remote and a token"),
        (["--host", "0.0.0.0", "--allow-remote"], "--allow-remote and a token"),
        (["--token", "a/b"], "letters and digits"),
        (["--upstream", "https://me:pw@x"], "credentials are the agent's"),
        (["--repo", "nowhere"], "nowhere: no folder"),
        (["--deadline", "0"], "--deadline"),
        (["--policy", "best"], "--policy"),
    ],
)
def test_bad_use_is_one_line(options: list[str], words: str) -> None:
    ended = CliRunner().invoke(cli, ["serve", "--port", "0", *options], prog_name="statetape")
    assert ended.exit_code == 2
    assert words in ended.stderr
    assert ended.stderr.count("\n") == 1


def test_a_port_that_is_taken_is_one_line() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        ended = CliRunner().invoke(cli, ["serve", "--port", port], prog_name="statetape")
    assert (ended.exit_code, ended.stderr.count("\n")) == (1, 1)
    assert port in ended.stderr


def test_changes_are_kept_where_the_user_keeps_state(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.setenv("HOME", "/home/me")
    monkeypatch.delenv("XDG_STATE_HOME", raising=False)
    assert default_store() == Path("/home/me/.local/state/statetape/changes.sqlite")
    monkeypatch.setenv("XDG_STATE_HOME", "relative")
    assert default_store() == Path("/home/me/.local/state/statetape/changes.sqlite")
    monkeypatch.setenv("XDG_STATE_HOME", "/state")
    assert default_store() == Path("/state/statetape/changes.sqlite")


def test_no_module_of_the_working_directory_is_imported(tmp_path: Path, nobody: str) -> None:
    from statetape.cli.keeper import Keeper

    for name in ("aiohttp", "json", "statetape", "click", "sitecustomize"):
        (tmp_path / f"{name}.py").write_text("raise SystemExit('a module of the repository')")
    before = Path.cwd()
    os.chdir(tmp_path)
    try:
        with Keeper(["--upstream", nobody, "--store", "changes"]) as keeper:
            state: Any = keeper.state()
    finally:
        os.chdir(before)
    assert state["proxy"]["requests"] == 0


@pytest.mark.parametrize(
    ("policy", "notes"),
    [("heuristic", 120), ("default", 120), ("model", 120), ("masking", 0), ("control", 0)],
)
def test_only_our_policies_have_notes(
    policy: str, notes: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A rival is what it is alone: nobody tells what it leaves stale."""
    seen = []

    def core(_repo: object, named: str, means: Any, *_: object, **__: object) -> None:
        seen.append((named, means.notes))
        raise StatetapeError("enough")

    monkeypatch.setattr("statetape.cli.serve._core", core)
    asked = ["--manager-model", "m", "--manager-url", "http://127.0.0.1:9"]
    CliRunner().invoke(cli, ["serve", "--port", "0", "--policy", policy, *asked])
    assert seen == [(policy, notes)]
