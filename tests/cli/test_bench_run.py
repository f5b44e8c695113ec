"""`statetape bench run` and `statetape bench report`, on labels by chance."""

import json
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from html.parser import HTMLParser
from pathlib import Path

import msgspec
import pytest
from click.testing import CliRunner, Result
from tests.bench.made import EXAMPLE, benchmark, labels

from statetape.bench.report import report
from statetape.bench.results import Results
from statetape.cli import cli

POLICIES = "control,default,masking,without-graph"
ROW = {
    "policy", "mode", "ce", "lift", "cleared", "lost", "re", "found", "added_per_decision", "ci",
}  # fmt: skip


@pytest.fixture(autouse=True, scope="module")
def _same_code() -> Iterator[None]:
    """The code stays the same over a run, whoever works on it meanwhile."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("statetape.cli.bench.run.code_digest", lambda: "the code")
        yield


def said(*arguments: object) -> Result:
    return CliRunner().invoke(cli, ["bench", *map(str, arguments)], terminal_width=78)


def run(folder: Path, *arguments: object, policy: str = POLICIES) -> str:
    done = said("run", folder, "--policy", policy, *arguments)
    assert done.exit_code == 0, done.output
    return done.stdout


def reported(folder: Path) -> tuple[str, str, str]:
    """The report as JSON, as a page and as Markdown."""
    page, markdown = folder / "report.html", folder / "report.md"
    done = said("report", folder, "--html", page, "--md", markdown, "--json")
    assert done.exit_code == 0, done.output
    return done.stdout, page.read_text("utf-8"), markdown.read_text("utf-8")


def made(folder: Path, sessions: int = 3) -> Path:
    return benchmark(folder, [labels(EXAMPLE, f"s{n}", n) for n in range(sessions)])


@pytest.fixture(scope="module")
def done(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A benchmark that was run."""
    folder = made(tmp_path_factory.mktemp("bench") / "done")
    run(folder, "--jobs", 1)
    return folder


def test_the_document_has_what_the_issue_asks_for(done: Path) -> None:
    document = json.loads(reported(done)[0])
    assert document.keys() >= {"decision_points", "held", "needed", "rows"}
    assert document["decision_points"] == document["rows"][0]["points"] > 30
    assert all(row.keys() >= ROW for row in document["rows"])
    by_name = {(row["policy"], row["mode"]): row for row in document["rows"]}
    assert len(by_name) == len(document["rows"])
    held = document["held"]
    evicted = by_name["evict-all", "recorded"]
    assert evicted["ce"] == pytest.approx(held["unneeded"] / held["needed"])
    assert (evicted["lift"], evicted["cleared"], evicted["lost"]) == (1, 1, 1)
    kept = by_name["keep-all", "recorded"]
    assert (kept["ce"], kept["lost"], kept["re"]) == (None, 0, None)
    oracle = by_name["oracle", "recorded"]
    assert (oracle["found"], oracle["lost"], oracle["cleared"]) == (1, 0, 1)
    figures = ("ce", "cleared", "lost", "re", "found", "added_per_decision")
    recorded, rolling = by_name["control", "recorded"], by_name["control", "rolling"]
    assert [recorded[name] for name in figures] == [rolling[name] for name in figures]
    assert rolling["sent"] == 1
    default = by_name["default", "rolling"]
    low, high = default["ci"]["cleared"]
    assert low <= default["cleared"] <= high
    assert sum(each["points"] for each in default["by_edits"]) == document["decision_points"]


def test_a_second_run_has_nothing_to_do(done: Path) -> None:
    before = reported(done)
    assert "0 cells run" in run(done)
    assert reported(done) == before


def test_two_processes_find_what_one_does(done: Path, tmp_path: Path) -> None:
    folder = made(tmp_path / "two")
    run(folder, "--jobs", 2)
    assert reported(folder) == reported(done)


