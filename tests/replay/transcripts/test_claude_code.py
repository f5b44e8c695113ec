import itertools
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
    Part,
    Patched,
    Recording,
    Replaced,
    Sent,
    Whole,
)
from statetape.types import Call, Result, Say, Slot, Usage

Read = Callable[..., Recording]
_numbers = itertools.count()


def line(kind: str, **more: Any) -> dict[str, Any]:
    return {
        "type": kind,
        "uuid": f"u{next(_numbers)}",
        "sessionId": "s1",
        "version": "2.1.0",
        "cwd": "/r",
        **more,
    }


def user(content: Any, **more: Any) -> dict[str, Any]:
    return line("user", message={"role": "user", "content": content}, **more)


def assistant(*parts: Any, id: str = "m1", output: int = 1, **more: Any) -> dict[str, Any]:  # noqa: A002
    usage = {
        "input_tokens": 3,
        "cache_read_input_tokens": 5,
        "cache_creation_input_tokens": 7,
        "output_tokens": output,
    }
    message = {"id": id, "model": "opus", "content": list(parts), "usage": usage}
    return line("assistant", message=message, **more)


def call(name: str, id: str = "c1", **given: Any) -> dict[str, Any]:  # noqa: A002
    return {"type": "tool_use", "id": id, "name": name, "input": given}


def result(content: Any = "ok", id: str = "c1", **more: Any) -> dict[str, Any]:  # noqa: A002
    return {"type": "tool_result", "tool_use_id": id, "content": content, **more}


def attached(**stated: Any) -> dict[str, Any]:
    return line("attachment", attachment=stated)


def hunk(first: int, *rows: str) -> dict[str, Any]:
    return {
        "oldStart": first,
        "oldLines": sum(row[0] in " -" for row in rows),
        "newStart": first,
        "newLines": sum(row[0] in " +" for row in rows),
        "lines": list(rows),
    }


def blocks(found: Recording) -> list[Say | Call | Result]:
    return [event.block for event in found.events if isinstance(event, Happened)]


def texts(found: Recording) -> list[str]:
    return [block.text for block in blocks(found) if isinstance(block, Say)]


def evidence(read: Read, tool: str, answer: Any, content: Any = "ok") -> tuple[Any, ...]:
    found = read(assistant(call(tool)), user([result(content)], toolUseResult=answer))
    last = found.events[-1]
    assert isinstance(last, Happened)
    return last.evidence


def kinds(events: tuple[Event, ...]) -> list[str]:
    return [
        type(event.block if isinstance(event, Happened) else event).__name__ for event in events
    ]


def test_a_session_is_its_blocks_in_order_with_the_requests_before_them(read: Read) -> None:
    found = read(
        {"type": "summary", "summary": "x", "leafUuid": "y"},
        user("fix it"),
        assistant({"type": "thinking", "thinking": "hm"}, output=2),
        assistant({"type": "text", "text": "I look"}, output=2),
        assistant(call("Bash", command="ls"), output=9),
        user([result("a\nb")]),
        assistant({"type": "text", "text": "done"}, id="m2"),
        line("system", subtype="turn_duration"),
        line("progress", data={"type": "agent_progress"}),
    )
    assert kinds(found.events) == ["Say", "Sent", "Say", "Call", "Result", "Sent", "Say"]
    assert found.events[1] == Sent("opus", Usage(3, 5, 7, 0, 9))
    assert (found.id, found.agent, found.root) == ("s1", "claude-code", "/r")
    assert (found.agent_versions, found.models) == (("2.1.0",), ("opus",))
    assert found.problems == ()


def test_a_message_that_goes_on_after_a_result_is_one_request(read: Read) -> None:
    found = read(
        assistant(call("Bash", "c1"), output=4),
        user([result(id="c1")]),
        assistant(call("Bash", "c2"), output=4),
        user([result(id="c2")]),
    )
    assert kinds(found.events) == ["Sent", "Call", "Result", "Call", "Result"]


