"""The command line as a process: its start, its end, and what it shows a pipe or a terminal."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from resource import RUSAGE_CHILDREN, getrusage
from typing import Any

import pytest

RUN = "from statetape.cli import main; main()"
HEAVY = {"aiohttp", "tree_sitter", "rich", "toktok", "msgspec"}
HEAVY |= {"concurrent.futures", "statetape.code"}


def start(*arguments: object, **settings: Any) -> subprocess.Popen[str]:
    streams = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    command = [sys.executable, "-c", RUN, *map(str, arguments)]
    return subprocess.Popen(command, **{**streams, **settings})


def seconds(code: str, *arguments: str) -> float:
    """Processor time, which the machine's other work hardly moves."""
    began = getrusage(RUSAGE_CHILDREN)
    subprocess.run([sys.executable, "-c", code, *arguments], check=True, capture_output=True)
    ended = getrusage(RUSAGE_CHILDREN)
    return ended.ru_utime + ended.ru_stime - began.ru_utime - began.ru_stime


@pytest.fixture
def _interruptible() -> Iterator[None]:
    """A child may be interrupted, even where a shell started the tests with `&`."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def reader_of(fifo: Path, process: subprocess.Popen[str]) -> int:
    """The writing end of a pipe, as soon as somebody reads it; fails if `process` ends first."""
    while process.poll() is None:
        with suppress(OSError):
            return os.open(fifo, os.O_WRONLY | os.O_NONBLOCK)
        with suppress(subprocess.TimeoutExpired):
            process.wait(0.01)
    pytest.fail(process.communicate()[1])


def test_help_imports_no_command_and_nothing_heavy() -> None:
    code = (
        "import sys; from statetape.cli import cli; cli(['--help'], standalone_mode=False);"
        "print(*sys.modules, file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert not HEAVY & set(done.stderr.split())
    for name in ("replay", "show", "drift", "graph"):
        assert f"\n  {name} " in done.stdout


def test_help_starts_within_150_ms_of_an_empty_program() -> None:
    # Once is enough: what else the machine does only ever adds.
    assert any(seconds(RUN, "--help") - seconds("pass") < 0.150 for _ in range(20))


def test_a_closed_pipe_is_no_reason_to_speak() -> None:
    reader, writer = os.pipe()
    os.close(reader)
    process = start("--help", stdout=writer)
    os.close(writer)
    assert process.communicate()[1] == ""
    assert process.returncode == 1


@pytest.mark.usefixtures("_interruptible")
@pytest.mark.parametrize("count", [1, 2])
def test_ctrl_c_is_quiet_and_exits_with_130(tmp_path: Path, count: int) -> None:
    sessions = [tmp_path / f"{number}.jsonl" for number in range(count)]
    for session in sessions:
        os.mkfifo(session)
    process = start("replay", *sessions, "--jobs", 2, start_new_session=True)
    ends = [reader_of(session, process) for session in sessions]
    os.killpg(process.pid, signal.SIGINT)  # as a terminal does: the workers get it too
    out, err = process.communicate()
    for end in ends:
        os.close(end)
    assert (process.returncode, out, err.strip()) == (130, "", "")


@pytest.mark.usefixtures("_interruptible")
def test_ctrl_c_is_quiet_while_a_worker_idles(tmp_path: Path) -> None:
    waited_for, absent = tmp_path / "fifo.jsonl", tmp_path / "absent.jsonl"
    os.mkfifo(waited_for)
    process = start("replay", waited_for, absent, "--jobs", 2, start_new_session=True)
    end = reader_of(waited_for, process)
    assert process.stderr is not None
    assert "absent.jsonl" in process.stderr.readline()
    os.killpg(process.pid, signal.SIGINT)
    out, err = process.communicate()
    os.close(end)
    assert (process.returncode, out, err.strip()) == (130, "", "")
