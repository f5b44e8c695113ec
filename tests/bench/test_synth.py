"""Commits as sessions: the same bytes, the commit's own result, and a truth that tells."""

import json
import os
import subprocess
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from click.testing import CliRunner
from msgspec import json as msgspec_json

from statetape.bench import synth_checked
from statetape.bench.synth import MOST_CHANGES, written
from statetape.bench.synth_checked import Agreement, Tally, compared
from statetape.bench.synth_commits import commits
from statetape.bench.synth_truth import Known, Spell, Truth
from statetape.cli import cli
from statetape.errors import BadInput
from statetape.files import GitCommit
from statetape.replay.history import history
from statetape.replay.prepared import prepared
from statetape.replay.transcripts import recording
from statetape.session import Session
from statetape.types import Nomination, Slot
from statetape.workspace import Workspace

BODY = "".join(
    f"def work_{n}(value):\n    total = value + {n}\n    return total\n\n\n" for n in range(9)
)
BASE = {
    "pkg/work.py": BODY,
    "pkg/callers.py": "".join(f"def call_{n}():\n    return work_{n}(1)\n\n\n" for n in range(9)),
    "pkg/old_name.py": BODY.replace("work_", "other_"),
    "gone.py": "GONE = 1\n",
    "crlf.txt": "one\r\ntwo\r\nthree\r\n",
    "data.bin": "\0\1",
    "README.md": "# Title\n\nwork_1 is here\n",
}
CHANGES: list[Mapping[str, str | None]] = [
    {
        "pkg/work.py": BODY.replace("value + 3", "value * 3")
        .replace("def work_5(value):\n    total = value + 5\n    return total\n\n\n", "")
        .replace("def work_7", "def inserted():\n    return work_1(2)\n\n\ndef work_7"),
        "pkg/callers.py": BASE["pkg/callers.py"].replace("work_5(1)", "inserted()"),
        "pkg/made.py": "def made():\n    return 1\n",
        "gone.py": None,
    },
    {
        "pkg/old_name.py": None,
        "pkg/sub/new_name.py": BODY.replace("work_", "other_").replace("value + 4", "value - 4"),
        "crlf.txt": "one\r\n2\r\nthree\r\n",
        "data.bin": "\0\2",
        "README.md": "# Title\n\nwork_1 is here\nwork_1 is there",
    },
    {"pkg/work.py": "", "top.py": "work_1 = 1\n"},
    {"pkg/work.py": BODY, "README.md": "# Title\n"},
]


@pytest.fixture(scope="module")
def repo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("repo")
    git = ["git", "-C", str(folder), "-c", "user.name=a", "-c", "user.email=a@b"]
    dates = dict.fromkeys(("GIT_AUTHOR_DATE", "GIT_COMMITTER_DATE"), "2026-01-01T00:00:00Z")
    subprocess.run([*git, "init", "-q", "-b", "main"], check=True)
    subprocess.run([*git, "config", "core.autocrlf", "false"], check=True)
    for number, change in enumerate([BASE, *CHANGES]):
        for path, text in change.items():
            file = folder / path
            file.parent.mkdir(parents=True, exist_ok=True)
            if text is None:
                file.unlink()
            else:
                file.write_bytes(text.encode())
        subprocess.run([*git, "add", "-A"], check=True)
        subprocess.run(
            [*git, "commit", "-q", "-m", f"Change {number}"], check=True, env=os.environ | dates
        )
    return folder


def made(repo: Path, out: Path, **more: int) -> list[Truth]:
    return list(written(repo, "main~4..main", out, **{"seed": 1, **more}))


@pytest.fixture(params=range(8))
def sessions(
    request: pytest.FixtureRequest, repo: Path, tmp_path: Path
) -> list[tuple[Path, Truth]]:
    seed: int = request.param
    truths = made(repo, tmp_path, seed=seed, each=1 + seed % 4)
    return [(tmp_path / f"{truth.session}.jsonl", truth) for truth in truths]


def plain(data: bytes | None) -> bytes | None:
    """Without what no log tells: line ends, and of some clients that of the last line."""
    return None if data is None else data.replace(b"\r\n", b"\n").removesuffix(b"\n")


def test_a_session_makes_just_what_its_commits_make(
    repo: Path, sessions: list[tuple[Path, Truth]]
) -> None:
    for file, truth in sessions:
        with GitCommit(repo, truth.base) as base, GitCommit(repo, truth.commits[-1]) as end:
            ready = prepared(recording(file))
            seen = history(ready.recording, base, ready.shell_writes)
            assert (*ready.recording.problems, *seen.problems) == ()
            space = Workspace(seen.files)
            writes = [each for _, at in sorted(seen.writes.items()) for each in at]
            assert {each.hand for each in writes} == {"agent"}
            for each in writes:
                space.observe(each.write)
            paths = {*base.paths(), *end.paths()} - {"data.bin"}
            wrong = [p for p in paths if plain(space.read(p)) != plain(end.read(p))]
            assert wrong == []


def test_tape_and_truth_agree(repo: Path, sessions: list[tuple[Path, Truth]]) -> None:
    total = Tally()
    for file, truth in sessions:
        with GitCommit(repo, truth.base) as base:
            found = compared(file, truth, base)
        assert found.differences == ()
        assert (found.check.misses, found.check.over_nominations) == (0, 0)
        assert compared(file, truth).check == found.check
        total += sum(found.tallies.values(), Tally())
    assert total.caught > 20
    assert total.fresh > 20
    assert (total.recall, total.precision) == (1.0, 1.0)