def test_repeated_lines_count_once(read: Read) -> None:
    first, second = user("hello"), assistant({"type": "text", "text": "hi"})
    assert kinds(read(first, second, first, second).events) == ["Say", "Sent", "Say"]


def test_sub_agents_stay_out_but_for_their_summary(read: Read) -> None:
    found = read(
        assistant(call("Task", prompt="look")),
        user("look", isSidechain=True),
        assistant({"type": "text", "text": "inner"}, id="m9", isSidechain=True),
        user([result([{"type": "text", "text": "one"}, {"type": "text", "text": "two"}])]),
    )
    assert kinds(found.events) == ["Sent", "Call", "Result"]
    assert blocks(found)[1] == Result(Slot("c1", "result"), "one\ntwo")


def test_synthetic_answers_are_no_requests(read: Read) -> None:
    made_up = {"id": "x", "model": "<synthetic>", "content": [{"type": "text", "text": "none"}]}
    found = read(
        user("go"),
        line("assistant", message=made_up),
        line("assistant", message=made_up, isApiErrorMessage=True),
    )
    assert kinds(found.events) == ["Say", "Say"]
    assert found.models == ()


def test_user_text_comes_as_a_string_or_in_parts(read: Read) -> None:
    found = read(
        user("plain"),
        user("caveat", isMeta=True),
        line("system", subtype="local_command", content="<command-name>/x</command-name>"),
        user([{"type": "text", "text": "a"}, {"type": "image"}, {"type": "text", "text": "b"}],
             uuid="many"),
        user("  \n"),
        user("for the eye", isVisibleInTranscriptOnly=True),
    )  # fmt: skip
    assert texts(found) == ["plain", "caveat", "<command-name>/x</command-name>", "a", "[image]",
                            "b"]  # fmt: skip
    assert [block.slot.id for block in blocks(found)][3:] == ["many", "many:1", "many:2"]


def test_a_result_of_images_and_text_is_text(read: Read) -> None:
    found = read(assistant(call("Read")), user([result([{"type": "image"}, {"text": "seen"}])]))
    assert blocks(found)[1] == Result(Slot("c1", "result"), "[image]\nseen")


@pytest.mark.parametrize(
    ("more", "answer"),
    [({"is_error": True}, {"filePath": "a", "oldString": "x"}), ({}, "Error: refused")],
)
def test_a_failed_call_is_no_evidence(more: Any, answer: Any, read: Read) -> None:
    found = read(assistant(call("Edit")), user([result("no", **more)], toolUseResult=answer))
    assert found.events[-1] == Happened(Result(Slot("c1", "result"), "no", failed=True))


def test_a_tool_server_may_answer_with_a_string(read: Read) -> None:
    found = read(assistant(call("mcp__x__y")), user([result("yes")], toolUseResult="yes"))
    assert blocks(found)[1] == Result(Slot("c1", "result"), "yes")


def test_an_orphan_result_is_a_problem_and_kept(read: Read) -> None:
    found = read(user([result(id="lost")]), assistant(id="m", output=1))
    assert blocks(found) == [Result(Slot("lost", "result"), "ok")]
    assert found.problems == ("line 1: result of an unknown call 'lost'",)


def test_a_result_written_before_its_call_is_put_after_it(read: Read) -> None:
    found = read(
        assistant({"type": "text", "text": "I look"}),
        user([result("seen")]),
        assistant(call("Bash")),
        user([result(id="lost")]),
        assistant(call("Bash", id="lost"), id="m2"),
    )
    assert kinds(found.events) == ["Sent", "Say", "Call", "Result", "Result", "Sent", "Call"]
    assert found.problems == ("line 4: result of an unknown call 'lost'",)


