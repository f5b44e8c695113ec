import json
from collections.abc import Callable
from typing import Any

import pytest

from statetape.replay.recording import (
    Event,
    Forgot,
    Happened,
    Hunk,
    Noticed,
    Patched,
    Recording,
    Sent,
    Whole,
)
from statetape.types import Call, Result, Say, Slot, Usage

Read = Callable[..., Recording]


def line(kind: str, **payload: Any) -> dict[str, Any]:
    return {"timestamp": "t", "type": kind, "payload": payload}


META = line("session_meta", id="s1", cwd="/r", cli_version="0.140.0")
TURN = line("turn_context", cwd="/r", model="gpt")


def item(kind: str, **stated: Any) -> dict[str, Any]:
    return line("response_item", type=kind, **stated)


def message(role: str, *texts: str) -> dict[str, Any]:
    content = [{"type": "input_text", "text": text} for text in texts]
    return item("message", role=role, content=content)


def call(name: str = "exec_command", id: str = "c1", **given: Any) -> dict[str, Any]:  # noqa: A002
    return item("function_call", name=name, arguments=json.dumps(given), call_id=id)


def custom(name: str, text: str = "", id: str = "c1") -> dict[str, Any]:  # noqa: A002
    return item("custom_tool_call", name=name, input=text, call_id=id)


def output(text: Any = "ok", id: str = "c1", kind: str = "function") -> dict[str, Any]:  # noqa: A002
    return item(f"{kind}_call_output", call_id=id, output=text)


def used(total: int, sent: int = 10, cached: int = 4) -> dict[str, Any]:
    last = {"input_tokens": sent, "cached_input_tokens": cached, "output_tokens": 2}
    info = {"total_token_usage": {"total_tokens": total}, "last_token_usage": last}
    return line("event_msg", type="token_count", info=info)


def applied(id: str = "c1", success: bool = True, **changes: Any) -> dict[str, Any]:  # noqa: A002,FBT001,FBT002
    named = {f"/r/{name}": change for name, change in changes.items()}
    return line("event_msg", type="patch_apply_end", call_id=id, success=success, changes=named)


def update(diff: str, **more: Any) -> dict[str, Any]:
    return {"type": "update", "unified_diff": diff, "move_path": None} | more


def kinds(events: tuple[Event, ...]) -> list[str]:
    return [
        type(event.block if isinstance(event, Happened) else event).__name__ for event in events
    ]


def last(found: Recording) -> Happened:
    event = found.events[-1]
    assert isinstance(event, Happened)
    return event


def test_a_rollout_is_its_response_items_in_order(read: Read) -> None:
    found = read(
        META,
        TURN,
        message("developer", "rules"),
        message("user", "fix", "it"),
        line("event_msg", type="user_message", message="fix it"),
        item("reasoning", summary=[]),
        message("assistant", "I look"),
        call(cmd="ls"),
        output("a\n"),
        used(1),
        META,
    )
    assert kinds(found.events) == ["Say", "Say", "Sent", "Say", "Call", "Result"]
    said = [event.block for event in found.events if isinstance(event, Happened)][:3]
    assert [block.role for block in said if isinstance(block, Say)] == [
        "system", "user", "assistant"]  # fmt: skip
    assert said[1] == Say(Slot("line-4", "say"), "user", "fix\nit")
    assert (found.id, found.agent, found.root, found.models) == ("s1", "codex", "/r", ("gpt",))
    assert (found.agent_versions, found.problems) == (("0.140.0",), ())


def test_a_request_is_one_answer_and_its_cost_follows(read: Read) -> None:
    found = read(
        META, TURN, message("user", "go"),
        call(id="c1"), call(id="c2"), used(1, sent=10, cached=4), output(id="c1"), output(id="c2"),
        used(1), call(id="c3"), output(id="c3"), used(2, sent=30, cached=30),
        message("assistant", "done"),
    )  # fmt: skip
    assert [event for event in found.events if isinstance(event, Sent)] == [
        Sent("gpt", Usage(6, 4, output=2)),
        Sent("gpt", Usage(0, 30, output=2)),
        Sent("gpt"),
    ]
    assert kinds(found.events) == [
        "Say", "Sent", "Call", "Call", "Result", "Result", "Sent", "Call", "Result", "Sent", "Say",
    ]  # fmt: skip


