"""Real agents, and a provider that keeps a cache: what the bill foresees is what it reports.

`make test-clients` names the harness (STATETAPE_HARNESS) and installs the clients.
"""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from msgspec.structs import replace
from tests.clients.driven import CLIENTS, EAGER, HARNESS, HERE, NEEDED, SOURCE

from statetape.economics.bill import Entry
from statetape.store.bills import Bills

pytestmark = NEEDED

PAYING = ("", "--maintain eager --edit-mode free", "--horizon 200 --edit-mode free")


class Run(NamedTuple):
    entries: tuple[Entry, ...]
    told: list[dict[str, Any]]
    steps: list[dict[str, Any]]


def run(work: Path, scenario: str, options: str) -> Run:
    work.mkdir(exist_ok=True)
    (work / "clients").symlink_to(CLIENTS)
    shim = f"env PYTHONPATH={SOURCE} {sys.executable} {HERE / 'provider.py'}"
    shim += " {PORT} {UPSTREAM} {REPO} {RUN} " + options
    environment = {**os.environ, "HARNESS_WORK": str(work), "SHIM_CMD": shim}
    script = HARNESS / "scripts" / f"{scenario}.py"
    subprocess.run([HARNESS / "drive.py", script], env=environment, check=True, capture_output=True)
    (folder,) = (work / "run").glob("*/*")
    (raw,) = (work / "raw").glob("*/*")
    bills = Bills(folder / "bills.sqlite")
    try:
        entries = bills.of()
    finally:
        bills.close()
    told = [json.loads(line) for line in (folder / "provider.jsonl").read_text().splitlines()]
    return Run(entries, told, json.loads((raw / "steps.json").read_text()))


@pytest.mark.parametrize("options", PAYING, ids=["paying", "eager", "patient"])
@pytest.mark.parametrize("scenario", ["claude_main", "claude_main_v197", "claude_main_haiku45",
                                      "codex_main_gpt55"])  # fmt: skip
def test_what_the_bill_foresees_is_what_the_provider_reports(
    tmp_path: Path, scenario: str, options: str
) -> None:
    """What a system prompt comes to is learnt when it is first read alone."""
    found = run(tmp_path, scenario, options)
    entries = [entry for entry in found.entries if entry.paid and entry.planned]
    assert len(entries) > 5
    known: set[tuple[str, int]] = set()
    exact = 0
    for entry in entries:
        paid, planned = entry.paid, entry.planned
        assert paid is not None
        assert planned is not None
        right = replace(paid, output=0) == planned
        exact += right
        assert right or (entry.conversation, paid.cache_read) not in known
        assert planned.prompt == paid.prompt
        known.add((entry.conversation, paid.cache_read))
        known.add((entry.conversation, paid.prompt - paid.input))
    assert exact >= len(entries) - 3


@pytest.mark.parametrize("options", ["", EAGER.replace("--edit-mode free", "")])
@pytest.mark.parametrize("scenario", ["claude_main", "claude_tools2_opus55"])
def test_bound_thinking_is_never_broken(tmp_path: Path, scenario: str, options: str) -> None:
    found = run(tmp_path, scenario, f"--binding {options}")
    assert [line for line in found.told if line["status"] == 400] == []
    assert [line for line in found.told if line.get("wrong")] == []


def test_with_leave_to_drop_it_header_and_field_come_together(tmp_path: Path) -> None:
    found = run(tmp_path, "claude_main", "--binding --maintain eager --edit-mode drop_block")
    assert [line for line in found.told if line["status"] == 400] == []
    assert [line for line in found.told if line["leave"]]
    assert [line for line in found.told if line["wrong"]]
