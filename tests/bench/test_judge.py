"""Labels by a judge: a scripted one, which answers by what it is shown."""

import json
import re
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.bench.sessions import Script, Told, before_edits, record, regions

from statetape.bench.judge import ModelJudge
from statetape.bench.judge_prompts import PROMPT_VERSION
from statetape.context.asking import Ask, Reply
from statetape.errors import StatetapeError

LIB = "def parse(text):\n    return text\n"
USE = "from lib import parse\n\n\ndef use(text):\n    return parse(text)\n"
OTHER = "def other():\n    return 1\n"


def told(folder: Path) -> Told:
    session = Told(folder, {"lib.py": LIB, "use.py": USE, "other.py": OTHER})
    session.read("other.py")
    session.edit("lib.py", "def parse(text):", "def parse(text, strict):")
    session.read("use.py")
    session.edit("use.py", "return parse(text)", "return parse(text, 2)")
    return session


def swept(text: str) -> str:
    found = re.search(r"Lines \d+ to \d+ of (\S+), as it is now", text)
    return found[1] if found else ""


def numbers(text: str) -> list[int]:
    return [int(each) for each in re.findall(r"^\[(\d+)\]", text, re.MULTILINE)]


def answer(ask: Ask, **of_files: Any) -> str:
    """Gold is what `of_files` says of a file; every record is finished."""
    text = ask.messages[0].text
    if ask.purpose == "bench-held":
        return json.dumps({"records": [{"n": n, "verdict": "finished"} for n in numbers(text)]})
    if ask.purpose == "bench-hunks":
        return json.dumps({"hunks": []})
    name = swept(text).partition(".")[0]
    return json.dumps({"see": [], "regions": [], **of_files.get(name, {})})


def region(first: int, last: int, rule: str = "G1") -> dict[str, Any]:
    return {"first": first, "last": last, "symbol": "s", "rule": rule, "reason": "because"}


def judged(session: Told, script: Script, **more: Any) -> list[Any]:
    return before_edits(session.labelled(judge=ModelJudge(script, seed=7), **more))


class TestNeeded:
    def test_every_outstanding_gold_file_is_swept_for_every_burst(self, tmp_path: Path) -> None:
        script = Script(answer)
        judged(told(tmp_path), script)
        asked = [swept(ask.messages[0].text) for ask in script.asks if "needed" in ask.purpose]
        assert asked == ["lib.py", "use.py", "use.py"]

    def test_what_it_names_is_gold_within_the_bounds(self, tmp_path: Path) -> None:
        lines = {"use": {"regions": [region(4, 5, "G3"), region(1, 1, "G2")]}}
        lines["lib"] = {"regions": [region(1, 2)]}
        first, second = judged(told(tmp_path), Script(lambda ask: answer(ask, **lines)))
        assert regions(first) == [("lib.py", "s", 1, 2), ("use.py", "s", 4, 5)]
        assert first.missing == sum(each.tokens for each in first.needed) > 0
        assert regions(second) == [("use.py", "s", 4, 5)]
        assert second.missing == 0

    def test_it_may_see_other_files_of_the_repository_once(self, tmp_path: Path) -> None:
        more = {"see": ["other.py", "/etc/passwd", "none.py", "tests/t.py", "other.py"]}
        script = Script(lambda ask: answer(ask, lib=more, other=more))
        judged(told(tmp_path), script)
        asked = [swept(ask.messages[0].text) for ask in script.asks if "needed" in ask.purpose]
        assert asked == ["lib.py", "use.py", "other.py", "use.py"]

    def test_a_long_file_is_shown_in_parts(self, tmp_path: Path) -> None:
        text = "".join(f"X{n} = {n}\n" for n in range(1_200))
        session = Told(tmp_path, {"long.py": text})
        session.edit("long.py", "X7 = 7\n", "X7 = 8\n")
        script = Script(answer)
        judged(session, script)
        parts = [re.findall(r"Lines (\d+) to (\d+)", a.messages[0].text) for a in script.asks]
        assert [p[0] for p in parts if p] == [("1", "500"), ("501", "1000"), ("1001", "1201")]

    def test_with_a_patch_it_says_which_hunks_are_meant(self, tmp_path: Path) -> None:
        patch = "--- a/use.py\n+++ b/use.py\n@@ -4,2 +4,2 @@\n def use(text):\n-    return parse(text)\n+    return parse(text, 1)\n"  # noqa: E501

        def told_hunks(ask: Ask) -> str:
            return json.dumps({"hunks": [1]}) if ask.purpose == "bench-hunks" else answer(ask)

        script = Script(told_hunks)
        judged(told(tmp_path), script, patch=patch)
        sweeps = [ask.messages[0].text for ask in script.asks if ask.purpose == "bench-needed"]
        assert "It is about to make:\n@@ use.py\n-    return parse(text)\n" in sweeps[0]