def test_a_repeated_count_does_not_end_an_answer(read: Read) -> None:
    found = read(META, TURN, call(), output(), used(1), item("reasoning"), used(1), call(id="c2"))
    assert kinds(found.events) == ["Sent", "Call", "Result", "Sent", "Call"]


def test_a_resumed_session_keeps_its_root(read: Read) -> None:
    moved = line("session_meta", id="s2", cwd="/other", cli_version="0.141.0")
    found = read(META, moved, TURN)
    assert (found.id, found.root, found.agent_versions) == ("s1", "/r", ("0.140.0", "0.141.0"))


def test_a_line_of_no_known_shape_is_a_problem(read: Read) -> None:
    found = read({"type": ["x"], "payload": {}}, META, 3)
    assert found.problems == (
        "line 1: not an entry of a session; skipped",
        "line 3: not an entry of a session; skipped",
    )


def test_another_agent_may_speak_in_the_midst_of_an_answer(read: Read) -> None:
    told = item("agent_message", content=[{"type": "input_text", "text": "report"}])
    found = read(META, TURN, item("reasoning"), told, call(), output())
    assert kinds(found.events) == ["Sent", "Say", "Call", "Result"]


@pytest.mark.parametrize(
    ("stated", "tool", "given"),
    [
        (call(cmd="ls"), "exec_command", {"cmd": "ls"}),
        (custom("apply_patch", "*** Begin"), "apply_patch", "*** Begin"),
        (item("function_call", name="x", arguments="{broken", call_id="c1"), "x", "{broken"),
        (item("function_call", name="x", arguments="[1]", call_id="c1"), "x", "[1]"),
        (item("local_shell_call", call_id="c1", action={"command": ["ls"]}), "local_shell",
         {"command": ["ls"]}),
        (item("web_search_call", id="c1", action={"query": "q"}), "web_search", {"query": "q"}),
    ],
)  # fmt: skip
def test_calls_of_every_form(stated: Any, tool: str, given: Any, read: Read) -> None:
    assert last(read(META, TURN, stated)).block == Call(Slot("c1", "input"), tool, given)


@pytest.mark.parametrize(
    ("stated", "text"),
    [
        ("plain", "plain"),
        ([{"type": "input_text", "text": "Script completed"},
          {"type": "input_image", "image_url": "x"}], "Script completed\n[image]"),
        ('{"output":"inside","metadata":{"exit_code":3}}', "inside"),
        ('{"output":"no metadata"}', '{"output":"no metadata"}'),
        ('{"output":"cut', '{"output":"cut'),
    ],
)  # fmt: skip
def test_outputs_of_every_form(stated: Any, text: str, read: Read) -> None:
    assert last(read(META, TURN, call(), output(stated))).block == Result(
        Slot("c1", "result"), text
    )


def test_a_call_may_have_a_folder_of_its_own(read: Read) -> None:
    found = read(META, TURN, call(workdir="/r/sub"), output(), call(id="c2"))
    assert [event.cwd for event in found.events if isinstance(event, Happened)] == ["sub", "", ""]


def test_orphans_and_repeats_are_problems(read: Read) -> None:
    found = read(META, TURN, output(id="lost"), call(), call(), output("a"), output("b"))
    assert kinds(found.events) == ["Result", "Sent", "Call", "Result"]
    assert found.problems == (
        "line 3: result of an unknown call 'lost'",
        "line 5: a second call 'c1'; skipped",
        "line 7: a second result of 'c1'; skipped",
    )


def test_a_patch_is_evidence_of_its_own_result(read: Read) -> None:
    diff = "@@ -4,2 +4,3 @@\n a\n+b\n c\n@@ -9 +10,0 @@\n-z\n"
    found = read(
        META, TURN, custom("apply_patch"),
        applied(
            new={"type": "add", "content": "n\n"},
            old={"type": "delete", "content": "o\n"},
            kept=update(diff),
            moved=update("", move_path="/r/to"),
        ),
        output(kind="custom_tool"),
    )  # fmt: skip
    assert last(found).evidence == (
        Whole("new", None, "before"),
        Whole("new", "n\n", "after"),
        Whole("old", "o\n", "before"),
        Whole("old", None, "after"),
        Patched("kept", (Hunk(4, ("a", "c"), ("a", "b", "c")), Hunk(9, ("z",), ()))),
        Patched("moved", (), "to"),
    )


