"""A folder under watch: all that was written before the question is in the answer."""

from collections.abc import Iterator
from pathlib import Path
from queue import Queue

import pytest
from watchfiles import Change

from statetape.listing import heeded, unfolded
from statetape.watch import Watch

PATIENCE = 20.0  # seconds: for a machine that does other things meanwhile


@pytest.fixture
def watch(tmp_path: Path) -> Iterator[Watch]:
    found = Watch(tmp_path)
    found.written(PATIENCE)
    yield found
    found.close()


def test_writes_are_told_once(tmp_path: Path, watch: Watch) -> None:
    (tmp_path / "a.py").write_text("1")
    assert "a.py" in watch.written(PATIENCE)
    assert watch.written(PATIENCE) == set()
    (tmp_path / "a.py").write_text("2")
    assert watch.written(PATIENCE) == {"a.py"}


def test_files_come_move_and_go_in_folders_that_are_new(tmp_path: Path, watch: Watch) -> None:
    (tmp_path / "x" / "y").mkdir(parents=True)
    (tmp_path / "x" / "y" / "f").write_text("1")
    told = watch.written(PATIENCE)
    assert "x" in told
    assert "x/y/f" in unfolded(tmp_path, told, ())  # the watch itself may miss it
    (tmp_path / "x" / "y" / "f").rename(tmp_path / "x" / "g")
    assert {"x/y/f", "x/g"} <= watch.written(PATIENCE)
    (tmp_path / "x" / "g").unlink()
    assert "x/g" in watch.written(PATIENCE)


def test_what_tools_write_for_themselves_is_left_out(tmp_path: Path, watch: Watch) -> None:
    for name in (".git", "__pycache__", "node_modules"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "f").write_text("1")
    assert watch.written(PATIENCE) == set()


def test_a_folder_that_cannot_be_watched_is_said_to_be_none(tmp_path: Path) -> None:
    watch = Watch(tmp_path / "missing")
    assert watch.written(PATIENCE) == set()
    assert not watch.alive
    watch.close()


def test_gitignore_hides_as_it_does_in_git(tmp_path: Path) -> None:
    (tmp_path / ".gitignore").write_text("*.log\nbuilt/\n!kept.log\n")
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / ".gitignore").write_text("secret\n!loud.log\n")
    (tmp_path / "cache").mkdir()
    (tmp_path / "cache" / "CACHEDIR.TAG").write_text("")
    paths = {
        "a.py": True,
        "a.log": False,
        "kept.log": True,
        "built/x.py": False,
        "built/deep/x.py": False,
        "sub/x.py": True,
        "sub/secret": False,
        "sub/loud.log": True,
        "sub/gone/a.log": False,
        "cache/x": False,
        ".git/HEAD": False,
    }
    assert heeded(tmp_path, paths) == [path for path, seen in paths.items() if seen]


class Late(Watch):
    """A watch that hears of each bell when the next one is rung."""

    def __init__(self, root: Path) -> None:
        self.told: Queue[set[tuple[Change, str]] | None] = Queue()
        super().__init__(root)
        self.before: Path | None = None
        self.ring, self._bell.ring = self._bell.ring, self.rung  # type: ignore[method-assign]

    def _changes(self) -> Iterator[set[tuple[Change, str]]]:
        for changes in iter(self.told.get, None):
            yield changes
            self.told.task_done()

    def rung(self) -> Path:
        mark = self.ring()
        if self.before is not None:
            self.told.put({(Change.modified, str(self.before))})
        self.before = mark
        return mark


def test_a_bell_that_is_heard_too_late_is_not_taken_for_the_next(tmp_path: Path) -> None:
    watch = Late(tmp_path)
    heard = []
    for patience in (0.001, 0.04, PATIENCE):  # the first two ring once
        watch.written(patience)
        heard.append(watch.heard)
    assert heard == [False, False, True]
    watch.told.put(None)
    watch.close()
