import gzip
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from statetape.errors import BadInput
from statetape.replay.recording import Happened, Recording, Whole
from statetape.replay.transcripts import recording
from statetape.replay.transcripts.lines import content, lines
from statetape.types import Say


def said(text: str, name: str) -> dict[str, Any]:
    return {
        "type": "user",
        "uuid": name,
        "sessionId": "s",
        "cwd": "/r",
        "message": {"role": "user", "content": text},
    }


def texts(found: Recording) -> list[str]:
    return [
        event.block.text
        for event in found.events
        if isinstance(event, Happened) and isinstance(event.block, Say)
    ]


def in_file(folder: Path, data: bytes) -> Path:
    file = folder / "session"
    file.write_bytes(data)
    return file


def jsonl(*texts: str) -> bytes:
    return b"".join(json.dumps(said(text, text)).encode() + b"\n" for text in texts)


@pytest.mark.parametrize("pack", [bytes, gzip.compress])
def test_plain_and_gzip_are_told_by_content(pack: Callable[[bytes], bytes], tmp_path: Path) -> None:
    found = recording(in_file(tmp_path, pack(jsonl("one", "two"))))
    assert (texts(found), found.problems) == (["one", "two"], ())


def test_members_of_a_gzip_file_follow_one_another(tmp_path: Path) -> None:
    data = gzip.compress(jsonl("one")) + gzip.compress(jsonl("two")) + b"\0\0"
    found = recording(in_file(tmp_path, data))
    assert (texts(found), found.problems) == (["one", "two"], ())


def test_a_byte_order_mark_and_blank_lines_say_nothing(tmp_path: Path) -> None:
    found = recording(in_file(tmp_path, b"\xef\xbb\xbf\n\r\n" + jsonl("one") + b"\n"))
    assert (texts(found), found.problems) == (["one"], ())


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"", "empty"),
        (b" \n\n", "empty"),
        (gzip.compress(b"", mtime=0), "empty"),
        (b"hello\nworld\n", "not a recorded session: neither Claude Code JSONL"),
        (b"[1, 2]\n", "not a recorded session"),
        (b'{"info": 1, "messages": 2}', "not a recorded session"),
        (b'{"a": 1}\n' * 1000 + jsonl("late"), "not a recorded session"),
        (b"\x89PNG\r\n\x1a\n\x00\x00", "not a recorded session"),
        (gzip.compress(jsonl("one"), mtime=0)[:10], "broken gzip data"),
        (b"\x1f\x8b garbage", "broken gzip data"),
    ],
)
def test_no_session_is_one_clear_line(data: bytes, said: str, tmp_path: Path) -> None:
    file = in_file(tmp_path, data)
    with pytest.raises(BadInput) as fault:
        recording(file)
    assert str(fault.value).startswith(f"{file}: {said}")
    assert "\n" not in str(fault.value)


def test_what_cannot_be_opened_is_one_clear_line(tmp_path: Path) -> None:
    for file in (tmp_path / "missing", tmp_path):
        with pytest.raises(BadInput, match="cannot be read") as fault:
            recording(file)
        assert "\n" not in str(fault.value)


def test_a_cut_gzip_file_gives_what_could_be_read(tmp_path: Path) -> None:
    # Stored, not packed, so that the cut is in the middle of the second line.
    packed = gzip.compress(jsonl("one", "two" * 100), compresslevel=0)
    found = recording(in_file(tmp_path, packed[:-200]))
    assert texts(found) == ["one"]
    assert [problem.split(":")[0] for problem in found.problems] == [
        "gzip data cut off",
        "line 2",
    ]


def test_gzip_data_broken_in_the_middle_gives_what_came_before(tmp_path: Path) -> None:
    packed = bytearray(gzip.compress(jsonl("one") + jsonl("two") * 9000, compresslevel=0))
    packed[-8] ^= 0xFF  # the checksum
    found = recording(in_file(tmp_path, bytes(packed)))
    assert texts(found)[0] == "one"
    assert any("gzip data broken" in problem for problem in found.problems)


def test_a_cut_last_line_is_a_problem(tmp_path: Path) -> None:
    found = recording(in_file(tmp_path, jsonl("one", "two")[:-20]))
    assert (texts(found), found.problems) == (["one"], ("line 2: cut off; it is lost",))


