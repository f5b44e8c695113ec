"""A blank line is a line: a read is stale where it was filled while nobody looked."""

import json
from pathlib import Path
from typing import Any

import pytest

from statetape.shim.core import Core

SOURCE = "\ndef f():\n    return 1\n\n\ndef g():\n    return f()\n\n"
Messages = list[dict[str, Any]]


def called(name: str, tool: str, given: dict[str, Any], text: str) -> Messages:
    return [
        {
            "role": "assistant",
            "content": [{"type": "tool_use", "id": name, "name": tool, "input": given}],
        },
        {
            "role": "user",
            "content": [{"type": "tool_result", "tool_use_id": name, "content": text}],
        },
    ]


def read(file: Path) -> Messages:
    lines = file.read_text().split("\n")
    text = "\n".join(f"{n}\t{line}" for n, line in enumerate(lines, 1))
    return called("r", "Read", {"file_path": str(file)}, text)


def edit(file: Path) -> Messages:
    file.write_text(file.read_text().replace("return 1", "return 2"))
    given = {"file_path": str(file), "old_string": "return 1", "new_string": "return 2"}
    return called("e", "Edit", given, f"The file {file} has been updated successfully.")


def sent(core: Core, folder: Path, messages: Messages) -> str:
    """The text of the read as it goes on."""
    asks = {
        "system": f" - Primary working directory: {folder}\n",
        "tools": [{"name": "Read"}, {"name": "Edit"}],
        "messages": [{"role": "user", "content": "go"}, *messages],
    }
    headers = {"x-claude-code-session-id": "s"}
    body = json.dumps(asks).encode()
    out = json.loads(core.maintained("/v1/messages", headers, body))
    core.answered("/v1/messages", headers, body, None)
    return str(out["messages"][2]["content"][0]["content"])


@pytest.mark.parametrize("edited", ["edited", ""])
@pytest.mark.parametrize("line", [0, 3, 4, None])
def test_a_line_that_was_blank_is_seen_by_a_proxy_that_was_away(
    tmp_path: Path, line: int | None, edited: str
) -> None:
    folder = tmp_path / "repo"
    (folder / ".git").mkdir(parents=True)
    file = folder / "a.py"
    file.write_text(SOURCE)
    given: dict[str, Any] = {"repo": folder, "store": tmp_path / "store", "policy": "default"}
    given["rewrite_inputs"] = False
    core = Core(**given)
    messages = read(file)
    shown = sent(core, folder, messages)
    if edited:
        messages += edit(file)
        shown = sent(core, folder, messages)
        assert "return 2" in shown
    core.close()
    lines = file.read_text().split("\n")
    if line is not None:
        lines[line] = "x = 1"
        file.write_text("\n".join(lines))
    messages += [{"role": "assistant", "content": "ok"}, {"role": "user", "content": "on"}]
    core = Core(**given)
    now = sent(core, folder, messages)
    core.close()
    assert (now == shown) == (line is None)
