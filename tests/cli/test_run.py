"""`statetape run`: the command does not notice, and nothing stays behind."""

import json
import os
import pty
import shlex
import signal
import subprocess
import sys
import termios
import threading
from collections.abc import Iterator
from contextlib import suppress
from fcntl import ioctl
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from select import select
from struct import pack
from typing import Any

import pytest
from click.testing import CliRunner

from statetape.cli import cli
from statetape.cli.account import account
from statetape.cli.foreground import exit_status

RUN = "from statetape.cli import main; main()"
# An agent: asks its model once with the time it has, then does what its first argument says.
AGENT = """\
import json, os, signal, sys, time
from http.client import HTTPConnection
from urllib.parse import urlsplit

def ask(path="/v1/messages", body={"model": "m"}):
    base = urlsplit(os.environ["ANTHROPIC_BASE_URL"])
    connection = HTTPConnection(base.netloc)
    connection.request("POST", base.path + path, json.dumps(body))
    return connection.getresponse().read().decode()

def state():
    base = urlsplit(os.environ["ANTHROPIC_BASE_URL"])
    connection = HTTPConnection(base.netloc)
    connection.request("GET", base.path + "/_statetape/state")
    return json.loads(connection.getresponse().read())

def pids():
    parent = os.getppid()
    found = []
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            if int(open(f"/proc/{name}/stat").read().rpartition(")")[2].split()[1]) == parent:
                found.append(int(name))
        except OSError:
            pass
    return [pid for pid in found if pid != os.getpid()]

exec(sys.argv[1])
"""

# What a shell and Python set for themselves.
OF_SHELL = {"LC_CTYPE", "OLDPWD", "PWD", "SHLVL", "_"}

CONVERSATION = """
tools, messages = [{"name": "bash"}], [{"role": "user", "content": "x"}]
ask(body={"model": "m", "tools": tools, "messages": messages})
print(state()['core']['repositories'])
"""


@pytest.fixture
def upstream() -> Iterator[str]:
    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            self.rfile.read(int(self.headers["Content-Length"]))
            self.send_response(200)
            self.send_header("Content-Length", "2")
            self.end_headers()
            self.wfile.write(b"hi")

        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        yield f"http://127.0.0.1:{server.server_address[1]}"
        server.shutdown()
        thread.join()


class Runs:
    """Starts `statetape run` with the agent, in a home of its own."""

    def __init__(self, folder: Path, upstream: str) -> None:
        self.home = folder / "home"
        self.home.mkdir()
        self.agent = folder / "claude"
        program = folder / "agent.py"
        program.write_text(AGENT)
        words = shlex.join([sys.executable, str(program)])  # a first line may have no spaces
        self.agent.write_text(f'#!/bin/sh\nexec {words} "$@"\n')
        self.agent.chmod(0o755)
        self.environment = {**os.environ, "HOME": str(self.home), "ANTHROPIC_BASE_URL": upstream}
        self.environment.pop("XDG_STATE_HOME", None)

    def words(self, code: str, *options: str) -> list[str]:
        return [sys.executable, "-c", RUN, "run", *options, "--", str(self.agent), code]

    def start(self, code: str, *options: str, **settings: Any) -> subprocess.Popen[str]:
        streams = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
        return subprocess.Popen(
            self.words(code, *options), env=self.environment, **{**streams, **settings}
        )

    def ended(self, code: str, *options: str) -> tuple[int, str, str]:
        process = self.start(code, *options)
        out, err = process.communicate(timeout=120)
        return process.returncode, out, err


@pytest.fixture
def runs(tmp_path: Path, upstream: str) -> Runs:
    return Runs(tmp_path, upstream)


def test_the_command_has_its_output_and_exit_code_and_the_account_comes_last(runs: Runs) -> None:
    code, out, err = runs.ended("print(ask()); print('oh', file=sys.stderr); sys.exit(7)")
    assert (code, out) == (7, "hi\n")
    first, *account = err.splitlines()
    assert first == "oh"
    assert account[0].startswith("statetape: did nothing, because ")


def test_a_command_that_asks_nothing_is_told_of_in_the_account(runs: Runs) -> None:
    assert runs.ended("pass")[2] == (
        "statetape: did nothing, because no request came: the agent sent none, or to another server"
        " (`statetape doctor`)\n"
    )


