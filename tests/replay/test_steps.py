"""Events become numbered steps."""

from statetape.replay.recording import Event, Forgot, Happened, Recording, Sent
from statetape.replay.steps import steps
from statetape.types import Call, Read, Result, Say, Slot


def recorded(*events: Event) -> Recording:
    return Recording("s", "claude-code", "s.jsonl", "/r", (), (), events)


def say(name: str, role: str) -> Happened:
    return Happened(Say(Slot(name, "say"), role, "words"))  # type: ignore[arg-type]


def call(name: str, path: str = "/r/a.py") -> Happened:
    return Happened(Call(Slot(name, "input"), "Read", {"file_path": path}))


def result(name: str, *, failed: bool = False) -> Happened:
    return Happened(Result(Slot(name, "result"), "text", failed))


def test_calls_and_the_agents_own_words_are_steps() -> None:
    found = steps(
        recorded(say("u", "user"), Sent("m"), say("m", "assistant"), call("c"), result("c"))
    )
    assert found.count == 2
    assert found.remarks == {0: 0, 2: 1}
    assert found.begun == {3: (2, "read")}
    assert [(at, step.index) for at, step in found.finished.items()] == [(4, 2)]


def test_words_of_others_carry_the_number_of_the_step_before() -> None:
    found = steps(recorded(call("c"), result("c"), say("u", "user"), say("r", "system")))
    assert found.count == 1
    assert found.remarks == {2: 1, 3: 1}


def test_parallel_calls_are_numbered_as_called_and_finished_as_answered() -> None:
    found = steps(recorded(call("a", "/r/a.py"), call("b", "/r/b.py"), result("b"), result("a")))
    assert found.begun == {0: (1, "read"), 1: (2, "read")}
    assert {at: step.index for at, step in found.finished.items()} == {2: 2, 3: 1}
    assert found.finished[2].actions == (Read("b.py"),)
    assert found.finished[3].actions == (Read("a.py"),)


def test_a_call_is_known_by_its_result_from_the_start() -> None:
    events = (
        Happened(
            Call(
                Slot("c", "input"),
                "Edit",
                {"file_path": "/r/a.py", "old_string": "x", "new_string": "y"},
            )
        ),
        result("c", failed=True),
    )
    found = steps(recorded(*events))
    assert found.begun == {0: (1, "edit_failed")}
    assert found.finished[1].actions == ()


def test_a_call_without_result_is_begun_and_never_finished() -> None:
    found = steps(recorded(call("a"), Forgot()))
    assert (found.count, found.begun, found.finished) == (1, {0: (1, "read")}, {})


def test_a_result_without_its_call_is_finished_and_no_step() -> None:
    found = steps(recorded(call("a"), result("a"), result("lost")))
    assert found.count == 1
    orphan = found.finished[2]
    assert (orphan.index, orphan.kind, orphan.actions, orphan.call) == (1, "other", (), None)


def test_a_step_runs_where_its_call_says() -> None:
    event = Happened(Call(Slot("c", "input"), "Bash", {"command": "cat a.py"}), (), "lib")
    found = steps(recorded(event, result("c")))
    assert found.finished[1].cwd == "lib"
    assert found.finished[1].actions == (Read("lib/a.py"),)