def test_what_is_told_of_several_results_is_told_of_none(read: Read) -> None:
    answer = {"type": "create", "filePath": "/r/f", "content": "x", "structuredPatch": []}
    found = read(
        assistant(call("Write", "c1"), call("Write", "c2")),
        user([result(id="c1"), result(id="c2")], toolUseResult=answer),
    )
    given = [event.evidence for event in found.events if isinstance(event, Happened)]
    assert given == [(), (), (), ()]


def test_counts_are_numbers_or_unknown(read: Read) -> None:
    usage = {"input_tokens": True, "output_tokens": "9", "cache_read_input_tokens": 1.5}
    found = read(line("assistant", message={"id": "m", "model": "opus", "usage": usage}))
    assert found.events == (Sent("opus"),)


def test_a_line_of_no_known_shape_is_a_problem(read: Read) -> None:
    found = read(user("a"), {"type": ["user"]}, [1])
    assert found.problems == (
        "line 2: not an entry of a session; skipped",
        "line 3: not an entry of a session; skipped",
    )


def test_second_calls_and_results_of_one_id_are_problems(read: Read) -> None:
    found = read(assistant(call("Bash"), call("Bash")), user([result("a")]), user([result("b")]))
    assert kinds(found.events) == ["Sent", "Call", "Result"]
    assert found.problems == (
        "line 1: a second call 'c1'; skipped",
        "line 3: a second result of 'c1'; skipped",
    )


def test_compaction_forgets_everything_and_says_the_summary(read: Read) -> None:
    found = read(
        user("go"),
        line("system", subtype="compact_boundary", parentUuid=None),
        user("so far", isCompactSummary=True, isVisibleInTranscriptOnly=True),
        user("again", isCompactSummary=True),
    )
    assert kinds(found.events) == ["Say", "Forgot", "Say", "Forgot", "Say"]
    assert found.events[1] == Forgot(None)


def test_an_orphan_before_a_compaction_is_forgotten_with_the_rest(read: Read) -> None:
    boundary = line("system", subtype="compact_boundary")
    assert kinds(read(user([result(id="lost")]), boundary).events) == ["Result", "Forgot"]


def test_microcompaction_forgets_the_results_it_names(read: Read) -> None:
    about = {"compactedToolIds": ["c1", "c2", 3]}
    boundary = line("system", subtype="microcompact_boundary", microcompactMetadata=about)
    assert read(boundary).events == (
        Forgot(frozenset({Slot("c1", "result"), Slot("c2", "result")})),
    )


def test_the_working_directory_is_of_the_repository(read: Read) -> None:
    found = read(user("a"), user("b", cwd="/r/sub"), user("c", cwd="/elsewhere"))
    assert [event.cwd for event in found.events if isinstance(event, Happened)] == [
        "",
        "sub",
        "/elsewhere",
    ]


def test_paths_of_evidence_are_of_the_repository(read: Read) -> None:
    def of(path: str) -> str:
        shown = {"filePath": path, "content": "x", "startLine": 1, "numLines": 1, "totalLines": 1}
        return str(evidence(read, "Read", {"type": "text", "file": shown})[0].path)

    assert (of("/r/a/b.py"), of("/other/b.py"), of("c.py")) == ("a/b.py", "/other/b.py", "c.py")


@pytest.mark.parametrize(
    ("content", "first", "count", "total", "expected"),
    [
        ("a\nb\n", 1, 3, 3, Whole("f", "a\nb\n", "after")),
        ("a\nb", 1, 2, 2, Whole("f", "a\nb", "after")),
        ("a\nb", 1, 2, 9, Part("f", 1, ("a", "b"))),
        ("c\nd", 3, 2, 9, Part("f", 3, ("c", "d"))),
        ("y\nz\n", 8, 3, 10, Part("f", 8, ("y", "z"), 9)),
        ("y\nz", 8, 2, 9, Part("f", 8, ("y", "z"), 9)),
        ("c\n", 3, 2, 9, Part("f", 3, ("c", ""))),
        ("", 1, 1, 1, Whole("f", "", "after")),
    ],
)
def test_a_read_shows_a_file_or_lines_of_it(
    content: str, first: int, count: int, total: int, expected: Any, read: Read
) -> None:
    shown = {"filePath": "/r/f", "content": content, "startLine": first}
    counts = {"numLines": count, "totalLines": total}
    assert evidence(read, "Read", {"type": "text", "file": shown | counts}) == (expected,)


