"""Real agents against a scripted upstream, alone and with the proxy in between.

`STATETAPE_HARNESS` names the folder of the harness that drives them (`make test-clients` sets it
and installs them); it needs root, for a network of its own. Each scenario runs three times.
"""

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import pytest

HARNESS = os.environ.get("STATETAPE_HARNESS", "")
CLIENTS = Path(os.environ.get("HARNESS_WORK", "/tmp/agent-harness")) / "clients"  # noqa: S108
SCENARIOS = os.environ.get("STATETAPE_SCENARIOS", "").split() or [
    "claude_main",
    "claude_main_v197",
    "claude_subagents",
    "codex_main",
    "codex_main_gpt55",
    "codex_wsrefuse_426",
    "codex_chatgpt",
    "opencode_anthropic",
    "opencode_openai",
    "opencode_compat",
    "mini_chat",
    "mini_anthropic",
    "mini_responses",
    "oh_anthropic",
    "oh_chat",
    "oh_responses",
]
PROGRAMS = {
    "claude": "npm-latest/node_modules/.bin/claude",
    "codex": "npm/node_modules/.bin/codex",
    "opencode": "npm/node_modules/.bin/opencode",
    "mini": "venv-mini/bin/mini",
    "oh": "venv-oh/bin/python",
}
SERVE = (
    f"{sys.executable} -P -c 'from statetape.cli import main; main()' serve"
    " --port {PORT} --upstream {UPSTREAM} --repo {REPO} --deadline 60"
)
# What differs from run to run: numbers, ids; and the order of what went on at the same time.
VARIES = re.compile(r"[0-9a-zA-Z]*\d[0-9a-zA-Z_-]*|\b[a-f]{6}\b|\bb[a-z]{8}\b")
ESCAPED = re.compile(r"\\+[nrt]")  # else a part of the word behind it
CONVERSATIONS = ("/messages", "/count_tokens", "/responses", "/chat/completions")
PIECES = re.compile(r"\w+|\W")

pytestmark = pytest.mark.skipif(
    not HARNESS or os.geteuid() != 0,
    reason="needs the harness of real agents (STATETAPE_HARNESS) and root",
)


class Session(NamedTuple):
    """What a scenario came to: exit codes and output of its steps, requests, the repository.

    A stream that is cut (`claude_errors`) cannot be compared: the client itself does either of two
    things, by how fast it reads.
    """

    codes: list[int | None]
    output: list[str]
    requests: list[str]
    files: dict[str, str]


@pytest.fixture(scope="module")
def work(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("clients")


@cache
def session(work: Path, scenario: str, options: str | None) -> Session:
    """The scenario without a proxy, or with one that has these options."""
    program = PROGRAMS[scenario.partition("_")[0]]
    if not (CLIENTS / program).exists():
        pytest.skip(f"needs {program} of the harness")
    place = work / {None: "w0", "": "w1", "--observe": "w2"}[options]  # of the same length
    place.mkdir(exist_ok=True)
    if not (place / "clients").exists():
        (place / "clients").symlink_to(CLIENTS)
    environment = {**os.environ, "HARNESS_WORK": str(place)}
    if options is not None:
        environment["SHIM_CMD"] = f"{SERVE} {options}"
    script = Path(HARNESS, "scripts", f"{scenario}.py")
    subprocess.run(
        [Path(HARNESS, "drive.py"), script], env=environment, check=True, capture_output=True
    )
    (raw,) = (place / "raw").glob("*/*")
    steps = json.loads((raw / "steps.json").read_text())
    repository = place / "run" / raw.parent.name / raw.name / "repo"
    found = Session(
        [step.get("rc") for step in steps],
        [_same(step.get("stdout") or "", place) for step in steps if "argv" in step],
        sorted(_same(text, place) for file in raw.glob("[0-9]*.json") for text in _request(file)),
        {
            str(file.relative_to(repository)): file.read_text(errors="replace")
            for file in sorted(repository.rglob("*"))
            if file.is_file() and not {".git", "__pycache__", ".pytest_cache"} & {*file.parts}
        },
    )
    raw.rename(place / f"kept-{scenario}")
    return found


def _request(file: Path) -> Iterator[str]:
    """A request, if it is about a conversation: agents send others at times of their own."""
    seen: dict[str, Any] = json.loads(file.read_text())
    if seen["method"] == "POST" and seen["path"].endswith(CONVERSATIONS):
        yield json.dumps([seen["path"], seen.get("body")])


def _same(text: str, place: Path) -> str:
    """The text's words and marks, sorted, without what differs from run to run."""
    text = VARIES.sub("#", ESCAPED.sub(" ", text.replace(str(place), "PLACE")))
    return " ".join(sorted(PIECES.findall(text)))


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_observed_the_upstream_gets_what_it_gets_without(work: Path, scenario: str) -> None:
    alone, observed = session(work, scenario, None), session(work, scenario, "--observe")
    assert observed.codes == alone.codes
    assert observed.requests == alone.requests
    assert observed.files == alone.files


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_maintained_the_agent_does_the_same(work: Path, scenario: str) -> None:
    alone, maintained = session(work, scenario, None), session(work, scenario, "")
    assert maintained.codes == alone.codes
    assert maintained.output == alone.output
    assert maintained.files == alone.files
