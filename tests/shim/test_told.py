"""What Claude Code tells of files in its own words goes stale like any read."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from statetape.shim.core import Core

SOURCE = "def f():\n    return 1\n\n\ndef g():\n    return f()\n"
CALLED = "<system-reminder>\nCalled the Read tool with the following input: {}\n</system-reminder>"
RESULT = "<system-reminder>\nResult of calling the Read tool:\n{}\n</system-reminder>\n"
NOTE = (
    "<task-notification>done</task-notification>\n\nNote: {} changed on disk since you last read"
    " it. That's usually deliberate. Here are the relevant changes (shown with line numbers):\n{}"
)
NOW = "[statetape: shown as it is now, after later writes]"
Messages = list[dict[str, Any]]


class Live:
    def __init__(self, folder: Path) -> None:
        self.folder = folder / "repo"
        self.folder.mkdir()
        self.file, self.other = self.folder / "a.py", self.folder / "b.py"
        self.file.write_text(SOURCE)
        self.other.write_text(SOURCE.replace("f(", "h("))
        self.store = folder / "changes.sqlite"
        self.core = self.started()

    def started(self) -> Core:
        return Core(repo=self.folder, policy="default", rewrite_inputs=False, store=self.store)

    def restart(self) -> None:
        self.core.close()
        self.core = self.started()

    def send(self, messages: Messages) -> Messages:
        system = f" - Primary working directory: {self.folder}\n"
        tools = [{"name": name} for name in ("Read", "Edit", "Bash")]
        asks = {"model": "m", "system": system, "tools": tools, "messages": messages}
        headers = {"x-claude-code-session-id": "s"}
        out = self.core.maintained("/v1/messages", headers, json.dumps(asks).encode())
        found: Messages = json.loads(out)["messages"]
        return found

    def edited(self, file: Path, old: str, new: str, name: str = "e") -> Messages:
        file.write_text(file.read_text().replace(old, new))
        asked = {"file_path": str(file), "old_string": old, "new_string": new}
        use = {"type": "tool_use", "id": name, "name": "Edit", "input": asked}
        text = f"The file {file} has been updated successfully."
        result = {"type": "tool_result", "tool_use_id": name, "content": text}
        return [{"role": "assistant", "content": [use]}, {"role": "user", "content": [result]}]

    def mentioned(self, **given: int) -> Messages:
        asked = json.dumps({"file_path": str(self.file), **given}, separators=(",", ":"))
        first = given.get("offset", 1)
        lines = self.file.read_text().split("\n")[first - 1 :][: given.get("limit")]
        told = [CALLED.format(asked), RESULT.format(numbered(lines, first)), "go with @a.py"]
        texts = [{"type": "text", "text": text} for text in told]
        return [
            {"role": "user", "content": texts[0]["text"]},
            {"role": "user", "content": texts[1:]},
        ]


def numbered(lines: list[str], first: int) -> str:
    return "\n".join(f"{n}\t{line}" for n, line in enumerate(lines, first))


@pytest.fixture
def live(tmp_path: Path) -> Iterator[Live]:
    live = Live(tmp_path)
    yield live
    live.core.close()


def test_a_mentioned_file_is_shown_as_it_is_now(live: Live) -> None:
    messages = live.mentioned()
    assert live.send(messages) == messages
    messages += live.edited(live.file, "return 1", "return 2")
    sent = live.send(messages)
    told = sent[1]["content"][0]["text"]
    assert told.startswith("<system-reminder>\nResult of calling the Read tool:\n1\tdef f():\n")
    assert "2\t    return 2\n" in told
    assert "return 1" not in told
    assert [*sent[:1], *sent[2:]] == [*messages[:1], *messages[2:]]
    live.restart()
    assert live.send(messages) == sent


def test_a_mention_in_the_systems_words_is_one_too(live: Live) -> None:
    """As the older client tells of it."""
    path = json.dumps({"file_path": str(live.file)})

    def mentioned(line: str) -> Messages:
        text = f"Called the Read tool with the following input: {path}\n"
        text += f"Result of calling the Read tool:\n1\tdef f():\n2\t    return {line}\n\nand so on"
        return [{"role": "user", "content": "go"}, {"role": "system", "content": text}]

    messages = mentioned("1")
    assert live.send(messages) == messages
    messages += live.edited(live.file, "return 1", "return 2")
    assert live.send(messages) == mentioned(f"2\n{NOW}") + messages[2:]


def test_of_a_part_the_part_is_shown(live: Live) -> None:
    messages = live.mentioned(offset=5, limit=2)
    live.send(messages)
    messages += live.edited(live.file, "def f", "import os\n\n\ndef f")
    messages += live.edited(live.file, "return f()", "return 3", "e2")
    told = live.send(messages)[1]["content"][0]["text"]
    assert told == RESULT.format(f"8\tdef g():\n9\t    return 3\n{NOW}")


def test_a_mentioned_file_that_is_gone_is_dropped(live: Live) -> None:
    messages = live.mentioned()
    live.send(messages)
    live.file.unlink()
    messages += live.edited(live.other, "return 1", "return 2")
    told = live.send(messages)[1]["content"][0]["text"]
    assert told.startswith("<system-reminder>\n[statetape: dropped read a.py")
    assert told.endswith("]\n</system-reminder>\n")


def test_what_was_written_while_nothing_ran_is_shown_too(live: Live) -> None:
    messages = live.mentioned()
    messages += live.edited(live.file, "return 1", "return 2")
    told = live.send(messages)[1]["content"][0]["text"]
    assert "return 1" not in told


def test_a_note_of_changed_lines_is_as_true_as_a_read(live: Live) -> None:
    of_file = "1\tdef f():\n2\t    return 1\n...\n5\tdef g():\n6\t    return {}"
    of_other = "1\tdef h():\n2\t    return {}"

    def notes(file: str, other: str) -> Messages:
        told = NOTE.format(live.file, of_file.format(file))
        text = told + "\n\n" + NOTE.format(live.other, of_other.format(other)) + "\nand so on"
        return [{"role": "user", "content": "go"}, {"role": "system", "content": text}]

    messages = notes("f()", "1")
    assert live.send(messages) == messages
    messages += live.edited(live.file, "return f()", "return 7")
    messages += live.edited(live.other, "return 1", "return 8", "e2")
    assert live.send(messages) == notes(f"7\n{NOW}", f"8\n{NOW}") + messages[2:]


def test_reminders_behind_a_result_are_shown_as_they_are_now_beside_it(live: Live) -> None:
    """As after a compaction with older models."""

    def read(own: str, told: str) -> Messages:
        asked = {"file_path": str(live.other)}
        use = {"type": "tool_use", "id": "r", "name": "Read", "input": asked}
        reminders = [
            "<system-reminder>\nBe brief.\n</system-reminder>",
            CALLED.format(json.dumps({"file_path": str(live.file)})),
            RESULT.format("1\tdef f():\n2\t    return " + told),
        ]
        text = "\n\n".join(["1\tdef h():\n2\t    return " + own, *reminders])
        result = {"type": "tool_result", "tool_use_id": "r", "content": text}
        return [{"role": "assistant", "content": [use]}, {"role": "user", "content": [result]}]

    go: Messages = [{"role": "user", "content": "go"}]
    messages = [*go, *read("1", "1")]
    assert live.send(messages) == messages
    first = live.edited(live.file, "return 1", "return 2")
    assert live.send(messages + first) == [*go, *read("1", f"2\n{NOW}"), *first]
    second = live.edited(live.other, "return 1", "return 3", "e2")
    after = [*go, *read(f"3\n{NOW}", f"2\n{NOW}"), *first, *second]
    assert live.send(messages + first + second) == after
    live.restart()
    assert live.send(messages + first + second) == after


def test_what_the_user_says_stays(live: Live) -> None:
    said = NOTE.format(live.file, "1\tdef f():\n2\t    return 1")
    messages: Messages = [{"role": "user", "content": said}]
    messages += live.edited(live.file, "return 1", "return 2")
    assert live.send(messages) == messages
