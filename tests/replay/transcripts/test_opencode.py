import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from statetape.errors import BadInput
from statetape.replay.recording import (
    Event,
    Forgot,
    Happened,
    Hunk,
    Part,
    Patched,
    Recording,
    Replaced,
    Sent,
    Whole,
)
from statetape.replay.transcripts import recording
from statetape.types import Call, Result, Say, Slot, Usage

ReadDocument = Callable[..., Recording]
INFO = {"id": "ses_1", "directory": "/r", "version": "1.2.26"}
TOKENS = {"input": 3, "output": 2, "reasoning": 1, "cache": {"read": 5, "write": 7}}
STEP, COST = {"type": "step-start"}, {"type": "step-finish", "tokens": TOKENS}


def answer(*parts: Any, created: int = 10, **more: Any) -> dict[str, Any]:
    info = {"role": "assistant", "modelID": "gpt", "time": {"created": created}, "tokens": TOKENS}
    return {"info": info | {"path": {"cwd": "/r", "root": "/r"}} | more, "parts": list(parts)}


def asks(*parts: Any, created: int = 1) -> dict[str, Any]:
    return {"info": {"role": "user", "time": {"created": created}}, "parts": list(parts)}


def text(said: str, name: str = "p", **more: Any) -> dict[str, Any]:
    return {"type": "text", "id": name, "text": said, **more}


def tool(name: str, id: str = "c1", **state: Any) -> dict[str, Any]:  # noqa: A002
    state = {"status": "completed", "input": {}, "output": "ok"} | state
    return {"type": "tool", "tool": name, "callID": id, "state": state}


def document(*messages: Any) -> str:
    return json.dumps({"info": INFO, "messages": list(messages)}, indent=2)


@pytest.fixture
def read(tmp_path: Path) -> ReadDocument:
    def of_messages(*messages: Any) -> Recording:
        file = tmp_path / "session.json"
        file.write_text(document(*messages))
        return recording(file)

    return of_messages


def kinds(events: tuple[Event, ...]) -> list[str]:
    return [
        type(event.block if isinstance(event, Happened) else event).__name__ for event in events
    ]


def evidence(read: ReadDocument, name: str, **state: Any) -> tuple[Any, ...]:
    last = read(answer(STEP, tool(name, **state), COST)).events[-1]
    assert isinstance(last, Happened)
    return last.evidence


def test_a_session_is_its_parts_in_order(read: ReadDocument) -> None:
    found = read(
        asks(text("fix it"), text("hidden", ignored=True), {"type": "subtask", "prompt": "p"}),
        answer(STEP, {"type": "reasoning", "text": "hm"}, text("I look"),
               tool("bash", input={"command": "ls", "workdir": "/r/sub"}), COST),
        answer(STEP, COST),
    )  # fmt: skip
    assert kinds(found.events) == ["Say", "Say", "Sent", "Say", "Call", "Result", "Sent"]
    assert found.events[2] == Sent("gpt", Usage(3, 5, 7, 0, 2), 0.01)
    assert found.events[4] == Happened(
        Call(Slot("c1", "input"), "bash", {"command": "ls", "workdir": "/r/sub"}), (), "sub"
    )
    assert (found.id, found.agent, found.root) == ("ses_1", "opencode", "/r")
    assert (found.agent_versions, found.models) == (("1.2.26",), ("gpt",))
    assert found.problems == ()


def test_a_message_without_steps_is_a_request_if_it_cost_something(read: ReadDocument) -> None:
    free = answer(tool("task"), tokens={"input": 0, "output": 0, "cache": {"read": 0}})
    assert kinds(read(free).events) == ["Call", "Result"]
    assert kinds(read(answer(text("hi"))).events) == ["Sent", "Say"]


def test_ids_that_repeat_are_told_apart(read: ReadDocument) -> None:
    found = read(
        answer(STEP, text("a", "X"), text("b", "X"), text("c", ""), tool("x", "R"), tool("y", "R"))
    )
    slots = [event.block.slot for event in found.events if isinstance(event, Happened)]
    assert [slot.id for slot in slots] == ["X", "X#2", "#2", "R", "R", "R#2", "R#2"]
    assert len(set(slots)) == len(slots)


def test_a_call_that_failed_says_why(read: ReadDocument) -> None:
    found = read(answer(STEP, tool("edit", status="error", error="not found", output=None)))
    assert found.events[-1] == Happened(Result(Slot("c1", "result"), "not found", failed=True))