def test_an_interrupted_run_goes_on_where_it_stopped(
    done: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = made(tmp_path / "cut")
    put = Results.put

    def once(results: Results, session: str, *more: object) -> None:
        if session == "s1":
            raise KeyboardInterrupt
        put(results, session, *more)  # type: ignore[arg-type]

    with monkeypatch.context() as patch:
        patch.setattr(Results, "put", once)
        assert said("run", folder, "--policy", POLICIES, "--jobs", 1).exit_code == 130
    cut = said("report", folder)
    assert cut.exit_code == 2
    assert "nothing was run for all sessions" in cut.stderr
    columns = 8 + 12
    assert f"{2 * columns} cells run, {columns} were there" in run(folder, "--jobs", 1)
    assert reported(folder) == reported(done)


def test_other_labels_are_run_again(tmp_path: Path) -> None:
    folder = made(tmp_path / "labels", 2)
    run(folder, "--mode", "recorded", policy="default")
    file = folder / "sessions" / "s1.json"
    file.write_bytes(msgspec.json.encode(labels(EXAMPLE, "s1", 99)))
    assert said("report", folder).exit_code == 2
    again = run(folder, "--mode", "recorded", policy="default")
    assert "13 cells run, 13 were there\n" in again


def test_rows_of_another_statetape_are_named(
    done: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = made(tmp_path / "mixed")
    run(folder, "--jobs", 1)
    monkeypatch.setattr("statetape.cli.bench.run.code_digest", lambda: "newer code")
    assert "42 cells run, 0 were there" in run(folder, "--jobs", 1, policy="default")
    words = "The rows are of 2 versions of statetape; compare within one of them, or run all again."
    found = said("report", folder)
    (told,) = [line for line in found.stderr.splitlines() if "versions" in line]
    assert told.startswith(f"statetape: {words} the code: control recorded, control rolling, mask")
    assert told.endswith("; newer co: the others.")
    document, page, markdown = reported(folder)
    assert words in page
    assert words in markdown
    by_code = {each["code"]: each["columns"] for each in json.loads(document)["codes"]}
    assert {"policy": "default", "mode": "rolling"} in by_code["newer code"]
    assert {"policy": "evict-all", "mode": "recorded"} in by_code["newer code"]
    assert {each["policy"] for each in by_code["the code"]} == {
        "control", "masking", "without-graph"
    }  # fmt: skip
    assert run(folder, "--jobs", 1).endswith("18 cells run, 42 were there\n")
    assert "versions" not in said("report", folder).stderr
    assert reported(folder)[1:] == reported(done)[1:]


def test_a_policy_that_two_statetapes_ran_is_no_row(tmp_path: Path) -> None:
    folder = made(tmp_path / "torn", 2)
    run(folder, "--mode", "recorded", policy="default,control")
    results = Results(folder)
    with results._changed() as connection:
        connection.execute(
            "UPDATE cells SET code = 'other' WHERE session = 's0' AND policy = 'default'"
        )
    results.close()
    found = said("report", folder)
    assert "default, recorded: not run for all sessions by one statetape" in found.stderr
    assert not re.search("^default", found.stdout, re.MULTILINE)
    assert re.search("^control", found.stdout, re.MULTILINE)
    assert "versions" not in found.stderr


def test_a_report_says_how_far_it_is(done: Path) -> None:
    pieces: dict[str, list[int]] = {}

    @contextmanager
    def begun(words: str, total: int) -> Iterator[Callable[[], None]]:
        pieces[words] = [total, 0]

        def advance() -> None:
            pieces[words][1] += 1

        yield advance

    report(done, begun)
    assert pieces == {"adding up": [20, 20], "reading labels": [3, 3]}


def test_a_policy_that_not_all_sessions_have_is_no_row(tmp_path: Path) -> None:
    folder = made(tmp_path / "part", 2)
    run(folder, "--mode", "recorded", policy="default")
    results = Results(folder)
    with results._changed() as connection:
        connection.execute("DELETE FROM cells WHERE session = 's0' AND policy = 'default'")
    results.close()
    found = said("report", folder)
    assert "statetape: default, recorded: not run for all sessions" in found.stderr
    assert not re.search("^default", found.stdout, re.MULTILINE)


def test_a_session_that_is_not_the_one_that_was_labelled_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "session.jsonl"
    file.write_bytes(EXAMPLE.read_bytes())
    folder = benchmark(tmp_path / "other", [labels(file, "s0")], file)
    run(folder, "--mode", "recorded", policy="control")
    file.write_bytes(EXAMPLE.read_bytes() + b"\n")
    found = said("run", folder, "--policy", "control")
    assert found.exit_code == 2
    assert "14 columns: 0 cells run, 13 were there, 1 are missing" in found.stdout
    assert "not the file that was labelled as s0" in found.stderr
    assert "Traceback" not in found.output


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--policy", "default,nonsense"), "'nonsense' is none of"),
        (("--policy", ""), "'' is none of"),
        (("--mode", "live"), "'live' is none of recorded, rolling"),
        (("--policy", "model"), "'model' is none of"),
    ],
)
def test_bad_use_is_told_in_one_line(done: Path, arguments: tuple[str, ...], words: str) -> None:
    found = said("run", done, *arguments)
    assert found.exit_code == 2
    assert words in found.stderr


def test_a_folder_without_a_benchmark_is_left_alone(tmp_path: Path) -> None:
    for command in ("run", "report"):
        assert said(command, tmp_path).exit_code == 2
    assert list(tmp_path.iterdir()) == []


class Tags(HTMLParser):
    def __init__(self, text: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))


def test_the_page_loads_and_runs_nothing(done: Path) -> None:
    page = Tags(reported(done)[1])
    names = [name for name, _ in page.found]
    assert not {"script", "link", "img", "iframe"} & set(names)
    policy = next(found["content"] for _, found in page.found if "http-equiv" in found)
    assert policy is not None
    assert re.fullmatch(r"default-src 'none'; style-src 'sha256-[\w+/=]+'", policy)
    assert not any({"style", "href", "src", "onload"} & found.keys() for _, found in page.found)


def test_every_figure_has_its_data_and_a_caption_with_its_unit(done: Path) -> None:
    text = reported(done)[1]
    figures = re.findall("<figure>.*?</figure>", text, re.DOTALL)
    assert len(figures) == 5
    for figure in figures:
        assert "<details><summary>Data</summary>" in figure
        assert "<figcaption>Figure " in figure
        assert 'aria-label="' in figure
        assert re.search("tokens|share", figure)


def test_the_paper_is_marked_and_has_columns_of_its_own(done: Path) -> None:
    _, page, markdown = reported(done)
    for text in (page, markdown):
        assert "other sessions, other labels" in text
        assert "6.18" in text
    row = next(line for line in markdown.splitlines() if line.startswith("| without the graph"))
    cells = [each.strip() for each in row.strip("|").split("|")]
    assert cells[1] == "without-graph"
    assert cells[-3:] == ["3.14", "44.3 %", "-3.4 points"]


def test_the_table_on_a_terminal_has_80_columns(done: Path) -> None:
    lines = said("report", done).stdout.splitlines()
    assert max(map(len, lines[1:])) <= 80
    assert any(line.startswith("evict-all") for line in lines)
