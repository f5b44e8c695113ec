"""What is held, nominated and could be; what was written and touched; texts and lines."""

from typing import Any

import pytest
from tests.skills.story import Story

from statetape.errors import BadInput
from statetape.skills import answered


def rows(story: Story, name: str, *fields: str, **arguments: object) -> list[tuple[Any, ...]]:
    answer = answered(name, story.situation, arguments)
    return [tuple(getattr(row, field) for field in fields) for row in answer.rows]


def test_a_nomination_says_why_and_what_a_refresh_would_show() -> None:
    story = Story()
    story.read("shop/base.py")
    story.edit("shop/base.py", "return LIMIT", "return LIMIT + 1")
    (row,) = answered("nominations", story.situation, {}).rows
    assert (row.slot, row.title, row.step) == ("c1:result", "read shop/base.py", 1)
    assert row.default == "refresh"
    assert row.body == ("shop/base.py::Store.load",)
    assert row.reason == "Store.load (5-6) changed"
    assert "6\t        return LIMIT + 1" in row.fresh


def test_a_moved_call_is_a_reason_and_leaves_nothing_to_refresh() -> None:
    story = Story()
    story.read("shop/main.py", 12, 13)
    story.edit("shop/main.py", "    Disk,\n", "    Fast as Disk,\n")
    (row,) = answered("nominations", story.situation, {}).rows
    assert row.default == "drop"
    assert row.dispatch == ("shop/main.py::start",)
    assert row.reason == "start (12-13) calls Fast now"


def test_what_is_gone_or_moved_is_said() -> None:
    story = Story()
    story.read("web/api.ts")
    story.put("web/new.ts", story.space.text("web/api.ts"))
    story.put("web/api.ts", None)
    ((reason, fresh),) = rows(story, "nominations", "reason", "fresh")
    assert "is in web/new.ts now" in reason
    assert fresh is None


def test_a_test_result_is_nominated_by_any_write() -> None:
    story = Story()
    story.test()
    story.edit("notes.md", "text", "words")
    found = rows(story, "nominations", "slot", "default", "reason")
    assert found == [("c1:result", "rerun", "files were written since")]


def test_a_search_is_nominated_by_new_matches() -> None:
    story = Story()
    story.search("LIMIT")
    story.put("shop/more.py", "LIMIT = 4\n")
    assert rows(story, "nominations", "reason") == [("writes added matches since",)]


def test_fresh_texts_are_as_long_as_asked() -> None:
    story = Story()
    story.read("shop/base.py")
    story.edit("shop/base.py", "return LIMIT", "return LIMIT + 1")
    assert rows(story, "nominations", "fresh", characters=5) == [("1\tLIM",)]
    assert rows(story, "nominations", "fresh", characters=0) == [(None,)]


def test_nominations_beyond_the_most_are_counted() -> None:
    story = Story()
    for _ in range(3):
        story.test()
    story.put("notes.md", None)
    answer = answered("nominations", story.situation, {"most": "2"})
    assert [row.slot for row in answer.rows] == ["c1:result", "c2:result"]
    assert answer.left_out == 1


def test_held_records_say_what_they_are() -> None:
    story = Story()
    story.read("shop/base.py")
    story.search("LIMIT")
    story.test()
    story.say("please go on")
    story.edit("shop/base.py", "return LIMIT", "return LIMIT + 1")
    found = rows(story, "held", "slot", "title", "step", "about", "state", most=50)
    assert ("c1:result", "read shop/base.py", 1, "symbols", "nominated") in found
    assert ("c2:result", "search LIMIT", 2, "search", "nominated") in found
    assert ("c3:result", "pytest", 3, "repository", "nominated") in found
    assert ("m3:say", "a message", 3, "nothing", "fresh") in found
    assert ("c4:input", "edit shop/base.py", 4, "symbols", "fresh") in found


