"""Recorded sessions played whole: the bundled one, and tiny ones made by hand."""

import gzip
import itertools
import json
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from statetape.context.wording import current
from statetape.errors import BadInput
from statetape.replay.player import replayed
from statetape.replay.timeline import RecordRow, Replayed

EXAMPLE = Path(__file__).parents[2] / "examples" / "config-loader.jsonl"
A = "def load():\n    return 1\n\n\ndef save():\n    return 2\n"


class Log:
    """A Claude Code session, line by line."""

    def __init__(self, folder: Path) -> None:
        self.file = folder / "session.jsonl"
        self.lines: list[dict[str, Any]] = []
        self.numbers: Iterator[int] = itertools.count(1)

    def line(self, kind: str, **more: Any) -> None:
        stated = {"type": kind, "uuid": f"u{next(self.numbers)}", "sessionId": "s"}
        self.lines.append({**stated, "version": "2.0.0", "cwd": "/r", **more})

    def user(self, text: str, **more: Any) -> None:
        self.line("user", message={"role": "user", "content": text}, **more)

    def assistant(self, *parts: dict[str, Any]) -> None:
        message = {"id": f"m{next(self.numbers)}", "model": "opus", "content": list(parts)}
        self.line("assistant", message={**message, "usage": {"input_tokens": 1}})

    def ends(self) -> None:
        self.assistant({"type": "text", "text": "Done."})

    def call(self, name: str, tool: str, **given: Any) -> dict[str, Any]:
        return {"type": "tool_use", "id": name, "name": tool, "input": given}

    def result(self, name: str, text: str, answer: Any = None, *, failed: bool = False) -> None:
        part = {"type": "tool_result", "tool_use_id": name, "content": text, "is_error": failed}
        more = {} if answer is None else {"toolUseResult": answer}
        self.line("user", message={"role": "user", "content": [part]}, **more)

    def reading(self, name: str, path: str) -> dict[str, Any]:
        return self.call(name, "Read", file_path=path)

    def shown(self, name: str, path: str, text: str) -> None:
        lines = text.splitlines()
        numbered = "\n".join(f"{n:>6}→{line}" for n, line in enumerate(lines, 1))
        file = {"filePath": path, "content": text, "startLine": 1}
        file |= {"numLines": len(text.split("\n")), "totalLines": len(text.split("\n"))}
        self.result(name, numbered, {"type": "text", "file": file})

    def editing(self, name: str, path: str, old: str, new: str) -> dict[str, Any]:
        return self.call(name, "Edit", file_path=path, old_string=old, new_string=new)

    def edited(self, name: str, path: str, before: str, old: str, new: str) -> None:
        answer = {"filePath": path, "oldString": old, "newString": new, "originalFile": before}
        self.result(name, f"The file {path} has been updated.", answer)

    def read(self, name: str, path: str, text: str) -> None:
        self.assistant(self.reading(name, path))
        self.shown(name, path, text)

    def edit(self, name: str, path: str, before: str, old: str, new: str) -> None:
        self.assistant(self.editing(name, path, old, new))
        self.edited(name, path, before, old, new)

    def write(self, name: str, path: str, before: str | None, text: str) -> None:
        self.assistant(self.call(name, "Write", file_path=path, content=text))
        kind = "create" if before is None else "update"
        answer = {"type": kind, "filePath": path, "content": text, "originalFile": before}
        self.result(name, "The file has been written.", {**answer, "structuredPatch": []})

    def bash(self, name: str, command: str, text: str = "", *, failed: bool = False) -> None:
        self.assistant(self.call(name, "Bash", command=command))
        self.result(name, text, failed=failed)

    def played(self, **options: Any) -> Replayed:
        self.file.write_text("".join(json.dumps(line) + "\n" for line in self.lines), "utf-8")
        return replayed(self.file, check=True, **options)


@pytest.fixture
def log(tmp_path: Path) -> Log:
    return Log(tmp_path)


def record(found: Replayed, name: str, side: str = "result") -> RecordRow:
    (row,) = (row for row in found.records if (row.id, row.side) == (name, side))
    return row


