"""Labels under review: what is asked, what is kept, and how far reviewer and labels agree."""

import asyncio
import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from hashlib import sha256
from http.client import HTTPConnection
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from aiohttp.test_utils import TestClient, TestServer
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st
from msgspec import json as msgspec_json

from statetape.bench.labels import Gold, Held, Labelled, Manifest, Point, Source, Verdict
from statetape.bench.review import Answer, Case, agreement, cases, kappa, sampled
from statetape.bench.review_kept import FILE, Review, Reviews
from statetape.bench.review_server import Desk, application
from statetape.bench.review_shown import shown
from statetape.cli import cli
from statetape.errors import BadInput, StatetapeError
from statetape.replay.prepared import prepared
from statetape.replay.transcripts import recording
from statetape.types import Lines

SESSION = Path(__file__).parents[2] / "examples" / "config-loader.jsonl"
TOKEN = "secret1"
RUN = "from statetape.cli import main; main()"
VERDICTS: tuple[Verdict, ...] = ("needed", "stale", "superseded", "finished")


def held(name: str, verdict: Verdict = "finished") -> Held:
    return Held(name, "result", "read", "a.py", Lines(1, 2), 1, 9, verdict, None, "0")


def gold(first: int) -> Gold:
    return Gold("config_loader/loader.py", Lines(first, first + 2), "f", "G1", 9, 3, (), "edited")


def point(step: int, *of: Held | Gold, request: int = 1) -> Point:
    own = tuple(each for each in of if isinstance(each, Held))
    needed = tuple(each for each in of if isinstance(each, Gold))
    return Point(0, "P", "both", request, step, 0, 0, None, own, needed, 0)


