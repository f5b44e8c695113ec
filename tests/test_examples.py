"""The bundled session is what its script makes of the bundled repository."""

import json
import subprocess
import sys
from pathlib import Path

EXAMPLES = Path(__file__).parents[1] / "examples"


def test_the_bundled_session_can_be_made_again(tmp_path: Path) -> None:
    made = tmp_path / "session.jsonl"
    subprocess.run([sys.executable, str(EXAMPLES / "make_session.py"), str(made)], check=True)
    assert made.read_text("utf-8") == (EXAMPLES / "config-loader.jsonl").read_text("utf-8")


def test_every_call_of_the_bundled_session_has_its_result() -> None:
    calls, results = [], []
    for line in (EXAMPLES / "config-loader.jsonl").read_text("utf-8").splitlines():
        content = json.loads(line)["message"]["content"]
        for block in content if isinstance(content, list) else ():
            calls += [block["id"]] if block["type"] == "tool_use" else []
            results += [block["tool_use_id"]] if block["type"] == "tool_result" else []
    assert len(calls) == len(set(calls)) > 30
    assert sorted(calls) == sorted(results)