def states(found: Replayed, name: str, side: str = "result") -> list[str]:
    return [passage.state for passage in record(found, name, side).life]


def sound(found: Replayed) -> Replayed:
    assert found.check is not None
    assert (found.check.misses, found.check.over_nominations) == (0, 0)
    assert found.problems == ()
    return found


@pytest.fixture(scope="module")
def example() -> Replayed:
    return replayed(EXAMPLE, check=True)


class TestExample:
    def test_is_sound_and_has_no_problems(self, example: Replayed) -> None:
        sound(example)
        assert example.check is not None
        assert example.check.writes == len(example.writes) > 10
        assert example.check.held_reads > 50

    def test_sends_nothing_stale_under_the_default_policy(self, example: Replayed) -> None:
        assert example.tokens.stale_sent_policy == 0
        assert example.tokens.stale_sent_control > 0
        assert all(moment.stale == 0 for moment in example.moments)

    def test_every_change_is_of_a_nominated_record(self, example: Replayed) -> None:
        changed = {row.id for row in example.records if row.now is not None}
        stale = {row.id for row in example.records if "stale" in {p.state for p in row.life}}
        assert changed
        assert changed <= stale
        assert sum(example.actions.values()) >= len(changed)

    def test_under_control_nothing_changes(self, example: Replayed) -> None:
        control = replayed(EXAMPLE, policy="control")
        assert control.check is None
        assert not any(control.actions.values())
        assert control.tokens.sent_policy == control.tokens.sent_control
        assert control.tokens.sent_control == example.tokens.sent_control
        assert control.tokens.stale_sent_policy == control.tokens.stale_sent_control
        assert all(row.now is None for row in control.records)
        assert control.nominations > 0

    def test_stale_inputs_are_sent_unless_they_are_rewritten(self, example: Replayed) -> None:
        assert example.tokens.stale_inputs_sent > 0
        rewritten = replayed(EXAMPLE, rewrite_inputs=True)
        assert rewritten.tokens.stale_inputs_sent == 0
        assert rewritten.tokens.stale_sent_policy == 0

    def test_the_parts_of_each_request_are_what_was_sent(self, example: Replayed) -> None:
        sums = [m.fresh + m.finished + m.stale + m.ours for m in example.moments]
        assert sum(sums) == example.tokens.sent_policy
        assert sum(m.control for m in example.moments) == example.tokens.sent_control
        assert max(m.control for m in example.moments) == example.tokens.held_peak
        assert sum(m.control_stale for m in example.moments) == example.tokens.stale_sent_control
        assert min(min(moment) for moment in example.moments) >= 0
        assert [m.request for m in example.moments] == list(range(1, len(example.moments) + 1))

    def test_a_packed_file_is_the_same_session(self, example: Replayed, tmp_path: Path) -> None:
        packed = tmp_path / "config-loader.jsonl.gz"
        packed.write_bytes(gzip.compress(EXAMPLE.read_bytes()))
        found = replayed(packed, check=True)
        assert found.id == example.id
        assert (found.writes, found.records) == (example.writes, example.records)
        assert (found.tokens, found.check) == (example.tokens, example.check)


