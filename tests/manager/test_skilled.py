"""The skills as a model's tools: twelve of them, records by number, any arguments."""

import json
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.manager.managed import Managed, silent

from statetape.context.asking import Ask, Reply, ToolCall
from statetape.errors import BadInput
from statetape.llm import anthropic, chat
from statetape.manager.skilled import skilled
from statetape.skills import SKILLS
from statetape.tokens import tokens

BOX = skilled()


@pytest.fixture(scope="module")
def talk() -> Managed:
    found = Managed(silent, BOX)
    found.read("a.py")
    found.step(text="a listing\n" * 50, name="ls")
    found.edit("a.py", "return 1", "return 2")
    found.session.request()
    return found


def test_there_is_a_tool_for_each_skill_in_few_tokens() -> None:
    assert {tool.name for tool in BOX.tools} == set(SKILLS)
    told = [{"name": t.name, "description": t.description, "input_schema": t.parameters}
            for t in BOX.tools]  # fmt: skip
    assert tokens(json.dumps(told)) <= 500


@pytest.mark.parametrize(
    ("name", "given_", "words"),
    [
        ("callers", {"symbol": "a.py::load"}, "c.py::main"),
        ("callees", {"symbol": "load"}, "b.py::helper"),
        ("source", {"symbol": "b.py::helper"}, "return LIMIT"),
        ("source", {"path": "b.py", "first": 1, "last": 1}, "LIMIT = 1"),
        ("importers", {"path": "a.py"}, "c.py"),
        ("drift", {}, "a.py::save"),
        ("nominations", {}, "return 2"),
        ("text", {"record": "4"}, "a listing"),
        ("falsified", {"symbol": "a.py::save"}, "'record': '2'"),
        ("held", {"path": "a.py"}, "'record': '2'"),
        ("focus", {}, "a.py::save"),
    ],
)
def test_each_is_answered(talk: Managed, name: str, given_: dict[str, Any], words: str) -> None:
    assert words in str(BOX.answered(name, talk.situations[0], given_))


@pytest.mark.parametrize("number", ["0", "99", "-1", "x", "", None, ["1"]])
def test_a_record_that_was_not_shown_is_said_to_be_none(talk: Managed, number: object) -> None:
    with pytest.raises(BadInput, match="no record of that number"):
        BOX.answered("text", talk.situations[0], {"record": number})


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=12),
    lambda each: (
        st.lists(each, max_size=3) | st.dictionaries(st.text(max_size=5), each, max_size=3)
    ),
    max_leaves=5,
)
NAMES = st.sampled_from(["symbol", "path", "record", "slot", "most", "first", "last", "hops", "x"])


@given(name=st.sampled_from(sorted(SKILLS)), asked=st.dictionaries(NAMES, JSON, max_size=4))
def test_any_arguments_have_an_answer_of_bounded_size(name: str, asked: dict[str, Any]) -> None:
    heard: list[Ask] = []

    def model(ask: Ask) -> Reply:
        heard.append(ask)
        calls = (ToolCall("1", name, json.dumps(asked)),) if ask.round == 1 else ()
        return Reply(None if calls else "{}", calls)

    found = Managed(model, BOX)
    found.read("a.py")
    found.edit("a.py", "return 1", "return 2")
    found.session.request()
    (answer,) = heard[1].messages[-1].answers
    assert 0 < len(answer.text) < 1_300
    for made in (anthropic.body(heard[1], "m"), chat.body(heard[1], "m", vendors=False)):
        assert msgspec.json.encode(made)


@pytest.mark.parametrize(
    "text", ['{"x": NaN}', '{"x": "\\ud800"}', '{"x": 1e999}', "[]", "{", "{}" * 600, "\ud800"]
)
def test_arguments_that_are_no_strict_json_are_none(text: str) -> None:
    heard: list[Ask] = []

    def model(ask: Ask) -> Reply:
        heard.append(ask)
        calls = (ToolCall("1", "focus", text),) if ask.round == 1 else ()
        return Reply("\ud800 I look", calls)

    found = Managed(model, BOX)
    found.read("a.py")
    found.edit("a.py", "return 1", "return 2")
    found.session.request()
    for made in (anthropic.body(heard[1], "m"), chat.body(heard[1], "m", vendors=False)):
        assert msgspec.json.encode(made)
