"""`statetape serve` as a process."""

import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from http.client import HTTPConnection
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from statetape.cli import cli
from statetape.cli.hosting import default_store

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
