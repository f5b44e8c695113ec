"""Files on disk: what was read stays as it was until somebody asks what has changed."""

import os
import time
from pathlib import Path

import pytest

from statetape.disk import Disk, Stamp, clock
from statetape.errors import BadInput
from statetape.types import Write


def aged(path: Path) -> None:
    """Make a file look as if it had been written long ago."""
    os.utime(path, ns=(10**18, 10**18))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "a.py").write_bytes(b"a = 1\n")
    aged(tmp_path / "a.py")
    return tmp_path


def test_a_read_file_stays_until_its_writes_are_asked_for(folder: Path) -> None:
    disk = Disk(folder)
    assert disk.read("a.py") == b"a = 1\n"
    (folder / "a.py").write_bytes(b"a = 2\n")
    assert disk.read("a.py") == b"a = 1\n"
    assert disk.writes() == [Write("a.py", b"a = 1\n", b"a = 2\n")]
    assert disk.read("a.py") == b"a = 2\n"
    assert disk.writes() == []


def test_files_come_and_go(folder: Path) -> None:
    disk = Disk(folder)
    assert disk.read("b.py") is None
    disk.read("a.py")
    (folder / "b.py").write_bytes(b"b")
    (folder / "a.py").unlink()
    assert disk.writes() == [Write("b.py", None, b"b"), Write("a.py", b"a = 1\n", None)]


def test_what_was_never_read_is_no_write_unless_it_is_named(folder: Path) -> None:
    disk = Disk(folder)
    (folder / "new.py").write_bytes(b"n")
    assert disk.writes() == []
    assert disk.writes(["new.py"]) == [Write("new.py", None, b"n")]
    assert disk.writes(["new.py", "missing", "../out", "/etc/hosts", ""]) == []


def test_a_write_that_leaves_the_clock_and_the_size_as_they_were_is_seen(folder: Path) -> None:
    disk = Disk(folder)
    (folder / "b.py").write_bytes(b"1")
    disk.read("b.py")
    seen = (folder / "b.py").stat()
    with (folder / "b.py").open("r+b") as file:
        file.write(b"2")
    os.utime(folder / "b.py", ns=(seen.st_atime_ns, seen.st_mtime_ns))
    assert disk.writes() == [Write("b.py", b"1", b"2")]


def test_a_file_that_was_just_written_is_read_again_whatever_its_stamp_says(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A file system may round its clock: two writes within a tick of it look like one."""
    disk = Disk(folder)
    stamp = Stamp(1, 1, 1, time.time_ns() + 10**9, 1)
    monkeypatch.setattr(disk, "_stamp", lambda _: stamp)
    (folder / "b.py").write_bytes(b"1")
    disk.read("b.py")
    (folder / "b.py").write_bytes(b"2")
    assert disk.writes() == [Write("b.py", b"1", b"2")]


def test_what_was_touched_since_is_found_without_a_word(folder: Path) -> None:
    disk = Disk(folder)
    (folder / "old.py").write_bytes(b"1")
    since = (folder / "old.py").stat().st_ctime_ns + 1
    while clock() < since:
        pass  # the clock of the files goes in steps
    (folder / "a.py").write_bytes(b"a = 2\n")
    aged(folder / "a.py")  # as some tools do
    known = ["a.py", "old.py", "gone.py"]
    assert sorted(disk.touched(since, known)) == ["a.py", "gone.py"]
    (folder / "moved.py").hardlink_to(folder / "old.py")
    assert "moved.py" in disk.touched(since, known)


def test_a_file_that_got_its_old_time_back_may_get_it_again(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two writes within a tick of the clock, each with the time of the file's origin."""
    disk = Disk(folder)
    stamp = Stamp(1, 1, 1, 10**18, time.time_ns() + 10**9)
    monkeypatch.setattr(disk, "_stamp", lambda _: stamp)
    disk.read("a.py")
    (folder / "a.py").write_bytes(b"a = 2\n")
    assert disk.writes() == [Write("a.py", b"a = 1\n", b"a = 2\n")]


def test_the_same_bytes_written_again_are_no_write(folder: Path) -> None:
    disk = Disk(folder)
    disk.read("a.py")
    (folder / "a.py").write_bytes(b"a = 1\n")
    assert disk.writes() == []


def test_a_folder_that_went_away_leaves_its_files_absent(tmp_path: Path) -> None:
    root = tmp_path / "r"
    root.mkdir()
    (root / "a").write_bytes(b"a")
    disk = Disk(root)
    disk.read("a")
    (root / "a").unlink()
    root.rmdir()
    assert disk.writes() == [Write("a", b"a", None)]
    with pytest.raises(BadInput, match="not a folder"):
        Disk(root)