def test_nothing_is_left_behind(runs: Runs) -> None:
    code, out, _ = runs.ended(
        "ask(); print(json.dumps([pids(), os.environ.copy(),"
        " [os.getsid(pid) == os.getsid(0) for pid in pids()]]))"
    )
    children, environment, ours = json.loads(out)
    assert (code, ours) == (0, [False])  # no key of our terminal reaches the proxy
    assert len(children) == 1  # the proxy
    for process in children:
        with pytest.raises(ProcessLookupError):
            os.kill(process, 0)
    assert [path.name for path in runs.home.rglob("*") if path.is_file()] == []
    changed = {k for k in environment if environment[k] != runs.environment.get(k)}
    assert changed - OF_SHELL == {"ANTHROPIC_BASE_URL"}


def test_a_signal_to_us_is_one_to_the_command(runs: Runs) -> None:
    process = runs.start(
        "signal.signal(signal.SIGHUP, lambda *_: sys.exit(9));"
        "print('up', flush=True); time.sleep(60)"
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "up\n"
    process.send_signal(signal.SIGHUP)
    process.communicate(timeout=120)
    assert process.returncode == 9


def test_a_signal_while_the_command_is_being_started_is_one_to_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    spawn = os.posix_spawnp

    def interrupted(*given: Any, **settings: Any) -> int:
        process = spawn(*given, **settings)
        signal.raise_signal(signal.SIGTERM)
        return process

    monkeypatch.setattr(os, "posix_spawnp", interrupted)
    assert exit_status(["sleep", "60"], os.environ) == 128 + signal.SIGTERM


def test_nothing_waits_for_the_command_where_no_handler_runs(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Of a signal just before a call that blocks, Python runs the handler when that is over."""
    wait, options = os.waitpid, set[int]()

    def seen(process: int, given: int) -> tuple[int, int]:
        options.add(given & os.WNOHANG)
        return wait(process, given)

    monkeypatch.setattr(os, "waitpid", seen)
    handlers = signal.getsignal(signal.SIGCHLD)
    assert exit_status(["sh", "-c", "sleep 0.2; exit 7"], os.environ) == 7
    assert options == {os.WNOHANG}
    assert signal.getsignal(signal.SIGCHLD) == handlers
    assert signal.set_wakeup_fd(-1) == -1


def test_a_command_that_a_signal_ends_is_reported_as_in_a_shell(runs: Runs) -> None:
    runs.agent.write_text("#!/bin/sh\nkill -PIPE $$")  # which Python ignores, and a shell does not
    assert runs.ended("", "-q") == (128 + signal.SIGPIPE, "", "")


def test_an_agent_that_does_not_say_where_it_works_works_here(runs: Runs, tmp_path: Path) -> None:
    options = ["--agent", "litellm", "--upstream", runs.environment["ANTHROPIC_BASE_URL"]]
    code = "print(state()['core']['repositories'], flush=True);" + CONVERSATION
    process = runs.start(code, "-q", *options, cwd=tmp_path)
    out, _ = process.communicate(timeout=120)
    assert out == f"[]\n{[str(tmp_path)]}\n"


def test_when_the_command_stops_so_do_we(runs: Runs) -> None:
    process = runs.start("os.kill(os.getpid(), signal.SIGSTOP); print('on')", "-q")
    _, status = os.waitpid(process.pid, os.WUNTRACED)
    assert os.WIFSTOPPED(status)
    process.send_signal(signal.SIGCONT)
    assert process.communicate(timeout=120) == ("on\n", "")


def test_a_proxy_that_is_killed_is_replaced_on_the_same_port(runs: Runs) -> None:
    code, out, err = runs.ended(
        "print(ask(), state()['proxy']['requests']); [os.kill(p, 9) for p in pids()];"
        "print(ask(), state()['proxy']['requests'])"
    )
    assert (code, out) == (0, "hi 1\nhi 1\n")
    assert "Traceback" not in err


def test_the_proxy_ends_when_we_are_killed(runs: Runs) -> None:
    process = runs.start("print(pids()[0], os.getpid(), flush=True); signal.pause()")
    assert process.stdout is not None
    proxy, agent = map(int, process.stdout.readline().split())
    proxy_alive = os.pidfd_open(proxy)  # readable at its end
    process.kill()
    assert select([proxy_alive], [], [], 60)[0] == [proxy_alive]
    os.close(proxy_alive)
    os.kill(agent, signal.SIGKILL)
    process.communicate()


def test_the_terminal_is_the_command_s_and_ctrl_c_reaches_nobody_else(runs: Runs) -> None:
    # Waits instead of handling: a handler may run inside `print`, and then cannot print.
    code = (
        "signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT]);"
        "print(os.isatty(0), os.isatty(1), os.get_terminal_size().columns,"
        " os.tcgetpgrp(0) == os.getpgrp(), flush=True);"
        "signal.sigwait([signal.SIGINT]); print('caught', ask()); sys.exit(5)"
    )
    process, terminal = pty.fork()
    if process == 0:
        words = runs.words(code)
        os.execve(words[0], words, runs.environment)  # noqa: S606
    ioctl(terminal, termios.TIOCSWINSZ, pack("HHHH", 24, 123, 0, 0))
    shown = b""
    while b"True\r\n" not in shown and b"False\r\n" not in shown:
        shown += os.read(terminal, 1000)
    assert shown == b"True True 123 True\r\n"
    os.write(terminal, b"\x03")
    with suppress(OSError):  # the terminal ends with its process
        while part := os.read(terminal, 1000):
            shown += part
    status = os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])
    os.close(terminal)
    assert b"Traceback" not in shown
    assert b"caught hi\r\n" in shown
    assert b"statetape: did nothing" in shown
    assert status == 5


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (["make"], 2, "make is no agent known here; name what it starts with --agent"),
        ([], 2, "Missing argument 'COMMAND...'"),
        (["--agent", "codex", "--", "/nowhere/x"], 127, "/nowhere/x: command not found"),
        (["--agent", "codex", "--", "/etc/passwd"], 126, "/etc/passwd: Permission denied"),
        (["--typo", "--", "claude"], 2, "No such option '--typo'"),
        (["--upstream", "nonsense", "--", "claude"], 2, "an upstream is http://HOST"),
        (["--repo", "/nowhere", "--", "claude"], 1, "/nowhere: no folder"),
    ],
)
def test_what_cannot_be_run_is_one_line(words: list[str], code: int, said: str) -> None:
    ended = CliRunner().invoke(cli, ["run", *words], prog_name="statetape")
    assert ended.exit_code == code
    assert said in ended.stderr
    assert ended.stderr.count("\n") == 1


STATE: dict[str, Any] = {
    "proxy": {"requests": 9, "passed": {"core late": 2}, "failures": {"cut": 1}},
    "core": {
        "requests": 6,
        "tokens": {"without": 1_000_000, "with": 750_000},
        "changes": {"evict": 2, "refresh": 4, "drop": 1},
        "nothing_done": {"a request beside the conversation (title)": 1},
    },
}
BILL = {"paid": 1.5, "saved": 0.25, "nothing_done": {"it does not pay yet": 3}}


def test_the_account_says_what_was_sent_and_done() -> None:
    assert list(account(STATE)) == [
        "6 requests, sent 750,000 tokens instead of 1,000,000 (-25.0%)",
        "4 refreshed, 1 dropped, 2 let go",
        "as they came: 2 core late, 1 a request beside the conversation (title)",
        "answers that failed: 1 cut",
    ]
    assert "would have sent" in next(account({**STATE, "observe": True}))


def test_the_account_says_what_it_cost() -> None:
    billed = {**STATE, "core": {**STATE["core"], "bill": BILL}}
    assert list(account(billed))[2] == (
        "paid $1.5000, about $0.2500 less than without us (`statetape bill`)"
    )
    observed = {**BILL, "saved": 0.0, "would_have_saved": 0.25}
    told = {**STATE, "core": {**STATE["core"], "bill": observed}, "observe": True}
    watched = list(account(told))[2]
    assert watched == "paid $1.5000; changed, about $0.2500 less (`statetape bill`)"


def test_the_account_says_why_nothing_was_done() -> None:
    idle = {"proxy": {"requests": 3}, "core": {"requests": 0, "nothing_done": {"odd\x1b[31m": 2}}}
    assert list(account(idle)) == ["did nothing, because odd?[31m (2 requests)"]
    same = {"proxy": {"requests": 1}, "core": {"requests": 1, "tokens": {"with": 5, "without": 5}}}
    assert list(account(same)) == [
        "1 request, sent 5 tokens instead of 5 (+0.0%)",
        "changed nothing, because nothing that the agent held went stale",
    ]
    core: dict[str, Any] = {"requests": 1, "tokens": {"with": 5, "without": 5}}
    waits = {"core": {**core, "bill": BILL}}
    assert list(account(waits))[1] == "changed nothing, because it does not pay yet (3 requests)"


@pytest.mark.parametrize("state", [{}, {"proxy": 3}, {"core": {"requests": 1, "tokens": []}}])
def test_an_odd_state_is_no_trouble(state: dict[str, Any]) -> None:
    assert list(account(state))