class TestSteps:
    def test_a_read_goes_stale_with_the_edit_and_is_refreshed_at_the_next_request(
        self, log: Log
    ) -> None:
        log.read("r", "/r/a.py", A)
        log.edit("e", "/r/a.py", A, "return 2", "return 3")
        log.ends()
        found = sound(log.played())
        assert states(found, "r") == ["fresh", "stale", "refreshed"]
        life = record(found, "r").life
        assert [passage.step for passage in life] == [1, 2, 2]
        assert life[1].because == ("a.py::save",)
        assert (record(found, "r").now or "").endswith(f"     6→    return 3\n{current()}")
        assert [step.kind for step in found.steps] == ["read", "edit", "say"]
        assert [step.title for step in found.steps] == ["read a.py", "edit a.py", "remark"]
        (write,) = found.writes
        assert (write.step, write.path, write.hand, write.body) == (2, "a.py", "agent", life[1][2])

    def test_a_failed_edit_writes_nothing(self, log: Log) -> None:
        log.read("r", "/r/a.py", A)
        log.assistant(log.editing("e", "/r/a.py", "return 9", "return 3"))
        log.result("e", "String to replace not found", failed=True)
        log.ends()
        found = sound(log.played())
        assert found.writes == ()
        assert states(found, "r") == ["fresh"]
        assert [step.kind for step in found.steps] == ["read", "edit_failed", "say"]

    def test_a_test_run_is_asked_for_again_after_a_write(self, log: Log) -> None:
        log.read("r", "/r/a.py", A)
        log.bash("t", "pytest -q", "1 passed")
        log.edit("e", "/r/a.py", A, "return 2", "return 3")
        log.ends()
        found = sound(log.played())
        assert states(found, "t") == ["fresh", "stale", "rerun"]
        assert "pytest -q" in (record(found, "t").now or "")
        assert found.actions == {
            "refresh": 1, "drop": 0, "rerun": 1, "keep": 0, "evict": 0, "mask": 0,
            "retrieve": 0,
        }  # fmt: skip

    def test_an_edit_taken_back_before_the_next_request_changes_nothing(self, log: Log) -> None:
        log.read("r", "/r/a.py", A)
        changed = A.replace("return 2", "return 3")
        log.assistant(
            log.editing("e1", "/r/a.py", "return 2", "return 3"),
            log.editing("e2", "/r/a.py", "return 3", "return 2"),
        )
        log.edited("e1", "/r/a.py", A, "return 2", "return 3")
        log.edited("e2", "/r/a.py", changed, "return 3", "return 2")
        log.ends()
        found = sound(log.played())
        assert states(found, "r") == ["fresh", "stale", "fresh"]
        assert record(found, "r").now is None
        assert found.tokens.stale_sent_control == 0


class TestParallel:
    """A read and an edit of one file in one message, answered in either order."""

    def test_read_answered_first(self, log: Log) -> None:
        log.read("first", "/r/a.py", A)
        log.assistant(
            log.reading("r", "/r/a.py"), log.editing("e", "/r/a.py", "return 2", "return 3")
        )
        log.shown("r", "/r/a.py", A)
        log.edited("e", "/r/a.py", A, "return 2", "return 3")
        log.ends()
        found = sound(log.played())
        assert states(found, "r") == ["fresh", "stale", "refreshed"]
        assert found.tokens.stale_sent_policy == 0

    def test_edit_answered_first_and_the_read_saw_it(self, log: Log) -> None:
        log.read("first", "/r/a.py", A)
        log.assistant(
            log.editing("e", "/r/a.py", "return 2", "return 3"), log.reading("r", "/r/a.py")
        )
        log.edited("e", "/r/a.py", A, "return 2", "return 3")
        log.shown("r", "/r/a.py", A.replace("return 2", "return 3"))
        log.ends()
        found = sound(log.played())
        assert states(found, "r") == ["fresh"]
        assert states(found, "first") == ["fresh", "stale", "refreshed"]

    def test_edit_answered_first_and_the_search_did_not_see_it(self, log: Log) -> None:
        log.read("first", "/r/a.py", A)
        log.assistant(
            log.editing("e", "/r/a.py", "def save", "def store"),
            log.call("g", "Grep", pattern="def ", output_mode="content"),
        )
        log.edited("e", "/r/a.py", A, "def save", "def store")
        log.result("g", "a.py:1:def load():\na.py:5:def save():")
        log.ends()
        found = sound(log.played())
        assert states(found, "g") == ["fresh", "stale", "refreshed"]
        assert "a.py:5:def store():" in (record(found, "g").now or "")

    def test_results_in_another_order_than_their_calls_keep_their_steps(self, log: Log) -> None:
        log.assistant(log.reading("one", "/r/a.py"), log.reading("two", "/r/b.py"))
        log.shown("two", "/r/b.py", "x = 1\n")
        log.shown("one", "/r/a.py", A)
        log.ends()
        found = sound(log.played())
        assert record(found, "one").step == 1
        assert record(found, "two").step == 2
        assert [step.title for step in found.steps] == ["read a.py", "read b.py", "remark"]


