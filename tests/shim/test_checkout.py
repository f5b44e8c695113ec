"""A folder on disk, with a watch that is late, deaf or gone: what was written is known."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from statetape.shim.checkout import Checkout
from statetape.store.index.cache import Cache
from statetape.store.index.stored import StoredIndex

ONE, TWO = "def f():\n    return 1\n", "def f():\n    return 2\n"


@pytest.fixture
def checkout(tmp_path: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Checkout]:
    (tmp_path / "pkg").mkdir()
    for name in ("changed.py", "gone.py", "pkg/in.py"):
        (tmp_path / name).write_text(ONE)
    (tmp_path / ".gitignore").write_text("*.log\n")
    index = StoredIndex(Cache(tmp_path_factory.mktemp("cache")))
    found = Checkout(tmp_path, index)  # which looks files through and need not read them
    assert found.ready(60)
    yield found
    found.close()


class Deaf:
    """A watch that tells nothing before it is asked to; `heard` as long as it tells at once."""

    def __init__(self, *, alive: bool = True) -> None:
        self.alive = alive
        self.heard = False
        self.late: set[str] = set()

    def written(self, patience: float = 0.25) -> set[str]:
        del patience
        found, self.late = self.late, set()
        return found

    def close(self) -> None:
        """There is nothing to stop."""


def write_all(root: Path) -> set[str]:
    (root / "changed.py").write_text(TWO)
    (root / "gone.py").unlink()
    (root / "new").mkdir()
    (root / "new" / "f.py").write_text(TWO)
    (root / "noise.log").write_text("x")
    return {"changed.py", "gone.py", "new", "new/f.py", "noise.log"}


@pytest.mark.parametrize("alive", [True, False])
def test_what_the_watch_has_not_told_yet_is_looked_for(
    checkout: Checkout, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, alive: bool
) -> None:
    watch = Deaf(alive=alive)
    checkout.close()
    monkeypatch.setattr(checkout, "_watch", watch)
    names = write_all(tmp_path)
    graph = checkout.workspace.graph
    if alive:
        checkout.catch_up(ran=False)  # for which nobody waits
        assert [s.path for s in graph.named("f")] == ["changed.py", "gone.py", "pkg/in.py"]
    checkout.catch_up(ran=True)
    assert [s.path for s in graph.named("f")] == ["changed.py", "new/f.py", "pkg/in.py"]
    assert {*checkout.workspace.written_since(0)} == names - {"new", "noise.log"}
    now, state = checkout.workspace.now, checkout.workspace.state
    watch.late = names  # and what it tells in the end is known
    checkout.catch_up(ran=True)
    assert (checkout.workspace.now, checkout.workspace.state) == (now, state)


def test_of_a_folder_that_moves_or_goes_its_files_do(checkout: Checkout, tmp_path: Path) -> None:
    graph = checkout.workspace.graph
    (tmp_path / "pkg").rename(tmp_path / "other")
    checkout.catch_up(ran=True)
    assert [s.path for s in graph.named("f")] == ["changed.py", "gone.py", "other/in.py"]


def test_a_new_folder_brings_its_files_however_soon_they_came(
    checkout: Checkout, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """A watch can miss what is written before it has turned to the folder."""
    watch = Deaf()
    watch.heard, watch.late = True, {"new"}
    checkout.close()
    monkeypatch.setattr(checkout, "_watch", watch)
    write_all(tmp_path)
    checkout.catch_up(ran=True)
    paths = [symbol.path for symbol in checkout.workspace.graph.named("f")]
    assert "new/f.py" in paths


def test_what_is_written_before_the_watch_began_is_looked_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    watch = Deaf()
    monkeypatch.setattr("statetape.shim.checkout.Watch", lambda _: watch)
    checkout = Checkout(tmp_path)
    assert checkout.ready(60)
    (tmp_path / "f.py").write_text(ONE)
    watch.heard = True  # from here on
    checkout.catch_up(ran=True)
    assert [symbol.path for symbol in checkout.workspace.graph.named("f")] == ["f.py"]