@pytest.mark.parametrize(
    "answer",
    [
        {"type": "text", "file": {"filePath": "/r/f", "content": "", "startLine": 80,
                                  "numLines": 0, "totalLines": 73}},
        {"type": "file_unchanged", "file": {"filePath": "/r/f"}},
        {"type": "pdf", "file": {"base64": "x", "filePath": "/r/f"}},
        {"mode": "content", "filenames": ["f"], "content": "f:1:x"},
        {"stdout": "x", "stderr": ""},
        [{"type": "text", "text": "x"}],
    ],
)  # fmt: skip
def test_what_shows_no_file_is_no_evidence(answer: Any, read: Read) -> None:
    assert evidence(read, "Read", answer) == ()


def test_an_edit_is_the_file_before_and_its_hunks(read: Read) -> None:
    answer: dict[str, Any] = {
        "filePath": "/r/f",
        "oldString": "b",
        "newString": "B\nB",
        "originalFile": "a\nb\nc\n",
        "structuredPatch": [hunk(1, " a", "-b", "+B", "+B", " c")],
        "replaceAll": False,
    }
    assert evidence(read, "Edit", answer) == (
        Whole("f", "a\nb\nc\n", "before"),
        Patched("f", (Hunk(1, ("a", "b", "c"), ("a", "B", "B", "c")),)),
    )


def test_tabs_that_the_log_shows_as_spaces_are_tabs_again(read: Read) -> None:
    answer: dict[str, Any] = {
        "filePath": "/r/f",
        "oldString": "\tx",
        "newString": "\t\ty",
        "originalFile": "if:\n\tx\n  z\n\tx\n",
        "structuredPatch": [hunk(1, " if:", "-  x", "+    y", "   z", "-  x", "+    y")],
        "replaceAll": True,
    }
    new = ("if:", "\t\ty", "  z", "\t\ty")
    assert evidence(read, "Edit", answer)[1] == Patched(
        "f", (Hunk(1, ("if:", "\tx", "  z", "\tx"), new),)
    )


def test_hunks_count_from_the_state_before_the_whole_patch(read: Read) -> None:
    answer: dict[str, Any] = {
        "filePath": "/r/f",
        "edits": [
            {"old_string": "a", "new_string": "\ta\n\ta"},
            {"old_string": "\tz", "new_string": "z"},
        ],
        "originalFileContents": "a\n\n\n\n\n\tz\n",
        "structuredPatch": [hunk(1, "-a", "+  a", "+  a"), hunk(6, "-  z", "+z")],
    }
    assert evidence(read, "MultiEdit", answer)[1] == Patched(
        "f", (Hunk(1, ("a",), ("\ta", "\ta")), Hunk(6, ("\tz",), ("z",)))
    )


@pytest.mark.parametrize(
    ("old", "rows", "every", "taken"),
    [
        ("b", ["-xbx", "+xx", " c"], True, "b"),
        ("b", ["-b", " c", "-b"], True, "b\n"),
        ("b", ["-y", "+z"], True, "b"),
        ("\tb", ["-  b", " c", "-  b"], True, "\tb\n"),
        ("b\n", ["-b", " c", "-b"], True, "b\n"),
        ("a\nb", ["-xa", "-by", "+xy", " c", "-xa", "-by", "+xy"], True, "a\nb"),
        ("a\nb", ["-a", "-b", " c"], False, "a\nb\n"),
        ("a\nb", ["-xa", "-by", "+xy"], False, "a\nb"),
    ],
)
def test_a_removal_takes_the_line_breaks_that_the_patch_tells(
    read: Read, old: str, rows: list[str], *, every: bool, taken: str
) -> None:
    answer = {
        "filePath": "/r/f",
        "oldString": old,
        "newString": "",
        "originalFile": None,
        "structuredPatch": [hunk(3, "   indented", *rows)],
        "replaceAll": every,
    }
    assert evidence(read, "Edit", answer) == (Replaced("f", taken, "", every=every),)


