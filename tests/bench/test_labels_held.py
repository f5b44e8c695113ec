"""The held side: verdicts by what the repository holds, and the next use."""

from pathlib import Path

import pytest
from tests.bench.sessions import Told, before_edits, record

from statetape.bench.labels import Point

A = "".join(f"def f{n}():\n    return {n}\n\n\n" for n in range(9))


@pytest.fixture
def told(tmp_path: Path) -> Told:
    return Told(tmp_path, {"a.py": A, "b.py": A, "c.py": "X = 1\n"})


def last(told: Told) -> Point:
    return before_edits(told.labelled())[-1]


class TestVerdicts:
    def test_what_overlaps_gold_is_needed(self, told: Told) -> None:
        of_it, beside = told.read("a.py", 1, 2), told.read("a.py", 9, 10)
        told.edit("a.py", "return 0", "return 10")
        assert record(last(told), of_it).verdict == "needed"
        assert record(last(told), beside).verdict == "finished"

    def test_what_the_burst_quotes_is_needed_without_gold(self, told: Told) -> None:
        told.start["tests/test_a.py"] = told.files["tests/test_a.py"] = A
        read = told.read("tests/test_a.py", 1, 3)
        told.edit("tests/test_a.py", "return 0", "return 10")
        point = last(told)
        assert point.needed == ()
        assert record(point, read).verdict == "needed"

    def test_what_is_not_as_it_is_shown_is_stale(self, told: Told) -> None:
        read = told.read("a.py", 1, 6)
        told.edit("a.py", "return 0", "return 10")
        told.read("c.py")
        told.edit("c.py", "X = 1", "X = 2")
        assert record(last(told), read).verdict == "stale"

    def test_what_has_only_moved_is_not(self, told: Told) -> None:
        read = told.read("a.py", 9, 10)
        told.edit("a.py", "return 0\n", "return 0\n\n\ndef g():\n    return 3\n")
        told.read("c.py")
        told.edit("c.py", "X = 1", "X = 2")
        point = last(told)
        assert record(point, read).verdict == "finished"
        assert record(point, read).span == (13, 14)

    def test_what_was_changed_and_put_back_is_not(self, told: Told) -> None:
        read = told.read("a.py", 1, 2)
        told.edit("a.py", "return 0", "return 10")
        told.edit("a.py", "return 10", "return 0")
        told.read("c.py")
        told.edit("c.py", "X = 1", "X = 2")
        assert record(last(told), read).verdict == "finished"

    def test_what_was_read_beside_the_edit_that_changed_it_is(self, told: Told) -> None:
        told.read("a.py")
        told.edit("a.py", "return 0", "return 10")
        read = told.bash("cat a.py && echo", A)
        edit, beside = [row for row in told.rows if row["type"] == "assistant"][1:]
        edit["message"]["content"] += beside["message"]["content"]
        told.rows.remove(beside)
        told.read("c.py")
        told.edit("c.py", "X = 1", "X = 2")
        assert record(last(told), read).verdict == "stale"

    def test_a_change_by_another_hand_counts(self, told: Told) -> None:
        read = told.read("a.py", 1, 2)
        told.files["a.py"] = A.replace("return 0", "return 10")
        told.read("a.py", 1, 2)
        told.edit("c.py", "X = 1", "X = 2")
        assert record(last(told), read).verdict == "stale"

    def test_a_test_result_is_stale_with_any_change(self, told: Told) -> None:
        run = told.bash("pytest -q", "1 passed")
        told.edit("a.py", "return 0", "return 10")
        told.read("c.py")
        told.edit("c.py", "X = 1", "X = 2")
        assert record(last(told), run).verdict == "stale"

    def test_what_a_later_read_shows_is_superseded(self, told: Told) -> None:
        read, again = told.read("a.py", 9, 10), told.read("a.py", 7, 12)
        told.edit("c.py", "X = 1", "X = 2")
        point = last(told)
        assert record(point, read).verdict == "superseded"
        assert record(point, again).verdict == "finished"

    def test_the_same_command_again_supersedes_a_run(self, told: Told) -> None:
        run, other = told.bash("pytest -q", "1 passed"), told.bash("pytest -x", "1 passed")
        told.bash("pytest -q", "1 passed")
        told.edit("c.py", "X = 1", "X = 2")
        point = last(told)
        assert record(point, run).verdict == "superseded"
        assert record(point, other).verdict == "finished"

    def test_what_the_client_forgot_is_not_held(self, told: Told) -> None:
        read = told.read("a.py")
        told.rows.append({
            "type": "system", "subtype": "compact_boundary", "uuid": "c", "sessionId": "s",
            "cwd": "/r", "version": "2.0.0", "content": "Conversation compacted",
        })  # fmt: skip
        told._line("user", message={"role": "user", "content": "Summary."}, isCompactSummary=True)
        told.edit("c.py", "X = 1", "X = 2")
        assert read not in {each.id for each in last(told).held}


class TestNextUse:
    def test_is_the_next_step_that_quotes_reads_or_runs_it(self, told: Told) -> None:
        quoted, reread = told.read("a.py", 1, 2), told.read("b.py", 1, 2)
        run, never = told.bash("pytest -q", "1 passed"), told.read("b.py", 9, 10)
        told.edit("c.py", "X = 1", "X = 2")
        told.edit("a.py", "return 0", "return 10")
        told.read("b.py", 1, 6)
        told.bash("pytest -q", "1 passed")
        (point,) = before_edits(told.labelled())
        uses = [record(point, each).next_use for each in (quoted, reread, run, never)]
        assert uses == [6, 7, 8, None]
