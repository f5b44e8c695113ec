"""Whatever is asked, and whatever happened: a value that JSON can hold, or one line of BadInput."""

import json
from collections.abc import Mapping
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from msgspec.json import encode
from tests.skills.story import FILES, Story

from statetape.errors import BadInput
from statetape.skills import SKILLS, answered
from statetape.skills.naming import slot_name
from statetape.types import Query

PATHS = sorted(FILES)
NAMES = ["load", "Store", "Store.load", "shop/disk.py::Fast", "run", "web/api.ts::", "get", "LIMIT"]
KEYS = sorted({key for skill in SKILLS.values() for key in skill.parameters["properties"]})
values = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-3, 60),
    st.integers(),
    st.floats(),
    st.sampled_from(
        [*PATHS, *NAMES, "c1:result", "c2", "", ".", "::", "a::b::c", "../x", "\ud800"]
    ),
    st.text(max_size=20),
    st.lists(st.integers(), max_size=2),
    st.dictionaries(st.text(max_size=3), st.integers(), max_size=2),
)
arguments = st.dictionaries(
    st.one_of(st.sampled_from(KEYS), st.text(max_size=4)), values, max_size=4
)
TEXTS = [*FILES.values(), None, "", "def broken(:\n", "\x00", "class Store(Store): pass\n"]
happened = st.lists(
    st.one_of(
        st.tuples(st.just("read"), st.sampled_from(PATHS)),
        st.tuples(st.just("search"), st.sampled_from(["LIMIT", "load", "return", "nowhere"])),
        st.tuples(st.just("test"), st.just("")),
        st.tuples(st.just("say"), st.sampled_from(["hello\n", "\ud800"])),
        st.tuples(st.just("doubt"), st.sampled_from(PATHS)),
        st.tuples(st.just("put"), st.tuples(st.sampled_from(PATHS), st.sampled_from(TEXTS))),
    ),
    max_size=8,
)


def told(story: Story, events: list[tuple[str, Any]]) -> None:
    for what, about in events:
        match what:
            case "read":
                story.read(about)
            case "search":
                story.search(about)
            case "test":
                story.test()
            case "say":
                story.say(about)
            case "doubt":
                story.space.doubt(about)
            case "put":
                story.put(*about)
    story.session.request()


def answer(name: str, story: Story, given_arguments: Mapping[str, Any]) -> dict[str, Any] | None:
    try:
        found = answered(name, story.situation, given_arguments)
    except BadInput as fault:
        words = str(fault)
    else:
        document: dict[str, Any] = json.loads(encode(found))
        return document
    assert "\n" not in words
    assert len(words) < 1000
    return None


@settings(max_examples=300, suppress_health_check=[HealthCheck.too_slow], deadline=None)
@given(st.sampled_from([*SKILLS, "verdict"]), arguments, happened)
def test_any_arguments_have_an_answer_or_one_line(
    name: str, asked: dict[str, Any], events: list[tuple[str, Any]]
) -> None:
    story = Story(policy="default")
    told(story, events)
    answer(name, story, asked)


@settings(max_examples=60, suppress_health_check=[HealthCheck.too_slow], deadline=None)
@given(
    happened,
    st.sampled_from(NAMES),
    st.sampled_from(PATHS),
    st.sampled_from(["control", "default"]),
)
def test_answers_name_what_there_is(
    events: list[tuple[str, Any]], name: str, path: str, policy: str
) -> None:
    """Only held records, and only symbols and lines that stand in the files now."""
    story = Story(policy=policy)
    told(story, [*(("read", each) for each in PATHS), *events])
    held = {slot_name(slot) for slot in story.situation.held}
    graph = story.space.graph
    there = {str(symbol) for each in graph.paths() for symbol in graph.symbols(each)}
    asked: dict[str, dict[str, Any]] = {
        "callers": {"symbol": name, "hops": 2},
        "callees": {"symbol": name, "hops": 2},
        "bases": {"symbol": name},
        "overrides": {"symbol": name},
        "falsified": {"symbol": name},
        "source": {"symbol": name},
        "importers": {"path": path},
        "text": {"slot": "c1:result"},
        "held": {},
        "nominations": {},
        "focus": {},
    }
    for skill, given_arguments in asked.items():
        for row in (answer(skill, story, given_arguments) or {"rows": []})["rows"]:
            assert row.get("slot", "") in {*held, ""}
            assert row.get("symbol", next(iter(there))) in there
            assert row.get("through", next(iter(there))) in there
            assert row.get("path", path) in FILES
            if skill == "source":
                lines = (story.space.text(row["path"]) or "").split("\n")
                assert row["text"].split("\n") == lines[row["first"] - 1 : row["last"]]


looked_at = st.lists(
    st.one_of(
        st.tuples(st.sampled_from(PATHS), st.integers(1, 8), st.integers(0, 8)),
        st.sampled_from(["LIMIT", "load", "return", "test"]),
    ),
    min_size=2,
    max_size=8,
)


@settings(max_examples=100, suppress_health_check=[HealthCheck.too_slow], deadline=None)
@given(
    looked_at,
    st.sampled_from(PATHS),
    st.integers(0, 18),
    st.sampled_from(["", "LIMIT = 4", "    pass  # now", "from shop.main import Fast as Base"]),
)
def test_what_a_write_nominates_was_said_to_be_falsified_by_its_drift(
    looked: list[tuple[str, int, int] | str], path: str, at: int, new: str
) -> None:
    """Searches may find more than before, which no symbol tells."""
    story = Story()
    for each in looked:
        if not isinstance(each, str):
            story.read(each[0], each[1], each[1] + each[2])
        elif each == "test":
            story.test()
        else:
            story.search(each)
    before = {
        str(symbol): {row.slot for row in answered("falsified", story.situation, asked).rows}
        for each in PATHS
        for symbol in story.space.graph.symbols(each)
        for asked in ({"symbol": str(symbol)},)
    }
    lines = FILES[path].split("\n")
    lines[at % len(lines)] = new
    story.put(path, "\n".join(lines))
    (entry,) = story.space.tape.since(0)
    said = {
        slot
        for symbol in entry.drift.body | entry.drift.dispatch
        for slot in before.get(str(symbol), ())
    }
    nominated = {
        slot_name(each.record.slot)
        for each in story.situation.nominations
        if not isinstance(each.record.referent, Query)
    }
    if entry.drift.body or entry.drift.dispatch:
        assert nominated <= said