def test_a_broken_line_is_lost_with_its_number_and_cause(tmp_path: Path) -> None:
    found = recording(in_file(tmp_path, jsonl("one") + b"{oops}\n" + jsonl("two")))
    assert texts(found) == ["one", "two"]
    assert len(found.problems) == 1
    assert found.problems[0].startswith("line 2: not JSON (")


def test_two_values_glued_on_one_line_are_both_read(tmp_path: Path) -> None:
    data = jsonl("one").rstrip() + jsonl("two") + jsonl("three")
    found = recording(in_file(tmp_path, data))
    assert texts(found) == ["one", "two", "three"]
    assert found.problems == ("line 1: several values on one line: all are read",)


@pytest.mark.parametrize(
    ("escaped", "text"),
    [
        (rb"a\user@example.com(b", "a\nuser@example.com(b"),
        (rb"a\n\n\dev@host", "a\n\n\ndev@host"),
        (rb"a\\user\user@example.com", "a\\user\nuser@example.com"),
        (rb"a\\\user@x \u00e9\u12G4", "a\\\nuser@x \u00e9\nu12G4"),
    ],
)
def test_an_invalid_escape_is_a_line_break_and_the_text_after_it(
    escaped: bytes, text: str, tmp_path: Path
) -> None:
    data = jsonl("HERE").replace(b'"content": "HERE"', b'"content": "' + escaped + b'"')
    found = recording(in_file(tmp_path, data))
    assert (texts(found), found.problems) == ([text], ("line 1: invalid escape repaired",))


def test_only_the_strings_that_were_repaired_are_torn(tmp_path: Path) -> None:
    problems: list[str] = []
    file = in_file(tmp_path, rb'{"a": "x\y", "b": ["x\ny", "z"]}')
    (line,) = lines(content(file, problems), problems)
    assert line.value == {"a": "x\ny", "b": ["x\ny", "z"]}
    assert line.torn == {"x\ny"}


@pytest.mark.parametrize(
    ("raw", "text"),
    [(rb"lone \ud83d surrogate", "lone \ufffd surrogate"), (b"bad \xff byte", "bad \ufffd byte")],
)
def test_what_is_no_unicode_is_replaced_and_said(raw: bytes, text: str, tmp_path: Path) -> None:
    found = recording(in_file(tmp_path, jsonl("HERE").replace(b'"HERE"}', b'"' + raw + b'"}')))
    assert texts(found) == [text]
    assert found.problems[0].startswith("line 1: read leniently")


def test_nesting_without_end_is_a_lost_line(tmp_path: Path) -> None:
    found = recording(in_file(tmp_path, jsonl("one") + b"[" * 200_000 + b"\n" + jsonl("two")))
    assert texts(found) == ["one", "two"]
    assert found.problems[0].startswith("line 2: ")


def test_lines_do_not_depend_on_the_pieces_they_come_in() -> None:
    data = jsonl("one", "two") + b"{oops\n" + jsonl("three")
    for size in (1, 7, 100, len(data)):
        problems: list[str] = []
        pieces = (data[at : at + size] for at in range(0, len(data), size))
        assert [line.number for line in lines(pieces, problems)] == [1, 2, 4]
        assert len(problems) == 1


def test_file_texts_are_kept_once(tmp_path: Path) -> None:
    text = "x = 1\n" * 100
    call = {"type": "tool_use", "id": "w", "name": "Write", "input": {"content": text}}
    write = {"type": "tool_result", "tool_use_id": "w", "content": "ok"}
    stated = {"type": "create", "filePath": "/r/a", "content": text, "structuredPatch": []}
    shared = {"sessionId": "s", "cwd": "/r"}
    asked = {"type": "assistant", "uuid": "1", "message": {"model": "m", "content": [call]}}
    done = {"type": "user", "uuid": "2", "message": {"content": [write]}, "toolUseResult": stated}
    data = b"\n".join(json.dumps(line | shared).encode() for line in (asked, done))
    found = recording(in_file(tmp_path, data))
    happened = [event for event in found.events if isinstance(event, Happened)]
    after = happened[1].evidence[-1]
    assert isinstance(after, Whole)
    assert after.text is happened[0].block.input["content"]  # type: ignore[union-attr,index]