def test_a_call_that_never_ended_is_a_problem(read: ReadDocument) -> None:
    found = read(answer(STEP, tool("bash", status="running")))
    assert kinds(found.events) == ["Sent", "Call"]
    assert found.problems == ("call 'c1' of 'bash' has no result",)


def test_cleared_results_are_forgotten_when_the_client_cleared_them(read: ReadDocument) -> None:
    found = read(
        answer(STEP, tool("read", "c1", time={"compacted": 50}), created=10),
        answer(STEP, tool("read", "c2", time={"compacted": 50}), created=40),
        asks(text("go on"), created=50),
        answer(STEP, created=60),
    )
    assert kinds(found.events) == [
        "Sent", "Call", "Result", "Sent", "Call", "Result", "Forgot", "Say", "Sent",
    ]  # fmt: skip
    assert found.events[6] == Forgot(frozenset({Slot("c1", "result"), Slot("c2", "result")}))


def test_compaction_leaves_its_summary(read: ReadDocument) -> None:
    found = read(asks(text("go")), answer(STEP, text("so far"), COST, summary=True))
    assert kinds(found.events) == ["Say", "Sent", "Forgot", "Say"]
    assert found.events[2] == Forgot(None)
    last = found.events[-1]
    assert isinstance(last, Happened)
    assert last.block == Say(Slot("p#2", "say"), "assistant", "so far")


def test_what_a_compaction_dropped_is_not_cleared_again(read: ReadDocument) -> None:
    found = read(
        answer(STEP, tool("read", time={"compacted": 50})),
        answer(STEP, text("so far"), summary=True, created=20),
        answer(STEP, created=60),
    )
    assert kinds(found.events)[3:] == ["Sent", "Forgot", "Say", "Sent"]


HEAD = "<path>/r/f</path>\n<type>file</type>\n"
END = "\n\n(End of file - total 2 lines)\n</content>"


@pytest.mark.parametrize(
    ("output", "part"),
    [
        (f"{HEAD}<content>\n1: a\n2: b{END}", Part("f", 1, ("a", "b"), 2)),
        (f"{HEAD}<content>1: a\n2: b{END}", Part("f", 1, ("a", "b"), 2)),
        (f"{HEAD}<content>1: </content>\n2: {END}", Part("f", 1, ("</content>", ""), 2)),
        ("5: 7: a\n6: \n\n(Showing lines 5-6 of 90. Use", Part("f", 5, ("7: a", ""), 90)),
        (f"<file>\n00001| a\n00002|  b{END}", Part("f", 1, ("a", " b"), 2)),
        (f"<content>\n1: a\n2: {'x' * 2000}...\n3: c\n</content>", Part("f", 1, ("a",))),
    ],
)
def test_a_read_shows_lines(output: str, part: Part, read: ReadDocument) -> None:
    assert evidence(read, "read", input={"filePath": "/r/f"}, output=output) == (part,)


def test_a_listing_shows_no_file(read: ReadDocument) -> None:
    output = "<path>/r</path>\n<type>directory</type>\n<entries>\na\nb\n</entries>"
    assert evidence(read, "read", input={"filePath": "/r"}, output=output) == ()


def test_an_edit_is_the_file_before_and_after(read: ReadDocument) -> None:
    asked: dict[str, Any] = {"filePath": "/r/f", "oldString": "a", "newString": "b"}
    known = {"filediff": {"before": "a\n", "after": "b\n"}, "diff": "@@ -1 +1 @@\n-a\n+b\n"}
    assert evidence(read, "edit", input=asked, metadata=known) == (
        Whole("f", "a\n", "before"),
        Whole("f", "b\n", "after"),
    )


def test_an_edit_known_by_its_diff_gets_its_indentation_back(read: ReadDocument) -> None:
    asked: dict[str, Any] = {
        "filePath": "/r/f",
        "oldString": "\t\ta\n\t\t\tb",
        "newString": "\t\tA\n\t\t\tb",
    }
    diff = "Index: f\n===\n--- f\n+++ f\n@@ -7,3 +7,3 @@\n }\n-a\n+A\n \tb\n"
    assert evidence(read, "edit", input=asked, metadata={"diff": diff}) == (
        Patched("f", (Hunk(7, ("\t\t}", "\t\ta", "\t\t\tb"), ("\t\t}", "\t\tA", "\t\t\tb")),)),
    )
    asked |= {"oldString": "a", "newString": "A", "replaceAll": True}
    mixed = diff.replace("-a", "-xa").replace("+A", "+xA")
    assert evidence(read, "edit", input=asked, metadata={"diff": mixed}) == (
        Replaced("f", "a", "A", every=True),
    )


