"""Which shell reads are evidence of lines, and which steps may have written anything."""

from typing import Any

import pytest

from statetape.replay.prepared import prepared
from statetape.replay.recording import Evidence, Happened, Part, Recording, Whole
from statetape.types import Call, Edit, Result, Slot


def recorded(
    tool: str,
    given: dict[str, Any] | str,
    text: str,
    *,
    agent: str = "claude-code",
    failed: bool = False,
    evidence: tuple[Evidence, ...] = (),
) -> Recording:
    call = Happened(Call(Slot("c", "input"), tool, given))
    result = Happened(Result(Slot("c", "result"), text, failed), evidence)
    return Recording("s", agent, "s.jsonl", "/r", (), (), (call, result))


def bash(command: str, text: str = "one\ntwo\nthree", **more: Any) -> Recording:
    return recorded("Bash", {"command": command}, text, **more)


def evidence(recording: Recording) -> tuple[Evidence, ...]:
    event = prepared(recording).recording.events[1]
    assert isinstance(event, Happened)
    return event.evidence


def writes(recording: Recording) -> dict[int, tuple[Edit | None, ...]]:
    return dict(prepared(recording).shell_writes)


class TestEvidence:
    @pytest.mark.parametrize(
        ("command", "text", "first"),
        [
            ("cat a.py", "one\ntwo\nthree", 1),
            ("cat a.py", "one\ntwo\nthree\n", 1),
            ("head -3 a.py", "one\ntwo\nthree", 1),
            ("sed -n '5,7p' a.py", "one\ntwo\nthree", 5),
            ("cat -n a.py", "     1\tone\n     2\ttwo\n     3\tthree", 1),
            ("nl -ba a.py", "     1\tone\n     2\ttwo\n     3\tthree", 1),
        ],
    )
    def test_a_plain_read_of_one_file_shows_its_lines(
        self, command: str, text: str, first: int
    ) -> None:
        assert evidence(bash(command, text)) == (Part("a.py", first, ("one", "two", "three")),)

    @pytest.mark.parametrize(
        "command",
        [
            "cat a.py | sort",
            "sort a.py",
            "cat a.py; echo done",
            "cat a.py && cat b.py",
            "cat a.py b.py",
            "cat a.py > b.py",
            "cat $FILE",
            "cat `which x`",
            "cat a.py &",
            "cat <<EOF\none\nEOF",
            "tail -3 a.py",
            "tail -n 3 a.py",
            "LC_ALL=C tail -3 a.py",
            "/usr/bin/tail -3 a.py",
            "bash -c 'tail -3 a.py'",
            "timeout 5 tail -n 3 a.py",
            "cat -s a.py",
            "awk '/x/' a.py",
            "sed -n '/def/,/end/p' a.py",
            "echo one",
            "ls",
            "rg one",
            "unknown-command a.py",
        ],
    )
    def test_any_other_command_shows_nothing_for_sure(self, command: str) -> None:
        assert evidence(bash(command)) == ()

    def test_a_failed_read_shows_nothing(self) -> None:
        assert evidence(bash("cat a.py", failed=True)) == ()
        assert evidence(bash("cat a.py", "Exit code 1\ncat: a.py: No such file")) == ()

    @pytest.mark.parametrize(
        "text",
        [
            "one\n... [12 lines truncated] ...\nthree",
            "one\n[... omitted 12 of 14 lines ...]\nthree",
            "one\n…120 tokens truncated…three",
        ],
    )
    def test_a_cut_text_shows_nothing(self, text: str) -> None:
        assert evidence(bash("cat a.py", text)) == ()

    def test_an_empty_text_shows_nothing(self) -> None:
        assert evidence(bash("cat a.py", "")) == ()

    def test_numbers_that_jump_show_nothing(self) -> None:
        assert evidence(bash("cat -n a.py", "1\tone\n2\ttwo\n4\tfour")) == ()

    def test_what_the_log_knows_is_better(self) -> None:
        known = (Whole("a.py", "other", "after"),)
        assert evidence(bash("cat a.py", evidence=known)) == known

    @pytest.mark.parametrize(
        ("script", "first"), [("cat a.py", 1), ("sed -n 5,7p a.py", 5), ("tail -n 3 a.py", None)]
    )
    def test_a_script_handed_to_a_shell_is_the_command(
        self, script: str, first: int | None
    ) -> None:
        given = {"command": ["bash", "-lc", script]}
        found = evidence(recorded("shell", given, "one\ntwo\nthree", agent="codex"))
        lines = ("one", "two", "three")
        assert found == (() if first is None else (Part("a.py", first, lines),))

    def test_codex_commands_count_too(self) -> None:
        text = (
            "Chunk ID: 1\nWall time: 0.1 seconds\nProcess exited with code 0\nOutput:\n"
            "one\ntwo\nthree\n"
        )
        given = {"cmd": "sed -n '5,7p' a.py"}
        found = evidence(recorded("exec_command", given, text, agent="codex"))
        assert found == (Part("a.py", 5, ("one", "two", "three")),)


class TestWrites:
    @pytest.mark.parametrize("command", ["./generate.sh", "node build.js"])
    def test_an_unknown_command_may_have_written_anything(self, command: str) -> None:
        assert writes(bash(command)) == {1: (None,)}

    @pytest.mark.parametrize("command", ["cat a.py", "ls", "git status", "rg one", "echo hello"])
    def test_a_command_that_only_looks_has_written_nothing(self, command: str) -> None:
        assert writes(bash(command)) == {}

    def test_a_command_that_says_what_it_writes_is_taken_at_its_word(self) -> None:
        (edits,) = writes(bash("rm a.py")).values()
        assert edits == (Edit("a.py", absent=True),)
        (edits,) = writes(bash("echo hello > b.txt", "")).values()
        assert [edit.path for edit in edits if edit is not None] == ["b.txt"]

    def test_its_writes_are_in_order(self) -> None:
        (edits,) = writes(bash("rm a.py; ./generate.sh; mv b.py c.py", "")).values()
        assert edits[0] == Edit("a.py", absent=True)
        assert None in edits
        assert edits[-1] is not None
        assert (edits[-1].path, edits[-1].moved_to) == ("b.py", "c.py")

    @pytest.mark.parametrize("tool", ["Task", "Agent"])
    def test_another_agent_may_have_written_anything(self, tool: str) -> None:
        assert writes(recorded(tool, {"prompt": "do it"}, "done")) == {1: (None,)}

    def test_a_plan_has_written_nothing(self) -> None:
        assert writes(recorded("TodoWrite", {"todos": []}, "ok")) == {}

    def test_an_edit_whose_effect_the_log_states_is_no_guess(self) -> None:
        given = {"file_path": "/r/a.py", "content": "x"}
        stated = (Whole("a.py", "x", "after"),)
        assert writes(recorded("Write", given, "ok", evidence=stated)) == {}

    def test_a_call_without_result_has_written_nothing_yet(self) -> None:
        call = Happened(Call(Slot("c", "input"), "Bash", {"command": "./generate.sh"}))
        ready = prepared(Recording("s", "claude-code", "s.jsonl", "/r", (), (), (call,)))
        assert ready.shell_writes == {}