def test_several_replacements_without_the_file_stay_as_they_were_asked(read: Read) -> None:
    answer = {
        "filePath": "/r/f",
        "edits": [{"old_string": "b", "new_string": ""}, {"old_string": "c", "new_string": "d"}],
        "originalFileContents": None,
        "structuredPatch": [hunk(3, "   indented", "-b", "-c", "+d")],
    }
    assert evidence(read, "MultiEdit", answer) == (Replaced("f", "b", ""), Replaced("f", "c", "d"))


def test_removed_lines_take_their_line_break(read: Read) -> None:
    answer: dict[str, Any] = {
        "filePath": "/r/f",
        "oldString": "\tb",
        "newString": "",
        "originalFile": "a\n\tb\nc\n",
        "structuredPatch": [hunk(1, " a", "-  b", " c")],
    }
    assert evidence(read, "Edit", answer)[1] == Patched(
        "f", (Hunk(1, ("a", "\tb", "c"), ("a", "c")),)
    )
    answer["originalFile"] = None
    assert evidence(read, "Edit", answer) == (Replaced("f", "\tb\n", ""),)


def test_without_the_file_a_patch_counts_only_if_no_tab_can_hide_in_it(read: Read) -> None:
    answer: dict[str, Any] = {
        "filePath": "/r/f",
        "oldString": "b",
        "newString": "c",
        "originalFile": None,
        "structuredPatch": [hunk(4, " a", "-b", "+c", "\\ No newline at end of file")],
        "replaceAll": True,
    }
    assert evidence(read, "Edit", answer) == (Patched("f", (Hunk(4, ("a", "b"), ("a", "c")),)),)
    answer["structuredPatch"] = [hunk(4, "   a", "-b", "+c")]
    assert evidence(read, "Edit", answer) == (Replaced("f", "b", "c", every=True),)
    del answer["structuredPatch"]
    assert evidence(read, "Edit", answer) == (Replaced("f", "b", "c", every=True),)


def test_an_edit_that_the_user_changed_is_known_by_its_patch_alone(read: Read) -> None:
    answer: dict[str, Any] = {
        "filePath": "/r/f",
        "oldString": "b",
        "newString": "c",
        "originalFile": "a\nb\n",
        "structuredPatch": [hunk(2, "-b", "+C")],
        "userModified": True,
    }
    assert evidence(read, "Edit", answer)[1] == Patched("f", (Hunk(2, ("b",), ("C",)),))
    answer |= {"originalFile": "\ta\nb\n", "structuredPatch": [hunk(1, "   a", "-b", "+  C")]}
    assert evidence(read, "Edit", answer) == (Whole("f", "\ta\nb\n", "before"),)


@pytest.mark.parametrize(("old", "new"), [("b\n", "b"), ("b", "b\n")])
def test_an_edit_that_gives_or_takes_the_last_line_break_is_the_whole_file(
    read: Read, old: str, new: str
) -> None:
    answer: dict[str, Any] = {
        "filePath": "/r/f",
        "oldString": old,
        "newString": new,
        "originalFile": f"a\n{old}",
        "structuredPatch": [hunk(1, " a", "-b", "+b")],
    }
    assert evidence(read, "Edit", answer)[1:] == (Whole("f", f"a\n{new}", "after"),)