def test_held_records_that_were_changed_say_why() -> None:
    story = Story(policy="default")
    story.read("shop/base.py")
    story.edit("shop/base.py", "return LIMIT", "return LIMIT + 1")
    story.session.request()
    assert ("c1:result", "changed", "refresh") in rows(story, "held", "slot", "state", "change")
    story.edit("shop/base.py", "LIMIT + 1", "LIMIT + 2")
    assert ("c1:result", "nominated", "refresh") in rows(story, "held", "slot", "state", "change")


def test_the_smallest_records_are_left_out_and_the_order_stays() -> None:
    story = Story()
    story.read("notes.md")
    story.read("shop/base.py")
    story.read("shop/main.py")
    answer = answered("held", story.situation, {"most": 2})
    assert [row.slot for row in answer.rows] == ["c2:result", "c3:result"]
    assert answer.left_out == 4


def test_held_records_of_a_file() -> None:
    story = Story()
    story.read("notes.md")
    story.read("shop/base.py")
    story.search("LIMIT")
    assert rows(story, "held", "slot", path="base.py") == [
        ("c2:input",),
        ("c2:result",),
        ("c3:result",),
    ]


def test_a_preview_is_one_short_line() -> None:
    story = Story()
    story.say("word\n" * 1000)
    ((preview,),) = rows(story, "held", "preview")
    assert preview == ("word " * 20)[:79] + "…"


def test_the_whole_text_of_a_record() -> None:
    story = Story()
    story.read("shop/base.py")
    ((symbols, text),) = rows(story, "text", "symbols", "text", slot="c1:result")
    assert (
        text
        == story.situation.held[next(s for s in story.situation.held if s.side == "result")].text
    )
    assert "shop/base.py::Store.load" in symbols
    answer = answered("text", story.situation, {"slot": "c1:result", "most": 2})
    assert answer.rows[0].text == "1\tLIMIT = 3\n2\t"
    assert answer.left_out == 7


def test_a_slot_may_be_named_by_its_id_alone() -> None:
    story = Story()
    story.say("hello")
    assert rows(story, "text", "text", slot="m0") == [("hello",)]
    story.test()
    with pytest.raises(BadInput, match="fits 2 slots: c1:input, c1:result"):
        answered("text", story.situation, {"slot": "c1"})
    with pytest.raises(BadInput, match="no held slot 'c9'"):
        answered("text", story.situation, {"slot": "c9"})


def test_what_a_drift_of_a_symbol_would_falsify() -> None:
    story = Story()
    story.read("shop/base.py")
    story.search("return LIMIT")
    story.test()
    story.read("notes.md")
    assert rows(story, "falsified", "slot", "by", symbol="Store.load") == [
        ("c1:result", "body, dispatch"),
        ("c2:result", "body"),
        ("c3:result", "any write"),
    ]


def test_the_drift_of_one_write_and_of_all_since() -> None:
    story = Story()
    story.edit("shop/base.py", "return LIMIT", "return LIMIT + 1")
    story.read("shop/main.py")
    story.edit("shop/main.py", "    Disk,\n", "    Fast as Disk,\n")
    story.put("shop/more.py", "def more(): pass\n")
    fields = "tick", "path", "body", "dispatch", "created"
    last = (3, "shop/more.py", (), (), ("shop/more.py::", "shop/more.py::more"))
    second = (2, "shop/main.py", ("shop/main.py::",), ("shop/main.py::start",), ())
    assert rows(story, "drift", *fields) == [last]
    assert rows(story, "drift", *fields, since=1) == [last, second]
    assert rows(story, "drift", *fields, tick=2) == [second]
    assert answered("drift", story.situation, {"since": 0, "most": 1}).left_out == 2
    with pytest.raises(BadInput, match="no write 4; there are 3"):
        answered("drift", story.situation, {"tick": 4})
    with pytest.raises(BadInput, match="either tick or since"):
        answered("drift", story.situation, {"tick": 1, "since": 1})


def test_without_a_write_there_is_no_drift() -> None:
    assert rows(Story(), "drift", "tick") == []