def every(*of: Held | Gold) -> list[Case]:
    return list(cases(Labelled("s", "claude-code", (point(1, *of),), 0)))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A benchmark of the example: its first three reads, and two regions."""
    ready = prepared(recording(SESSION))
    reads = [step for step in ready.steps.finished.values() if step.kind == "read"][:3]
    records = [
        held(step.call.slot.id, verdict)
        for step, verdict in zip(reads, VERDICTS, strict=False)
        if step.call is not None
    ]
    at = point(reads[-1].index, *records, gold(2), gold(9), request=12)
    last = point(99, *records, request=1_000)
    (tmp_path / "sessions").mkdir()
    found = Labelled("config-loader", "claude-code", (at, last), 0)
    (tmp_path / "sessions" / "config-loader.json").write_bytes(msgspec_json.encode(found))
    digest = sha256(SESSION.read_bytes()).hexdigest()
    source = Source("config-loader", str(SESSION), digest)
    made = Manifest("0", "cl100k_base", "rules", "1", None, 0, (source,))
    (tmp_path / "manifest.json").write_bytes(msgspec_json.encode(made))
    return tmp_path


def labelled(folder: Path) -> tuple[list[Case], dict[str, Source]]:
    found = msgspec_json.decode(
        (folder / "sessions" / "config-loader.json").read_bytes(), type=Labelled
    )
    made = msgspec_json.decode((folder / "manifest.json").read_bytes(), type=Manifest)
    return list(cases(found)), {source.id: source for source in made.sessions}


class TestSampling:
    MANY = every(
        *(held(f"r{n}", "needed" if n < 3 else "finished") for n in range(40)),
        *(gold(n) for n in range(20)),
    )

    def test_each_sort_of_label_is_asked_about_as_often_as_any(self) -> None:
        chosen = sampled(self.MANY, 9, 0)
        assert (
            sorted(case.stratum for case in chosen)
            == ["G1"] * 3 + ["finished"] * 3 + ["needed"] * 3
        )

    def test_the_seed_decides_which(self) -> None:
        names = [case.name for case in sampled(self.MANY, 12, 1)]
        assert names == [case.name for case in sampled(list(reversed(self.MANY)), 12, 1)]
        assert names != [case.name for case in sampled(self.MANY, 12, 2)]
        assert names[:6] == [case.name for case in sampled(self.MANY, 6, 1)]

    def test_all_are_asked_about_where_there_are_few(self) -> None:
        assert len(sampled(self.MANY, 1_000, 0)) == len(self.MANY)

    def test_names_tell_cases_apart(self) -> None:
        assert len({case.name for case in self.MANY}) == len(self.MANY)


class TestAgreement:
    def test_kappa_is_cohens(self) -> None:
        # The example of Cohen's measure that most books have: 45 and 15, 25 and 15 of 100.
        pairs = {("y", "y"): 45, ("y", "n"): 15, ("n", "y"): 25, ("n", "n"): 15}
        found = kappa(pairs)
        assert found is not None
        assert round(found, 4) == 0.1304

    @given(st.dictionaries(st.tuples(*[st.sampled_from("abc")] * 2), st.integers(0, 9)))
    def test_kappa_is_at_most_one_and_one_for_all_alike(
        self, pairs: dict[tuple[str, str], int]
    ) -> None:
        found = kappa(pairs)
        alike = all(one == other for (one, other), n in pairs.items() if n)
        assert found is None or (found <= 1 and (found == 1) == alike)

    def test_nothing_to_compare_has_no_kappa(self) -> None:
        assert kappa({}) is None
        assert kappa({("a", "a"): 3}) is None

    def test_answers_are_counted_by_label_and_weighted_by_how_many_there_are(self) -> None:
        found = every(*(held(f"r{n}", "needed" if n < 2 else "finished") for n in range(10)))
        given: list[Answer] = ["needed", "stale", "finished", "finished", "skip"]
        answers = {case.name: answer for case, answer in zip(found, given, strict=False)}
        of_held = agreement(found, answers, Held)
        assert of_held.pairs == {
            "finished": {"finished": 2},
            "needed": {"needed": 1, "stale": 1},
        }
        assert (of_held.count, of_held.share) == (4, 0.75)
        assert of_held.weighted == pytest.approx(0.2 * 0.5 + 0.8 * 1)
        assert of_held.kappa_needed == pytest.approx(0.5)
        assert agreement(found, answers, Gold).share is None


class TestReviews:
    def test_the_last_answer_to_a_case_counts_and_can_be_taken_back(self, tmp_path: Path) -> None:
        kept = Reviews(tmp_path)
        for case, answer in (("a", "needed"), ("b", "stale"), ("a", "skip"), ("b", None)):
            kept.add(Review(case, "stale", answer))  # type: ignore[arg-type]
        for reviews in (kept, Reviews(tmp_path)):
            assert (reviews.answers, reviews.last) == ({"a": "skip"}, "a")

    @given(cut=st.integers(0, 60))
    def test_a_line_that_was_cut_off_costs_itself_alone(
        self, tmp_path_factory: pytest.TempPathFactory, cut: int
    ) -> None:
        folder = tmp_path_factory.mktemp("kept")
        Reviews(folder).add(Review("a", "stale", "stale"))
        whole = (folder / FILE).read_bytes()
        (folder / FILE).write_bytes(whole + whole.replace(b'"a"', b'"b"')[:cut])
        kept = Reviews(folder)
        assert kept.answers["a"] == "stale"
        kept.add(Review("c", "stale", "needed"))
        after = Reviews(folder)
        assert {"a": "stale", "c": "needed"}.items() <= after.answers.items()
        assert after.answers.keys() - {"a", "b", "c"} == set()

    @given(st.binary(max_size=40))
    def test_any_bytes_are_read(
        self, tmp_path_factory: pytest.TempPathFactory, data: bytes
    ) -> None:
        folder = tmp_path_factory.mktemp("kept")
        (folder / FILE).write_bytes(data)
        kept = Reviews(folder)
        assert kept.unread == len([line for line in data.split(b"\n") if line])
        kept.add(Review("c", "stale", "needed"))
        assert Reviews(folder).answers == {"c": "needed"}

    def test_what_cannot_be_kept_is_said_and_does_not_count(self, tmp_path: Path) -> None:
        (tmp_path / FILE).mkdir()
        with pytest.raises(StatetapeError):
            Reviews(tmp_path)
        (tmp_path / FILE).rmdir()
        kept = Reviews(tmp_path)
        (tmp_path / FILE).mkdir()
        with pytest.raises(StatetapeError):
            kept.add(Review("a", "stale", "stale"))
        assert kept.answers == {}


class TestShown:
    def test_a_record_is_shown_beside_its_file_at_that_point(self, folder: Path) -> None:
        found, sources = labelled(folder)
        texts = shown(sources["config-loader"], found)
        assert texts.keys() == {case.name for case in found}
        one = texts[found[0].name]
        assert (one.kind, one.label) == ("held", "needed")
        assert "def " in one.text
        assert ("used again", "never") in one.about
        assert one.before
        assert one.after
        region = next(texts[case.name] for case in found if isinstance(case.of, Gold))
        assert region.now is None
        assert [row[0] for row in region.text.split("\n")] == [" ", ">", ">", ">", " ", " ", " "]

    def test_another_session_than_was_labelled_is_none(self, folder: Path) -> None:
        found, sources = labelled(folder)
        source = sources["config-loader"]
        with pytest.raises(BadInput, match="not the session"):
            shown(Source(source.id, source.file, "0"), found)
        with pytest.raises(BadInput, match="No such file"):
            shown(Source(source.id, "/no/where.jsonl", source.sha256), found)


class TestPage:
    ROOT = f"/_statetape/as/{TOKEN}/"

    def asked(
        self, folder: Path, *requests: tuple[str, str, Any, dict[str, str]]
    ) -> list[tuple[int, str]]:
        async def work() -> list[tuple[int, str]]:
            found, sources = labelled(folder)
            desk = Desk(found, sources, Reviews(folder))
            answers = []
            async with TestClient(TestServer(application(desk, TOKEN))) as client:
                for method, path, body, headers in requests:
                    data = None if body is None else json.dumps(body)
                    reply = await client.request(method, path, data=data, headers=headers)
                    answers.append((reply.status, await reply.text()))
            return answers

        return asyncio.run(work())

    @pytest.mark.parametrize(
        ("path", "headers", "status"),
        [
            (ROOT, {}, 200),
            (f"{ROOT}standing", {"Origin": "http://127.0.0.1:1"}, 200),
            ("/", {}, 403),
            ("/standing", {}, 403),
            ("/_statetape/as/wrong1/standing", {}, 403),
            (f"{ROOT}standing", {"Origin": "http://evil.example"}, 403),
            (f"{ROOT}standing", {"Host": "evil.example"}, 403),
            (f"{ROOT}case?99", {}, 404),
            (f"{ROOT}case?-1", {}, 404),
            (f"{ROOT}case?{'9' * 5000}", {}, 404),
            (f"{ROOT}other", {}, 404),
        ],
    )
    def test_only_who_knows_the_token_and_asks_from_here_is_told_anything(
        self, folder: Path, path: str, headers: dict[str, str], status: int
    ) -> None:
        ((found, text),) = self.asked(folder, ("GET", path, None, headers))
        assert found == status
        assert (TOKEN in text, "answered" in text) == (False, status == 200)

    def test_the_page_runs_nothing_and_asks_nobody_else(self, folder: Path) -> None:
        ((_, page),) = self.asked(folder, ("GET", self.ROOT, None, {}))
        assert "http://" not in page
        assert "https://" not in page
        assert "innerHTML" not in page

    def test_answers_are_kept_taken_back_and_refused(self, folder: Path) -> None:
        found, _ = labelled(folder)
        region = next(case.name for case in found if isinstance(case.of, Gold))
        say = [
            {"case": found[0].name, "answer": "stale"},
            {"case": region, "answer": "unneeded"},
            {"case": region, "answer": "stale"},
            {"case": found[0].name, "answer": "unneeded"},
            {"case": "nothing", "answer": "stale"},
            {"case": found[0].name, "answer": "wrong"},
            {"case": region, "answer": None},
        ]
        replies = self.asked(folder, *(("POST", f"{self.ROOT}answer", each, {}) for each in say))
        assert [status for status, _ in replies] == [200, 200, 400, 400, 400, 400, 200]
        last = json.loads(replies[-1][1])
        assert (last["answered"], last["next"], last["last"]) == (1, 1, 0)
        assert Reviews(folder).answers == {found[0].name: "stale"}

    def test_a_session_that_is_gone_is_said_on_the_page(self, folder: Path) -> None:
        file = folder / "manifest.json"
        file.write_text(file.read_text().replace(str(SESSION), "/no/where.jsonl"))
        ((status, text),) = self.asked(folder, ("GET", f"{self.ROOT}case?0", None, {}))
        assert status == 500
        assert "No such file" in json.loads(text)["problem"]


@pytest.fixture
def reviewing(folder: Path) -> Iterator[tuple[subprocess.Popen[str], str]]:
    command = [sys.executable, "-c", RUN, "bench", "review", str(folder)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        yield process, process.stdout.readline().strip()
        process.kill()


def test_what_was_answered_outlives_a_kill(
    folder: Path, reviewing: tuple[subprocess.Popen[str], str]
) -> None:
    process, url = reviewing
    place = urlsplit(url)
    connection = HTTPConnection(place.netloc, timeout=60)

    def asked(path: str, said: Any = None) -> Any:
        body = None if said is None else json.dumps(said)
        connection.request("GET" if body is None else "POST", place.path + path, body)
        return json.load(connection.getresponse())

    for number in range(3):
        case = asked(f"case?{asked('standing')['next']}")
        said = {"case": case["name"], "answer": case["label"]}
        assert asked("answer", said)["answered"] == number + 1
    connection.close()
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    words = ["bench", "review", str(folder), "--report"]
    found = json.loads(CliRunner().invoke(cli, [*words, "--json"]).output)
    assert (found["labels"], found["reviewed"], found["skipped"], found["gone"]) == (8, 3, 0, 0)
    assert found["held"]["reviewed"] + found["regions"]["reviewed"] == 3
    assert {found["held"]["agreement"], found["regions"]["agreement"]} <= {1.0, None}
    assert "confirmed" in CliRunner().invoke(cli, words).output


def test_json_goes_with_the_report(folder: Path) -> None:
    done = CliRunner().invoke(cli, ["bench", "review", str(folder), "--json"])
    assert done.exit_code == 2
