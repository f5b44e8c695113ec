"""Where decision points lie."""

from pathlib import Path

import pytest
from tests.bench.sessions import Told, before_edits

from statetape.bench.points import Cut, Taken, cuts, taken
from statetape.replay.prepared import prepared
from statetape.replay.transcripts import recording

A = "".join(f"def f{n}():\n    return {n}\n\n\n" for n in range(6))


@pytest.fixture
def told(tmp_path: Path) -> Told:
    return Told(tmp_path, {"a.py": A, "README.md": "# A\n"})


def found(told: Told) -> tuple[Cut, ...]:
    return cuts(taken(prepared(recording(told.saved()))))


def bursts(told: Told, reading: str) -> list[tuple[int, int]]:
    left_out = {"usual": "strict", "strict": "usual"}[reading]
    return [
        (cut.burst.first, cut.burst.last)
        for cut in found(told)
        if cut.family == "P" and cut.reading != left_out and cut.burst
    ]


def change(told: Told, number: int) -> None:
    told.edit("a.py", f"return {number}\n", f"return 1{number}\n")


class TestBursts:
    def test_consecutive_edits_are_one(self, told: Told) -> None:
        change(told, 0)
        change(told, 1)
        assert bursts(told, "usual") == bursts(told, "strict") == [(1, 2)]
        assert {cut.reading for cut in found(told) if cut.family == "P"} == {"both"}

    def test_words_and_to_do_lists_and_failed_edits_do_not_break_one(self, told: Told) -> None:
        change(told, 0)
        told.say("Next.")
        change(told, 1)
        told.to_do()
        change(told, 2)
        told.failed_edit("a.py")
        change(told, 3)
        assert bursts(told, "usual") == [(1, 7)]
        assert bursts(told, "strict") == [(1, 1), (3, 3), (5, 5), (7, 7)]

    @pytest.mark.parametrize("breaking", ["read", "test", "search"])
    def test_any_other_step_does(self, told: Told, breaking: str) -> None:
        change(told, 0)
        if breaking == "read":
            told.read("a.py")
        else:
            told.bash({"test": "pytest -q", "search": "grep -rn f1 ."}[breaking], "x")
        change(told, 1)
        assert bursts(told, "usual") == bursts(told, "strict") == [(1, 1), (3, 3)]

    def test_those_that_begin_in_one_answer_are_one(self, told: Told) -> None:
        change(told, 0)
        told.bash("pytest", "1 passed")
        change(told, 1)
        first = next(row for row in told.rows if row["type"] == "assistant")["message"]
        later = [row for row in told.rows if row["type"] == "assistant"][1:]
        first["content"] += [part for row in later for part in row["message"]["content"]]
        told.rows = [row for row in told.rows if row not in later]
        assert bursts(told, "usual") == [(1, 3)]

    def test_a_command_that_writes_is_an_edit(self, told: Told) -> None:
        told.bash("cat > new.py <<'EOF'\ndef g():\n    return 1\nEOF")
        (cut,) = (cut for cut in found(told) if cut.family == "P")
        assert cut.shell

    def test_the_edits_before_a_point_are_counted(self, told: Told) -> None:
        change(told, 0)
        change(told, 1)
        told.read("a.py")
        change(told, 2)
        assert [(cut.family, cut.edits) for cut in found(told)] == [("P", 0), ("P", 2), ("F", 3)]


class TestSkipped:
    def test_bursts_of_the_shell_that_touch_no_definition_are_counted(self, told: Told) -> None:
        told.bash("echo hello > notes.txt")
        told.read("a.py")
        told.bash("cat > new.py <<'EOF'\ndef g():\n    return 1\nEOF")
        told.read("a.py")
        told.edit("README.md", "# A", "# B")
        labels = told.labelled()
        assert labels.skipped_bursts == 1
        assert [point.burst and point.burst.first for point in before_edits(labels)] == [3, 5]


class TestOthers:
    def test_a_point_follows_each_test_run(self, told: Told) -> None:
        told.bash("pytest -q", "1 failed", failed=True)
        told.bash("ls", "a.py")
        told.bash("pytest -q", "1 passed")
        change(told, 0)
        points = [cut for cut in found(told) if cut.family == "T"]
        assert [cut.request for cut in points] == [2, 4]
        assert [cut.burst and cut.burst.first for cut in points] == [4, 4]

    def test_the_end_is_one(self, told: Told) -> None:
        told.read("a.py")
        last = told.labelled().points[-1]
        assert (last.family, last.burst, last.needed, last.missing) == ("F", None, (), 0)
        assert last.request == 2
        assert {each.verdict for each in last.held} <= {"stale", "superseded", "finished"}

    def test_of_one_request_p_stands_before_t(self, told: Told) -> None:
        told.bash("pytest -q", "1 failed")
        change(told, 0)
        assert [cut.family for cut in found(told)] == ["P", "T", "F"]
        assert [cut.request for cut in found(told)] == [2, 2, 3]


class TestContext:
    def test_is_what_the_request_before_the_burst_carries(self, told: Told) -> None:
        read = told.read("a.py")
        told.say("I know what to do.")
        change(told, 0)
        (point,) = before_edits(told.labelled())
        assert (point.step, point.tick, point.request) == (2, 0, 3)
        assert [each.id for each in point.held if each.side == "result"] == [read]

    def test_sub_agents_have_no_part_in_it(self, told: Told) -> None:
        before = len(told.rows)
        told.read("a.py")
        change(told, 1)
        for row in told.rows[before:]:
            row["isSidechain"] = True
        told.files["a.py"] = A
        change(told, 0)
        (point,) = before_edits(told.labelled())
        assert [each.side for each in point.held] == ["say"]


def test_the_real_sessions_have_as_many_bursts_as_an_independent_script_counts(
    transcripts: Path,
) -> None:
    import json

    rows = next(iter(v for k, v in json.loads((transcripts / "index.json").read_bytes()).items()
                     if k != "note"))  # fmt: skip
    apart = []
    for row in rows[:4] + rows[14:18] + rows[-4:]:
        steps = taken(prepared(recording(transcripts / row["file"])))
        ours = [cut for cut in cuts(steps) if cut.family == "P" and not cut.shell]
        usual = sum(cut.reading != "strict" for cut in ours)
        apart.append(abs(usual - row["edit_bursts"]) / row["edit_bursts"])
    assert sum(apart) / len(apart) < 0.1


def test_a_step_knows_what_it_is() -> None:
    step = Taken(1, "say", 1, None, 2)
    assert (step.edits, step.tests, step.keeps) == (False, False, True)
