"""Folders of bells: gone with their owners, or with the next one."""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from statetape.bell import Bell

KILLED = "import os; from statetape.bell import Bell; b = Bell(); b.ring(), b.ring(); "
KILLED += "os.kill(os.getpid(), 9)"


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder for temporary files."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return tmp_path


def aged(folder: Path) -> Path:
    os.utime(folder, (0, 0))
    return folder


def killed(place: Path) -> Path:
    """The folder that a killed process left."""
    before = set(place.iterdir())
    subprocess.run(
        [sys.executable, "-c", KILLED], env={**os.environ, "TMPDIR": str(place)}, check=False
    )
    (folder,) = set(place.iterdir()) - before
    return folder


def test_a_folder_goes_with_its_bell(place: Path) -> None:
    bell = Bell()
    marks = [bell.ring() for _ in range(5)]
    assert len(set(marks)) == 5
    assert marks[-1].exists()
    assert len([*bell.folder.iterdir()]) == 2
    bell.close()
    assert list(place.iterdir()) == []


def test_what_the_killed_left_goes_with_the_next(place: Path) -> None:
    left, alive = aged(killed(place)), Bell()
    assert not left.exists()
    aged(alive.folder)
    other = Bell()
    assert alive.folder.exists()
    alive.close()
    other.close()


def test_what_is_not_surely_dead_and_ours_stays(place: Path) -> None:
    young = killed(place)
    used = aged(killed(place))
    (used / "notes").write_text("of somebody else")
    aged(used)
    target = place / "target"
    target.mkdir()
    link = place / "statetape-bell-link"
    link.symlink_to(target)
    (place / "statetape-bell-file").write_text("")
    Bell().close()
    left = {path.name for path in place.iterdir()}
    assert left == {young.name, used.name, "target", link.name, "statetape-bell-file"}
    assert (used / "notes").exists()
