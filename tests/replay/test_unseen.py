"""Writes whose outcome a recording never shows."""

from typing import Any

import pytest

from statetape.replay.history import history
from statetape.replay.prepared import prepared
from statetape.replay.recording import Event, Happened, Part, Recording
from statetape.replay.unseen import unseen
from statetape.types import Call, Result, Slot


def bash(number: int, command: str, text: str = "", evidence: Any = ()) -> list[Event]:
    slot = f"t{number}"
    return [
        Happened(Call(Slot(slot, "input"), "Bash", {"command": command})),
        Happened(Result(Slot(slot, "result"), text), evidence),
    ]


def paths(*events: Event) -> dict[int, tuple[str, ...]]:
    recording = Recording("s", "claude-code", "s.jsonl", "/r", (), (), events)
    ready = prepared(recording)
    return dict(unseen(ready, history(ready.recording, None, ready.shell_writes)))


@pytest.mark.parametrize("command", ["sed -i s/a/b/ m.py", "cp n.py m.py", "truncate -s 0 m.py"])
def test_a_command_whose_outcome_is_never_shown_leaves_its_file_unseen(command: str) -> None:
    assert paths(*bash(1, command)) == {1: ("m.py",)}


def test_a_file_that_is_shown_later_is_known_again() -> None:
    later = bash(2, "cat m.py", "b = 1\n", (Part("m.py", 1, ("b = 1",)),))
    assert paths(*bash(1, "sed -i s/a/b/ m.py"), *later) == {}


@pytest.mark.parametrize("command", ["echo 'x = 1' > m.py", "rm m.py", "mv m.py n.py", "cat m.py"])
def test_a_command_that_says_what_it_makes_leaves_nothing_unseen(command: str) -> None:
    assert paths(*bash(1, command)) == {}