def test_patches_in_a_script_are_evidence_of_its_output(read: Read) -> None:
    found = read(
        META, TURN, custom("exec", "await tools.apply_patch(p)"),
        applied("exec-1", f={"type": "add", "content": "1"}),
        applied("exec-2", f=update("@@ -1 +1 @@\n-1\n+2\n")),
        output([{"type": "input_text", "text": "{}"}], kind="custom_tool"),
    )  # fmt: skip
    assert last(found).evidence == (
        Whole("f", None, "before"),
        Whole("f", "1", "after"),
        Patched("f", (Hunk(1, ("1",), ("2",)),)),
    )


def test_a_script_that_waits_is_answered_by_the_wait(read: Read) -> None:
    found = read(
        META, TURN, custom("exec", id="c1"), output("running", kind="custom_tool"),
        applied("exec-1", f={"type": "add", "content": "1"}),
        call("update_plan", id="c2"), output(id="c2"),
        call("wait", id="c3"), output("Script completed", id="c3"),
    )  # fmt: skip
    given = [event.evidence for event in found.events if isinstance(event, Happened)]
    assert [len(evidence) for evidence in given] == [0, 0, 0, 0, 0, 2]


def test_a_patch_without_a_result_is_a_problem_and_noticed(read: Read) -> None:
    found = read(META, TURN, custom("apply_patch"), applied(f={"type": "add", "content": "1"}))
    assert found.problems == ("patch 'c1' has no result",)
    assert found.events[-1] == Noticed((Whole("f", None, "before"), Whole("f", "1", "after")))


@pytest.mark.parametrize(
    "text",
    [
        "apply_patch verification failed: no such lines",
        "Exit code: 1\nOutput:\nx",
        '{"output":"x","metadata":{"exit_code":1}}',
    ],
)
def test_a_patch_that_was_refused_failed(text: str, read: Read) -> None:
    found = read(META, TURN, custom("apply_patch"), output(text, kind="custom_tool"))
    block = last(found).block
    assert isinstance(block, Result)
    assert block.failed


def test_a_patch_that_did_not_apply_failed_and_changed_nothing(read: Read) -> None:
    for tool in ("apply_patch", "exec"):
        id_of = "c1" if tool == "apply_patch" else "exec-1"
        stated = applied(id_of, success=False, f={"type": "add", "content": "1"})
        found = read(META, TURN, custom(tool), stated, output(kind="custom_tool"))
        assert last(found) == Happened(Result(Slot("c1", "result"), "ok", failed=True))


def test_a_script_failed_if_none_of_its_patches_applied(read: Read) -> None:
    bad, good = applied("exec-1", success=False), applied("c1", f={"type": "delete"})
    found = read(META, TURN, custom("exec"), bad, good, output(kind="custom_tool"))
    assert last(found) == Happened(Result(Slot("c1", "result"), "ok"), (Whole("f", None, "after"),))


def test_a_command_that_exits_with_an_error_is_no_failed_call(read: Read) -> None:
    block = last(read(META, TURN, call(), output("Exit code: 1\nboom"))).block
    assert isinstance(block, Result)
    assert not block.failed


def test_compaction_starts_again_from_its_history(read: Read) -> None:
    history = [message("user", "goal")["payload"], {"type": "compaction", "content": "x"}]
    found = read(
        META, TURN, message("user", "a"),
        line("compacted", message="", replacement_history=history),
        line("compacted", message="summary"),
    )  # fmt: skip
    assert kinds(found.events) == ["Say", "Forgot", "Say", "Forgot", "Say"]
    assert found.events[1] == Forgot(None)
    assert last(found).block == Say(Slot("line-5:0", "say"), "user", "summary")


def test_a_repaired_diff_is_no_evidence(read: Read) -> None:
    told = json.dumps(applied(f=update("@@ -1 +1 @@\n-1~\n+2\n"))).replace("~", "\\user@x.com")
    found = read(
        META, TURN, custom("apply_patch"), told.encode() + b"\n", output(kind="custom_tool")
    )
    assert last(found).evidence == ()
    assert found.problems == ("line 4: invalid escape repaired",)