def test_a_large_drift_is_cut_and_counted() -> None:
    story = Story()
    story.put("many.py", "".join(f"def f{n}(): pass\n" for n in range(30)))
    ((created, more),) = rows(story, "drift", "created", "more")
    assert len(created) == 20
    assert more == 11


def test_the_focus_is_what_the_last_steps_wrote_read_and_found() -> None:
    story = Story()
    story.read("web/api.ts", 5, 5)
    story.search("LIMIT = ")
    story.read("shop/base.py", 4, 6)
    story.edit("shop/base.py", "return LIMIT", "return LIMIT + 1")
    assert rows(story, "focus", "symbol", "step", "how") == [
        ("shop/base.py::Store.load", 4, "write"),
        ("shop/base.py::Store", 3, "read"),
        ("shop/base.py::LIMIT", 2, "search"),
        ("web/api.ts::get", 1, "read"),
    ]
    assert rows(story, "focus", "step", steps=1) == [(4,)]


def test_what_is_gone_is_out_of_focus() -> None:
    story = Story()
    story.read("notes.md")
    story.put("notes.md", None)
    assert rows(story, "focus", "symbol") == []


def test_source_is_that_of_now() -> None:
    story = Story()
    story.edit("shop/base.py", "return LIMIT", "return LIMIT + 1")
    fields = "path", "first", "last", "text"
    text = "    def load(self):\n        return LIMIT + 1"
    assert rows(story, "source", *fields, symbol="Store.load") == [("shop/base.py", 5, 6, text)]
    lines = rows(story, "source", *fields, path="shop/base.py", first=5, last=6)
    assert lines == [("shop/base.py", 5, 6, text)]
    assert rows(story, "source", "first", "last", path="base.py") == [(1, 9)]
    assert rows(story, "source", "last", path="base.py", first=8, last=99) == [(9,)]


def test_source_of_a_symbol_with_several_places() -> None:
    story = Story(
        {"a.py": "if x:\n    def f():\n        pass\nelse:\n    def f():\n        return 1\n"}
    )
    assert rows(story, "source", "first", "last", symbol="f") == [(2, 3), (5, 6)]
    answer = answered("source", story.situation, {"symbol": "f", "most": 3})
    assert [(row.first, row.last) for row in answer.rows] == [(2, 3), (5, 5)]
    assert answer.left_out == 1


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({}, "either symbol or path"),
        ({"symbol": "f", "path": "a.py"}, "either symbol or path"),
        ({"symbol": "run", "first": 1}, "lines are of a path"),
        ({"path": "shop/base.py", "first": 10}, "no lines 10 to 9 of 9"),
        ({"path": "shop/base.py", "first": 3, "last": 2}, "no lines 3 to 2 of 9"),
        ({"path": "base"}, "no file 'base'"),
        ({"path": "/etc/passwd"}, "no file '/etc/passwd'"),
        ({"symbol": "/etc/passwd::"}, "no symbol '/etc/passwd::'"),
    ],
)
def test_source_of_what_there_is_not(arguments: dict[str, object], words: str) -> None:
    with pytest.raises(BadInput) as fault:
        answered("source", Story().situation, arguments)
    assert words in str(fault.value)


def test_of_a_file_that_nobody_knows_now_there_is_no_source() -> None:
    story = Story()
    story.space.doubt("notes.md")
    with pytest.raises(BadInput, match=r"nobody knows what notes\.md holds now"):
        answered("source", story.situation, {"path": "notes.md"})


def test_a_file_name_that_fits_two() -> None:
    story = Story({"a/x.py": "", "b/x.py": ""})
    with pytest.raises(BadInput, match=r"'x\.py' fits 2 files: a/x\.py, b/x\.py"):
        answered("importers", story.situation, {"path": "x.py"})


def test_there_is_no_other_skill() -> None:
    with pytest.raises(BadInput, match="no skill 'verdict'; there are nominations, drift"):
        answered("verdict", Story().situation, {})