class TestConversation:
    def test_a_compaction_forgets_what_came_before(self, log: Log) -> None:
        log.user("please")
        log.read("r", "/r/a.py", A)
        log.line("system", subtype="compact_boundary", content="Conversation compacted")
        log.user("a summary", isCompactSummary=True)
        log.edit("e", "/r/a.py", A, "return 2", "return 3")
        log.ends()
        found = sound(log.played())
        assert states(found, "r") == ["fresh", "forgotten"]
        assert found.nominations == 0
        assert found.check is not None
        assert found.check.held_reads == 0
        (first, second, third) = found.moments
        assert first.control > 0
        assert third.control > second.control

    def test_a_call_without_result_is_held_as_it_is(self, log: Log) -> None:
        log.assistant(log.reading("r", "/r/a.py"))
        found = sound(log.played())
        assert [(row.id, row.side) for row in found.records] == [("r", "input")]
        assert [step.kind for step in found.steps] == ["read"]

    def test_a_result_without_call_is_a_problem_and_is_held(self, log: Log) -> None:
        log.read("r", "/r/a.py", A)
        log.result("lost", "hello")
        log.ends()
        found = log.played()
        assert any("lost" in problem for problem in found.problems)
        assert record(found, "lost").text == "hello"

    def test_an_empty_conversation_sends_nothing(self, log: Log) -> None:
        log.user("hello")
        found = sound(log.played())
        assert (found.moments, found.writes, found.tokens.sent_control) == ((), (), 0)
        assert len(found.records) == 1