class TestHeld:
    def test_every_record_gets_its_verdict(self, tmp_path: Path) -> None:
        def verdicts(ask: Ask) -> str:
            if ask.purpose != "bench-held":
                return answer(ask)
            kinds = ["needed", "finished", "stale", "superseded"]
            found = numbers(ask.messages[0].text)
            return json.dumps({"records": [{"n": n, "verdict": kinds[n % 4]} for n in found]})

        first, second = judged(told(tmp_path), Script(verdicts))
        assert [each.verdict for each in first.held] == ["needed", "finished", "stale"]
        assert [each.verdict for each in second.held][:4] == [
            "needed", "finished", "stale", "superseded",
        ]  # fmt: skip

    def test_many_records_are_asked_for_in_parts(self, tmp_path: Path) -> None:
        session = Told(tmp_path, {"other.py": OTHER})
        for _ in range(20):
            session.read("other.py")
        session.edit("other.py", "return 1", "return 2")
        script = Script(answer)
        judged(session, script)
        parts = [numbers(a.messages[0].text) for a in script.asks if a.purpose == "bench-held"]
        assert [len(part) for part in parts] == [25, 16]
        assert [n for part in parts for n in part] == list(range(41))

    def test_records_that_a_later_one_shows_are_flagged(self, tmp_path: Path) -> None:
        session = Told(tmp_path, {"other.py": OTHER, "lib.py": LIB})
        session.read("other.py")
        session.read("other.py")
        session.edit("lib.py", "return text", "return text + 1")
        script = Script(answer)
        judged(session, script)
        (asked,) = (a.messages[0].text for a in script.asks if a.purpose == "bench-held")
        flagged = [
            row for row in asked.split("\n") if row.endswith("superseded by a later record:")
        ]
        assert [row.split()[0] for row in flagged] == ["[2]"]

    def test_points_without_a_burst_are_left_to_the_rules(self, tmp_path: Path) -> None:
        session = told(tmp_path)
        labels = session.labelled(judge=ModelJudge(Script(answer), 7))
        last = labels.points[-1]
        assert last.family == "F"
        assert record(last, "t1").verdict == "finished"
        assert record(last, "t3").verdict == "stale"


class TestAnswers:
    @pytest.mark.parametrize("bad", [
        "", "I cannot.", "{", '{"regions": 3}', '{"regions": [{"first": 1}], "see": []}',
        json.dumps({"regions": [region(0, 1)], "see": []}),
        json.dumps({"regions": [region(1, 900)], "see": []}),
        json.dumps({"regions": [region(1, 1, "G9")], "see": []}),
    ])  # fmt: skip
    def test_what_is_of_no_use_is_said_and_asked_again(self, tmp_path: Path, bad: str) -> None:
        def at_first(ask: Ask) -> str:
            return bad if ask.round == 1 and ask.purpose == "bench-needed" else answer(ask)

        script = Script(at_first)
        judged(told(tmp_path), script)
        again = [ask for ask in script.asks if ask.round == 2]
        assert len(again) == 3
        assert again[0].messages[1].text == bad
        assert again[0].messages[2].text.startswith("That is no usable answer: ")

    @settings(max_examples=30, suppress_health_check=[HealthCheck.function_scoped_fixture])
    @given(st.one_of(st.text(max_size=80), st.recursive(
        st.none() | st.integers() | st.text(max_size=5) | st.just("G1"),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(
            st.sampled_from(["regions", "first", "last", "rule", "see", "records", "n"]), inner),
        max_leaves=12).map(json.dumps)))  # fmt: skip
    def test_no_answer_is_more_than_an_error(self, tmp_path: Path, said: str) -> None:
        session = Told(tmp_path, {"lib.py": LIB})
        session.edit("lib.py", "return text", "return text + 1")
        with suppress(StatetapeError):
            judged(session, Script(lambda _: said))

    def test_a_record_left_out_is_asked_for(self, tmp_path: Path) -> None:
        def some(ask: Ask) -> str:
            full = answer(ask)
            if ask.purpose == "bench-held" and ask.round == 1:
                return json.dumps({"records": json.loads(full)["records"][1:]})
            return full

        script = Script(some)
        judged(told(tmp_path), script)
        assert "no verdict for [0]" in next(a for a in script.asks if a.round == 2).messages[2].text

    def test_three_times_are_the_end(self, tmp_path: Path) -> None:
        script = Script(lambda _: "no")
        with pytest.raises(StatetapeError, match="no usable answer"):
            judged(told(tmp_path), script)
        assert len(script.asks) == 3

    def test_a_model_that_does_not_answer_is_an_error(self, tmp_path: Path) -> None:
        def silent(_: Ask) -> Reply:
            return Reply(None, why="late")

        with pytest.raises(StatetapeError, match=r"gave no answer.*late"):
            told(tmp_path).labelled(judge=ModelJudge(silent, 7))

    def test_an_answer_in_a_frame_is_read(self, tmp_path: Path) -> None:
        script = Script(lambda ask: f"Here it is:\n```json\n{answer(ask)}\n```")
        judged(told(tmp_path), script)
        assert {ask.round for ask in script.asks} == {1}

    def test_version_and_seed_are_a_part_of_the_question(self, tmp_path: Path) -> None:
        script = Script(answer)
        judged(told(tmp_path), script)
        assert {ask.version for ask in script.asks} == {f"{PROMPT_VERSION}.7"}