def test_a_tape_that_misses_or_names_too_much_is_found_out(
    repo: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    truth = made(repo, tmp_path)[0]

    def sabotaged(
        change: Callable[[Mapping[Slot, Nomination]], Mapping[Slot, Nomination]],
    ) -> Agreement:
        class Sabotaged(Session):
            @property
            def nominations(self) -> Mapping[Slot, Nomination]:
                return change(super().nominations)

        monkeypatch.setattr(synth_checked, "Session", Sabotaged)
        found = compared(tmp_path / f"{truth.session}.jsonl", truth)
        monkeypatch.undo()
        return found

    silent = sabotaged(lambda _: {})
    assert {each.what for each in silent.differences} == {"miss"}
    assert silent.check.misses > 0
    assert sum(silent.tallies.values(), Tally()).recall == 0
    lone = next(iter(compared(tmp_path / f"{truth.session}.jsonl", truth).tallies))
    assert lone
    fresh = next(k.slot for k in truth.records if k.spells[-1].verdict == "fresh")

    def loud(said: Mapping[Slot, Nomination]) -> Mapping[Slot, Nomination]:
        return {fresh: next(iter(said.values())), **said} if said else said

    assert ("over", fresh) in {(each.what, each.slot) for each in sabotaged(loud).differences}


def test_the_same_seed_gives_the_same_bytes(repo: Path, tmp_path: Path) -> None:
    one, other, third = (tmp_path / name for name in ("one", "other", "third"))
    for out, seed in ((one, 1), (other, 1), (third, 2)):
        made(repo, out, seed=seed)
    names = sorted(file.name for file in one.iterdir())
    assert len(names) == 2 * 4 + 1
    assert [(other / name).read_bytes() for name in names] == [
        (one / name).read_bytes() for name in names
    ]
    assert any((third / name).read_bytes() != (one / name).read_bytes() for name in names)


def test_what_git_says_of_a_commit_is_read_in_full(repo: Path) -> None:
    first, second, *_ = commits(repo, "main~4..main", None)
    kinds = {change.path: (change.before is None, change.after is None) for change in first.changes}
    assert kinds["pkg/made.py"] == (True, False)
    assert kinds["gone.py"] == (False, True)
    work = next(change for change in first.changes if change.path == "pkg/work.py")
    assert sorted((len(h.new), h.end - h.start) for h in work.hunks) == [(0, 5), (1, 1), (4, 0)]
    moved = next(change for change in second.changes if change.path == "pkg/sub/new_name.py")
    assert moved.moved_from == "pkg/old_name.py"
    assert second.left_out == 1
    assert [commit.subject for commit in commits(repo, "main~4..main", 2)] == [
        "Change 3",
        "Change 4",
    ]


def test_a_session_ends_where_a_commit_cannot_be_made_in_full(repo: Path, tmp_path: Path) -> None:
    truths = made(repo, tmp_path, each=4)
    assert [len(truth.commits) for truth in truths] == [2, 2]
    bases = json.loads((tmp_path / "bases.json").read_text())
    assert bases == {t.session: {"repo": str(repo), "base": t.base} for t in truths}
    stored = msgspec_json.decode(
        (tmp_path / f"{truths[0].session}.truth.json").read_bytes(), type=Truth
    )
    assert stored == truths[0]


def test_a_commit_that_is_too_big_is_passed_over(tmp_path: Path) -> None:
    git = ["git", "-C", str(tmp_path), "-c", "user.name=a", "-c", "user.email=a@b"]
    subprocess.run([*git, "init", "-q", "-b", "main"], check=True)
    for count in (2, MOST_CHANGES + 1, 3):
        for number in range(count):
            (tmp_path / f"f{number}_{count}.txt").write_text(f"{number}\n")
        subprocess.run([*git, "add", "-A"], check=True)
        subprocess.run([*git, "commit", "-q", "--allow-empty", "-m", "c"], check=True)
    found = list(written(tmp_path, "main~2..main", tmp_path / "out", seed=0, each=5))
    assert [len(truth.commits) for truth in found] == [1]


def test_a_record_has_a_verdict_from_the_first_request_that_carries_it() -> None:
    known = Known("c", "result", "read", 3, "a.py", (Spell(4, "fresh"), Spell(7, "stale")))
    assert [known.at(request) for request in (3, 4, 6, 7, 99)] == [
        None,
        "fresh",
        "fresh",
        "stale",
        "stale",
    ]


@pytest.mark.parametrize("span", ["main", "--all", "nothing..main"])
def test_what_is_no_range_is_said(repo: Path, tmp_path: Path, span: str) -> None:
    with pytest.raises(BadInput):
        list(written(repo, span, tmp_path, seed=0))


def test_the_command_reports_and_checks(repo: Path, tmp_path: Path) -> None:
    words = [
        "bench",
        "synth",
        "--repo",
        str(repo),
        "--range",
        "main~4..main",
        "--out",
        str(tmp_path),
    ]
    done = CliRunner().invoke(cli, [*words, "--check"])
    assert done.exit_code == 0, done.output
    assert "0 misses, 0 over-nominations" in done.output
    assert "100.00% of what is stale is nominated" in done.output
    found = json.loads(CliRunner().invoke(cli, [*words, "--check", "--json"]).output)
    assert found["sessions"] == 4
    assert (found["recall"], found["precision"], found["differences"]) == (1.0, 1.0, [])
    plainly = json.loads(CliRunner().invoke(cli, [*words, "--json"]).output)
    assert "check" not in plainly