def test_a_write_is_the_whole_file(read: ReadDocument) -> None:
    asked: dict[str, Any] = {"filePath": "/r/f", "content": "x"}
    after = Whole("f", "x", "after")
    assert evidence(read, "write", input=asked, metadata={"exists": True}) == (after,)
    assert evidence(read, "write", input=asked, metadata={"exists": False}) == (
        Whole("f", None, "before"),
        after,
    )


def patch(read: ReadDocument, text: str, *files: Any) -> tuple[Any, ...]:
    known = {"files": list(files)}
    return evidence(read, "apply_patch", input={"patchText": text}, metadata=known)


def test_a_patch_is_whole_files_where_they_are_logged(read: ReadDocument) -> None:
    def file(kind: str, before: str, after: str) -> dict[str, Any]:
        return {"filePath": f"/r/{kind}", "type": kind, "before": before, "after": after}

    files = file("update", "a", "b"), file("add", "", "n"), file("delete", "o", "")
    assert patch(read, "", *files) == (
        Whole("update", "a", "before"),
        Whole("update", "b", "after"),
        Whole("add", None, "before"),
        Whole("add", "n", "after"),
        Whole("delete", "o", "before"),
        Whole("delete", None, "after"),
    )


def test_a_moved_file_is_its_diff(read: ReadDocument) -> None:
    sides = {"before": "a\n", "after": "b\n", "diff": "@@ -1 +1 @@\n-a\n+b\n"}
    file = {"filePath": "/r/f", "type": "move", "movePath": "/r/g"} | sides
    assert patch(read, "-a\n+b", file) == (
        Whole("f", "a\n", "before"),
        Patched("f", (Hunk(1, ("a",), ("b",)),), "g"),
    )


def test_a_patch_is_its_diffs_elsewhere(read: ReadDocument) -> None:
    def file(kind: str, diff: str, **more: Any) -> dict[str, Any]:
        return {"filePath": f"/r/{kind}", "type": kind, "patch": diff} | more

    text = "*** Update File: u\n@@\n \tx\n-\ta\n+\tb\n*** Add File: n\n+one\n+  two\n"
    changed = "--- u\n+++ u\n@@ -3,2 +3,2 @@\n x\n-a\n+b\n"
    assert patch(
        read,
        text,
        file("update", changed),
        file("add", "@@ -0,0 +1,2 @@\n+one\n+  two\n"),
        file("delete", "@@ -1 +0,0 @@\n-gone\n"),
        file("move", changed, movePath="/r/to"),
        file("strange", "@@ -1 +1 @@\n-p\n+q\n"),
    ) == (
        Patched("update", (Hunk(3, ("\tx", "\ta"), ("\tx", "\tb")),)),
        Whole("add", None, "before"),
        Whole("add", "one\n  two\n", "after"),
        Whole("delete", None, "after"),
        Patched("move", (Hunk(3, ("\tx", "\ta"), ("\tx", "\tb")),), "to"),
    )


def test_a_cut_document_gives_its_whole_messages(tmp_path: Path) -> None:
    data = document(asks(text("one")), answer(STEP, text("two")), asks(text("three")))
    file = tmp_path / "s"
    file.write_text(data[: data.index("three")])
    found = recording(file)
    assert kinds(found.events) == ["Say", "Sent", "Say"]
    assert (found.id, found.root) == ("ses_1", "/r")
    assert found.problems == ("document: cut off or damaged; 2 whole messages are read",)
    file.write_text(data[: data.index("one")])
    with pytest.raises(BadInput, match="not a recorded session"):
        recording(file)


def test_a_repaired_document_says_so_and_its_damaged_files_are_no_evidence(
    tmp_path: Path,
) -> None:
    files = [
        {"filePath": "/r/f", "type": "update", "before": "a~", "after": "b~"},
        {"filePath": "/r/g", "type": "update", "before": "a", "after": "b"},
    ]
    shown: dict[str, Any] = {"input": {"filePath": "/r/f"}, "output": "1: a\n2: b~\n"}
    state: dict[str, Any] = {"input": {"patchText": "x"}, "metadata": {"files": files}}
    file = tmp_path / "s"
    file.write_text(
        document(answer(tool("read", **shown), tool("apply_patch", **state))).replace(
            "~", "\\dev@host"
        )
    )
    found = recording(file)
    assert found.problems == ("document: invalid escape repaired",)
    last = found.events[-1]
    assert isinstance(last, Happened)
    assert last.evidence == (Whole("g", "a", "before"), Whole("g", "b", "after"))
    given = [event.evidence for event in found.events if isinstance(event, Happened)]
    assert given[:-1] == [(), (), ()]
