import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from statetape.agents.code_mode import ToolCall, tool_calls


@pytest.mark.parametrize(
    ("script", "expected"),
    [
        ('const r = await tools.exec_command({cmd: "ls"}); text(r.output)', [{"cmd": "ls"}]),
        ('await tools.exec_command({"cmd": \'a "b"\', "n": 1})', [{"cmd": 'a "b"'}]),
        ('const cmd = "ls"; tools.x({cmd, dir: "/r"})', [{"cmd": "ls", "dir": "/r"}]),
        ("const p = `a\\n${1}`; await tools.apply_patch(p)", [None]),
        ("const x = 'b'; await tools.apply_patch(`a${x}\nc`)", ["ab\nc"]),
        ('await tools.apply_patch("a\\n\\"b\\"\\u0041\\x42\\u{43}\\\\")', ['a\n"b"ABC\\']),
        ('await tools.apply_patch("a\\n" + ("b" + `c`))', ["a\nbc"]),
        ('await tools.apply_patch(["a", "b"].join("\\n"))', ["a\nb"]),
        ("await tools.apply_patch(String.raw`a\\n`)", ["a\\n"]),
        ("await tools.apply_patch(make())", [None]),
        ("let p = 'a'; p = make(); await tools.apply_patch(p)", [None]),
        ("await Promise.all([tools.a({x: '1'}), tools.b({x: '2'})])", [{"x": "1"}, {"x": "2"}]),
        ("for (const f of ['a']) { await tools.exec_command({cmd: `cat ${f}`}) }", [{}]),
        ("text('no tool')", []),
        ("await tools.apply_patch('a'); }", ["a"]),
        ("await tools.apply_patch('\\ud83d\\ude00 \\ud83d')", ["\U0001f600 \ufffd"]),
    ],
)  # fmt: skip
def test_the_calls_of_a_script(script: str, expected: list[object]) -> None:
    assert [call.argument for call in tool_calls(script)] == expected


def test_calls_are_in_the_order_of_the_source() -> None:
    script = "const a = await tools.one({}); if (a) { tools.two('x') } else { tools.three() }"
    assert tool_calls(script) == (
        ToolCall("one", {}),
        ToolCall("two", "x"),
        ToolCall("three", None),
    )


@given(st.text())
def test_a_string_reads_back(text: str) -> None:
    text = text.encode("utf-8", "ignore").decode()
    assert tool_calls(f"tools.apply_patch({json.dumps(text)})")[0].argument == text


@given(st.text("tools.exec_command({cmd:`'\"$}\\n+[]);=>const pjoin", max_size=200))
def test_no_script_raises(script: str) -> None:
    tool_calls(script)


@pytest.mark.parametrize("piece", ["(", "a+", "`${", "tools.x(", "[", "'a'+", "\\", "/*"])
def test_deep_scripts_do_not_raise(piece: str) -> None:
    tool_calls("tools.apply_patch(" + piece * (10_000 // len(piece)))