def test_an_insertion_follows_a_line(read: Read) -> None:
    answer: dict[str, Any] = {
        "filePath": "/r/f",
        "oldString": "",
        "newString": "new\n",
        "originalFile": "",
        "structuredPatch": [hunk(1, "+new")],
    }
    assert evidence(read, "Edit", answer)[1] == Patched("f", (Hunk(0, (), ("new",)),))


@pytest.mark.parametrize(
    ("stated", "before"),
    [
        ({"type": "create", "originalFile": None}, [Whole("f", None, "before")]),
        ({"type": "create"}, [Whole("f", None, "before")]),
        ({"type": "update", "originalFile": "old"}, [Whole("f", "old", "before")]),
        ({"type": "update", "originalFile": None}, []),
    ],
)
def test_a_write_is_the_whole_file(stated: Any, before: list[Any], read: Read) -> None:
    answer = {"filePath": "/r/f", "content": "new", "structuredPatch": []} | stated
    assert evidence(read, "Write", answer) == (*before, Whole("f", "new", "after"))


def test_a_notebook_edit_is_the_whole_file(read: Read) -> None:
    answer = {"notebook_path": "/r/n.ipynb", "original_file": "{}", "updated_file": "[]"}
    assert evidence(read, "NotebookEdit", answer) == (
        Whole("n.ipynb", "{}", "before"),
        Whole("n.ipynb", "[]", "after"),
    )


def damaged(read: Read, tool: str, answer: Any, content: str = "ok") -> Recording:
    """The session with `~` standing for what an anonymiser did to `\\n@`."""
    told = json.dumps(user([result(content)], toolUseResult=answer)).replace("~", "\\user@x.com")
    return read(assistant(call(tool)), told.encode() + b"\n")


def last_evidence(found: Recording) -> tuple[Any, ...]:
    last = found.events[-1]
    assert isinstance(last, Happened)
    assert found.problems == ("line 2: invalid escape repaired",)
    return last.evidence


def test_a_repaired_file_is_no_evidence_but_its_patch_is(read: Read) -> None:
    answer: dict[str, Any] = {
        "filePath": "/r/f",
        "oldString": "  b",
        "newString": "  c",
        "originalFile": "a~\n  b\n",
        "structuredPatch": [hunk(2, " @x.com", "-  b", "+  c")],
    }
    patch = Patched("f", (Hunk(2, ("@x.com", "  b"), ("@x.com", "  c")),))
    assert last_evidence(damaged(read, "Edit", answer)) == (patch,)
    # With a tab in the file the two spaces may have been one.
    answer["originalFile"] = "a~\n\tb\n"
    assert last_evidence(damaged(read, "Edit", answer)) == (Replaced("f", "  b", "  c"),)


def test_a_repaired_write_is_no_evidence_of_its_content(read: Read) -> None:
    answer: dict[str, Any] = {"type": "create", "filePath": "/r/f", "content": "a~"}
    answer["structuredPatch"] = []
    absent = Whole("f", None, "before")
    assert last_evidence(damaged(read, "Write", answer)) == (absent,)
    answer["structuredPatch"] = [hunk(1, "-  a", "+  b")]
    patch = Patched("f", (Hunk(1, ("  a",), ("  b",)),))
    assert last_evidence(damaged(read, "Write", answer)) == (absent, patch)
    # With a tab in the file the two spaces may have been one.
    answer["content"] = "a~\n\tb"
    assert last_evidence(damaged(read, "Write", answer)) == (absent,)


def test_a_repaired_read_is_known_by_what_the_model_saw(read: Read) -> None:
    shown = {"filePath": "/r/f", "content": "a~", "startLine": 7, "numLines": 2, "totalLines": 9}
    answer = {"type": "text", "file": shown}
    text = "     7→a\n     8→@x.com\n\n<system-reminder>\nnote"
    found = damaged(read, "Read", answer, text)
    assert last_evidence(found) == (Part("f", 7, ("a", "@x.com")),)
    assert last_evidence(damaged(read, "Read", answer, "7\ta~")) == ()


