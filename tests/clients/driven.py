"""Runs a scenario of the harness: alone, or with a shim and a tee on either side of it."""

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from tests.clients.tee import decoded

import statetape

HARNESS = Path(os.environ.get("STATETAPE_HARNESS", "/nonexistent"))
CLIENTS = Path(os.environ.get("HARNESS_WORK", "/tmp/agent-harness")) / "clients"  # noqa: S108
HERE = Path(__file__).parent
SOURCE = Path(statetape.__file__).parents[1]
ROOT = HERE.parents[1]
# All that is stale goes at once, whatever it costs.
EAGER = "--policy default --maintain eager --edit-mode free"
NEEDED = pytest.mark.skipif(
    not (HARNESS / "drive.py").is_file() or os.geteuid() != 0,
    reason="needs the harness of real agents (STATETAPE_HARNESS) and root",
)
# What differs from run to run: numbers, ids; and the order of what went on at the same time.
VARIES = re.compile(
    r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|[0-9a-zA-Z]*\d[0-9a-zA-Z_-]*|\b[a-f]{6}\b|\bb[a-z]{8}\b"
)
ESCAPED = re.compile(r"\\+[nrt]")  # else a part of the word behind it
_TASK = re.compile(r'^{"type":"system","subtype":"task_\w+","task_id":"(\w+)"')
_SHELL, _SLOW = '"task_type":"local_bash"', '"is_backgrounded":false,"task_type":"local_bash"'
_SLOW_197 = '"output_file":""'  # what 2.1.197 says at the end of one
# Lines of the output that are not compared. What Codex says while it tries a websocket again: the
# shim answers 426, upon which it does not; an upstream that refuses otherwise is tried for some
# seconds. And a command in the background, which ends before the client does or not, alone too.
UNSURE = ("Reconnecting... ", "Falling back from WebSockets", "sleep 3; echo late")
_DASHED = re.compile(r"[^0-9a-zA-Z]")
PIECES = re.compile(r"\w+|\W")
# Headers of the hop, and those in which the bodies' framing is told.
_OF_THE_HOP = ("host", "connection", "content-length", "transfer-encoding", "keep-alive")


class Request(NamedTuple):
    """A request as a tee kept it. `headers`: with names in lower case, without those of the hop."""

    line: str
    headers: tuple[tuple[str, str], ...]
    body: bytes

    @property
    def path(self) -> str:
        """Without the query."""
        return self.line.split(" ")[1].partition("?")[0]

    @property
    def text(self) -> bytes:
        """The body without its content encoding."""
        return decoded(self.body, self.named("content-encoding"))

    def named(self, name: str) -> str:
        """The value of a header, empty where it is not there."""
        return dict(self.headers).get(name, "")


class Driven(NamedTuple):
    """What a scenario came to: exit codes and output of its steps, the repository at the end.

    With a shim, what came to it and what left it, in order, and of each that left: what the oracle
    says is stale of reads and results, of inputs, and what the store declared (id, side, text).
    """

    codes: list[int | None]
    outputs: list[str]
    files: dict[str, str]
    front: list[Request]
    behind: list[Request]
    judged: list[dict[str, Any]]


def driven(work: Path, scenario: str, options: str | None = None) -> Driven:
    """A run of a scenario in `work`, a folder whose name is always as long: paths cost bytes.

    `scenario` is a name of the harness's, or the path of one of ours. `options` are those of the
    shim; None: without one.
    """
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)
    (work / "clients").symlink_to(CLIENTS)
    environment = {**os.environ, "HARNESS_WORK": str(work)}
    if options is not None:
        around = f"env PYTHONPATH={SOURCE}:{ROOT} {sys.executable} {HERE / 'around.py'}"
        around += " {PORT} {UPSTREAM} {REPO} {RUN}"
        environment["SHIM_CMD"] = f"{around} {options}"
    own = HERE / "scenarios" / f"{scenario}.py"
    script = own if own.is_file() else HARNESS / "scripts" / f"{scenario}.py"
    subprocess.run([HARNESS / "drive.py", script], env=environment, check=True, capture_output=True)
    (raw,) = (work / "raw").glob("*/*")
    run = work / "run" / raw.parent.name / raw.name
    judged = run / "judged.jsonl"
    steps = json.loads((raw / "steps.json").read_text())
    return Driven(
        [step.get("rc") for step in steps],
        [same(compared(step.get("stdout") or ""), work) for step in steps if "argv" in step],
        dict(_files(run / "repo")),
        _requests(run / "front"),
        _requests(run / "behind"),
        [json.loads(line) for line in judged.read_text().splitlines()] if judged.exists() else [],
    )


def same(text: str, place: Path) -> str:
    """The text's words and marks, sorted, without what differs from run to run.

    Claude Code has a folder by the name of the `place`, every mark in it a dash.
    """
    text = text.replace(str(place), "PLACE").replace(_DASHED.sub("-", str(place)), "-PLACE")
    text = VARIES.sub("#", ESCAPED.sub(" ", text))
    return " ".join(sorted(PIECES.findall(text)))


def compared(output: str) -> str:
    """The lines of an output that are compared: not those that are UNSURE.

    Nor what Claude Code tells of commands that take longer than two seconds.
    """
    lines = [line for line in output.split("\n") if not any(words in line for words in UNSURE)]
    told = [task for task in map(_TASK.search, lines) if task]
    shell = {task[1] for task in told if _SHELL in task.string}
    slow = {task[1] for task in told if _SLOW in task.string}
    slow |= {task[1] for task in told if _SLOW_197 in task.string and task[1] in shell}
    return "\n".join(x for x in lines if not ((task := _TASK.search(x)) and task[1] in slow))


def _files(repository: Path) -> Iterator[tuple[str, str]]:
    for file in sorted(repository.rglob("*")):
        if file.is_file() and not {".git", "__pycache__", ".pytest_cache"} & {*file.parts}:
            yield str(file.relative_to(repository)), file.read_text(errors="replace")


def _requests(folder: Path) -> list[Request]:
    return [_request(file.read_bytes()) for file in sorted(folder.glob("*"))]


def _request(raw: bytes) -> Request:
    head, _, body = raw.partition(b"\r\n\r\n")
    line, *rows = head.decode("latin-1").split("\r\n")
    pairs = (row.partition(": ") for row in rows)
    kept = ((n.lower(), v) for n, _, v in pairs if n.lower() not in _OF_THE_HOP)
    return Request(line, tuple(kept), body)