class TestFiles:
    def test_a_change_that_nothing_explains_is_an_external_write(self, log: Log) -> None:
        log.read("r1", "/r/a.py", A)
        log.read("r2", "/r/a.py", A.replace("return 2", "return 3"))
        log.ends()
        found = sound(log.played())
        (write,) = found.writes
        assert (write.hand, write.body) == ("external", ("a.py::save",))
        assert states(found, "r1") == ["fresh", "stale", "refreshed"]
        assert states(found, "r2") == ["fresh"]

    def test_a_change_after_an_unknown_command_is_the_shells(self, log: Log) -> None:
        log.read("r1", "/r/a.py", A)
        log.bash("b", "./generate.sh", "ok")
        log.read("r2", "/r/a.py", A.replace("return 2", "return 3"))
        log.ends()
        found = sound(log.played())
        (write,) = found.writes
        assert (write.hand, write.step) == ("shell", 2)

    def test_a_created_file_makes_a_listing_stale_and_a_deleted_one_its_read(
        self, log: Log
    ) -> None:
        log.bash("ls", "git ls-files", "a.py")
        log.write("w", "/r/new.py", None, "x = 1\n")
        log.read("r", "/r/new.py", "x = 1\n")
        log.bash("rm", "rm new.py")
        log.ends()
        found = sound(log.played())
        assert states(found, "ls")[:2] == ["fresh", "stale"]
        assert states(found, "r") == ["fresh", "stale", "dropped"]
        assert [write.path for write in found.writes] == ["new.py", "new.py"]
        assert found.writes[0].created == ("new.py::", "new.py::x")
        assert found.writes[1].body == ("new.py::", "new.py::x")

    def test_a_renamed_file_is_gone_from_its_old_path(self, log: Log) -> None:
        log.read("r", "/r/a.py", A)
        log.bash("mv", "git mv a.py b.py")
        log.read("r2", "/r/b.py", A)
        log.ends()
        found = sound(log.played())
        assert [(write.path, write.step) for write in found.writes] == [("a.py", 2), ("b.py", 2)]
        assert states(found, "r") == ["fresh", "stale", "dropped"]
        assert states(found, "r2") == ["fresh"]

    def test_files_outside_the_repository_are_followed_by_their_full_path(self, log: Log) -> None:
        log.read("r", "/elsewhere/x.py", A)
        log.edit("e", "/elsewhere/x.py", A, "return 2", "return 3")
        log.ends()
        found = sound(log.played())
        assert [write.path for write in found.writes] == ["/elsewhere/x.py"]
        assert states(found, "r") == ["fresh", "stale", "refreshed"]

    def test_a_file_with_carriage_returns_and_a_mark_is_followed(self, log: Log) -> None:
        text = "\ufeff" + A.replace("\n", "\r\n")
        log.read("r", "/r/a.py", A)
        log.edit("e", "/r/a.py", text, "return 2", "return 3")
        log.edit("e2", "/r/a.py", text.replace("return 2", "return 3"), "return 1", "return 4")
        log.ends()
        found = sound(log.played())
        assert [write.body for write in found.writes if write.hand == "agent"] == [
            ("a.py::save",),
            ("a.py::load",),
        ]
        assert (record(found, "r").now or "").count("return") == 2

    def test_characters_of_any_kind_are_followed(self, log: Log) -> None:
        text = "name = 'ä\udcff\ufffd'\nvalue = '\u2028 \x0b \x85'\n"
        log.read("r", "/r/a.py", text)
        log.edit("e", "/r/a.py", text, "name", "names")
        log.ends()
        found = log.played()
        assert found.check is not None
        assert found.check.misses == 0
        assert found.tokens.stale_sent_policy == 0

    def test_the_text_of_a_link_is_a_file(self, log: Log) -> None:
        log.read("r", "/r/link", "a.py")
        log.write("w", "/r/link", "a.py", "b.py")
        log.ends()
        found = sound(log.played())
        assert states(found, "r") == ["fresh", "stale", "refreshed"]

    def test_a_file_of_five_megabytes_is_followed(self, log: Log) -> None:
        text = "".join(f"value_{n} = {'x' * 40}\n" for n in range(95_000))
        assert len(text) > 5_000_000
        log.assistant(log.call("r", "Read", file_path="/r/big.py", offset=10, limit=2))
        rows = text.splitlines()[9:11]
        file = {"filePath": "/r/big.py", "content": "\n".join(rows), "startLine": 10}
        log.result(
            "r", f"10\t{rows[0]}\n11\t{rows[1]}", {"file": {**file, "numLines": 2,
            "totalLines": 95_001}},
        )  # fmt: skip
        log.edit("e", "/r/big.py", text, rows[0], "changed = 1")
        log.edit("e2", "/r/big.py", text.replace(rows[0], "changed = 1"), "value_94999 ", "end ")
        log.ends()
        found = sound(log.played())
        assert record(found, "r").now == f"10\tchanged = 1\n11\t{rows[1]}\n{current()}"
        assert len(found.writes) == 2


