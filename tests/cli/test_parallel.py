"""Work on several files in parallel processes."""

import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from importlib import import_module
from multiprocessing import active_children
from pathlib import Path

import pytest

from statetape.cli.parallel import outcomes
from statetape.errors import BadInput, StatetapeError
from statetape.files import Folder


@pytest.mark.parametrize("jobs", [1, 2])
def test_each_file_has_its_outcome_and_a_fault_is_one_of_them(tmp_path: Path, jobs: int) -> None:
    folders = [tmp_path / name for name in ("a", "none", "b")]
    folders[0].mkdir()
    folders[2].mkdir()
    found = dict(outcomes(Folder, folders, jobs))
    assert sorted(found) == [0, 1, 2]
    assert isinstance(found[1], BadInput)
    assert [found[place].root for place in (0, 2)] == [folders[0], folders[2]]  # type: ignore[union-attr]


def test_a_killed_process_is_a_fault_in_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    module = "import os\n\ndef work(file):\n    os._exit(3)\n"
    (tmp_path / "deadly_work.py").write_text(module, "utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    work = import_module("deadly_work").work
    with pytest.raises(StatetapeError, match="a worker process was killed"):
        list(outcomes(work, [tmp_path, tmp_path], 2))


def test_each_process_is_sent_the_work_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    module = """
sent = []

class Work:
    def __call__(self, file):
        return str(file)

    def __reduce__(self):
        sent.append(1)
        return Work, ()
"""
    (tmp_path / "counted_work.py").write_text(module, "utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    counted = import_module("counted_work")
    files = [tmp_path / str(number) for number in range(20)]
    found = dict(outcomes(counted.Work(), files, 2))
    assert found == {place: str(file) for place, file in enumerate(files)}
    assert len(counted.sent) == 2


def test_who_is_killed_leaves_no_process(tmp_path: Path) -> None:
    module = """
import os, sys, time
from pathlib import Path

def work(file):
    (file / str(os.getpid())).touch()
    time.sleep(0.1)

if __name__ == "__main__":
    from killed_work import work
    from statetape.cli.parallel import outcomes
    list(outcomes(work, [Path(sys.argv[1])] * 400, 2))
"""
    (tmp_path / "killed_work.py").write_text(module, "utf-8")
    seen = tmp_path / "seen"
    seen.mkdir()
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(tmp_path), *sys.path])}
    command = [sys.executable, str(tmp_path / "killed_work.py"), str(seen)]
    with subprocess.Popen(command, env=environment) as killed:
        _until(lambda: len(list(seen.iterdir())) == 2)
        killed.kill()
    workers = [int(each.name) for each in seen.iterdir()]
    _until(lambda: not any(map(_runs, workers)))


def _until(is_so: Callable[[], bool]) -> None:
    end = time.monotonic() + 30
    while not is_so():
        assert time.monotonic() < end
        time.sleep(0.05)


def _runs(process: int) -> bool:
    told = subprocess.run(
        ["ps", "-o", "stat=", "-p", str(process)], capture_output=True, check=False
    )
    return told.stdout.strip()[:1] not in (b"", b"Z")


def test_what_is_left_early_leaves_no_thread_and_no_process(tmp_path: Path) -> None:
    before = {*threading.enumerate()}
    found = outcomes(Folder, [tmp_path] * 40, 2)
    next(found)
    assert active_children()
    found.close()  # type: ignore[attr-defined]
    assert {*threading.enumerate()} == before
    assert active_children() == []