def test_a_file_changed_outside_is_noticed_and_said(read: Read) -> None:
    snippet = "3\tx\n4\ty\n...\n9\tz"
    found = read(attached(type="edited_text_file", filename="/r/f", snippet=snippet))
    assert found.events[0] == Noticed((Part("f", 3, ("x", "y")), Part("f", 9, ("z",))))
    (note,) = texts(found)
    assert note.startswith("Note: /r/f changed on disk since you last read it.")
    assert note.endswith(snippet)


def test_attachments_are_said_if_their_text_is_known(read: Read) -> None:
    found = read(
        attached(type="queued_command", prompt="also this"),
        attached(type="queued_command", prompt=[{"type": "text", "text": "and this"}]),
        attached(type="nested_memory", path="/r/C.md", content={"path": "/r/C.md", "content": "x"}),
        attached(type="hook_additional_context", content=["a", "b"]),
        attached(type="hook_success", hookEvent="SessionStart", content="hooked"),
        attached(type="hook_success", hookEvent="PostToolUse", content="not sent"),
        attached(type="skill_listing", content="- skill"),
        attached(type="mcp_instructions_delta", addedBlocks=["## one", "two"]),
        attached(type="deferred_tools_delta", addedLines=["T1", "T2"]),
        attached(type="task_reminder", content=[]),
        attached(type="invented"),
    )
    assert texts(found) == [
        "also this",
        "and this",
        "Contents of /r/C.md:\n\nx",
        "a\nb",
        "hooked",
        "- skill",
        "## one\n\ntwo",
        "T1\nT2",
    ]
    roles = [block.role for block in blocks(found) if isinstance(block, Say)]
    assert roles == ["user", "user", *["system"] * 6]


def test_a_mentioned_file_is_shown_as_a_read(read: Read) -> None:
    shown = {"filePath": "/r/f", "content": "a\nb\n", "startLine": 1, "numLines": 3,
             "totalLines": 3}  # fmt: skip
    found = read(attached(type="file", content={"type": "text", "file": shown}))
    (event,) = found.events
    assert isinstance(event, Happened)
    assert event.evidence == (Whole("f", "a\nb\n", "after"),)
    assert texts(found)[0].endswith("Result of calling the Read tool:\n1\ta\n2\tb\n3\t")


def test_a_read_told_in_plain_text_is_evidence_if_its_path_is_known(read: Read) -> None:
    asked = 'Called the Read tool with the following input: {"file_path":"/r/f"}'
    told = "Result of calling the Read tool:\n4\tx\n5\ty"
    broken = asked.replace("}", '"}')
    found = read(user(f"{asked}\n{told}"), user(told), user(f"{broken}\n{told}"))
    evidence = [event.evidence for event in found.events if isinstance(event, Happened)]
    assert evidence == [(Part("f", 4, ("x", "y")),), (), ()]


def test_a_request_is_sent_when_the_last_thing_was_said_to_the_model(read: Read) -> None:
    found = read(
        user("go", timestamp="2026-01-02T03:04:05.500Z"),
        assistant(call("Bash"), timestamp="2026-01-02T03:04:09Z"),
        user([result()], timestamp="2026-01-02T03:05:00Z"),
        assistant(id="m2", timestamp="2026-01-02T03:05:30Z"),
        user("no clock", timestamp="yesterday"),
        assistant(id="m3"),
    )
    sent = [event.at for event in found.events if isinstance(event, Sent)]
    assert sent == [1767323045.5, 1767323100.0, 1767323100.0]


def test_what_is_written_to_the_cache_for_an_hour_is_told_apart(read: Read) -> None:
    usage = {"cache_creation_input_tokens": 9, "cache_creation": {"ephemeral_1h_input_tokens": 7}}
    found = read(line("assistant", message={"id": "m", "model": "opus", "usage": usage}))
    assert found.events == (Sent("opus", Usage(cache_write_5m=2, cache_write_1h=7)),)