class TestRepository:
    @pytest.fixture
    def repo(self, tmp_path: Path) -> Path:
        repo = tmp_path / "repo"
        repo.mkdir()

        def git(*words: str) -> None:
            who = ["-c", "user.name=a", "-c", "user.email=a@b", "-c", "init.defaultBranch=main"]
            subprocess.run(["git", "-C", str(repo), *who, *words], check=True, capture_output=True)

        git("init")
        (repo / "a.py").write_bytes(A.encode())
        (repo / "b.py").write_bytes(b"from a import save\n\n\ndef run():\n    return save()\n")
        (repo / "data.bin").write_bytes(bytes(range(256)))
        (repo / "latin.py").write_bytes(b"name = '\xe4'\n")
        (repo / "link").symlink_to("a.py")
        git("add", "-A")
        git("commit", "-m", "one")
        (repo / "a.py").write_bytes(b"changed later\n")
        return repo

    def test_gives_the_files_that_the_session_does_not_show(self, log: Log, repo: Path) -> None:
        log.read("r", "/r/b.py", (repo / "b.py").read_text())
        log.assistant(log.editing("e", "/r/a.py", "def save", "def store"))
        log.result(
            "e",
            "The file has been updated.",
            {"filePath": "/r/a.py", "oldString": "def save", "newString": "def store"},
        )
        log.ends()
        found = sound(log.played(repo=repo))
        (write,) = found.writes
        assert (write.hand, write.dispatch) == ("agent", ("b.py::run",))
        assert states(found, "r") == ["fresh", "stale", "dropped"]

    def test_a_session_that_contradicts_the_commit_says_so(self, log: Log, repo: Path) -> None:
        log.read("r", "/r/a.py", A.replace("return 2", "return 9"))
        log.ends()
        found = sound(log.played(repo=repo, base="HEAD"))
        (write,) = found.writes
        assert write.hand == "external"
        assert "base commit" in write.why

    def test_files_that_are_no_text_may_be_removed_and_moved(self, log: Log, repo: Path) -> None:
        log.bash("c", "git mv data.bin moved.bin && rm latin.py link")
        log.ends()
        found = sound(log.played(repo=repo))
        assert sorted(write.path for write in found.writes) == [
            "data.bin",
            "latin.py",
            "link",
            "moved.bin",
        ]

    def test_nothing_is_written_anywhere(self, log: Log, repo: Path) -> None:
        log.write("w", "/r/new.py", None, "x = 1\n")
        log.edit("e", "/r/a.py", A, "return 2", "return 3")
        log.ends()
        before = {path: path.lstat().st_mtime_ns for path in repo.rglob("*")}
        log.played(repo=repo)
        assert {path: path.lstat().st_mtime_ns for path in repo.rglob("*")} == before

    def test_a_base_needs_a_repository_and_must_exist(self, log: Log, repo: Path) -> None:
        log.user("hello")
        with pytest.raises(BadInput, match="--repo"):
            log.played(base="HEAD")
        with pytest.raises(BadInput, match="no such revision"):
            log.played(repo=repo, base="nonsense")


class TestBadInput:
    def test_an_unknown_policy(self, log: Log) -> None:
        log.user("hello")
        with pytest.raises(BadInput, match="no policy"):
            log.played(policy="nonsense")

    @pytest.mark.parametrize("data", [b"", b"hello\n", b"{}\n", b"\x00\xff", b"[1, 2]"])
    def test_a_file_that_is_no_session(self, tmp_path: Path, data: bytes) -> None:
        file = tmp_path / "session.jsonl"
        file.write_bytes(data)
        with pytest.raises(BadInput):
            replayed(file)

    def test_no_file(self, tmp_path: Path) -> None:
        with pytest.raises(BadInput):
            replayed(tmp_path / "none.jsonl")

    def test_a_session_cut_anywhere_is_played_as_far_as_it_goes(self, tmp_path: Path) -> None:
        data = EXAMPLE.read_bytes()
        for share in range(1, 12):
            file = tmp_path / f"cut-{share}.jsonl"
            file.write_bytes(data[: len(data) * share // 12])
            found = replayed(file, check=True)
            assert found.check is not None
            assert (found.check.misses, found.check.over_nominations) == (0, 0)
            assert found.tokens.stale_sent_policy == 0


class TestSabotage:
    """The oracle shares nothing with the tape: it sees what a broken tape does."""

    def test_a_tape_that_nominates_nothing_has_misses(
        self, log: Log, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("statetape.judgements.nomination", lambda *_: None)
        log.read("r", "/r/a.py", A)
        log.edit("e", "/r/a.py", A, "return 2", "return 3")
        log.ends()
        found = log.played()
        assert found.check is not None
        assert (found.check.misses, found.check.over_nominations) == (1, 0)
        assert found.nominations == 0

    def test_a_tape_that_always_nominates_has_over_nominations(
        self, log: Log, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        from statetape.tape import Present, Tape
        from statetape.types import Nomination, Record

        def always(record: Record, tape: Tape, _: Present) -> Nomination:
            return Nomination(record, frozenset(), frozenset(), tape.now, "keep")

        monkeypatch.setattr("statetape.judgements.nomination", always)
        log.read("r", "/r/a.py", A)
        log.edit("e", "/r/a.py", A, A, f"{A}\n\nlast = 1\n")
        log.ends()
        found = log.played(policy="control")
        assert found.check is not None
        assert (found.check.misses, found.check.over_nominations) == (0, 1)
