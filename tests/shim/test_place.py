"""Which folder a request is about, and what is not to be mixed up with it."""

from pathlib import Path

import pytest

from statetape.shim.place import Place, place_of


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    repo = tmp_path / "projects" / "repo"
    (repo / "lib").mkdir(parents=True)
    (repo / ".git").mkdir()
    (tmp_path / "projects" / "other").mkdir()
    (tmp_path / "link").symlink_to(repo)
    return repo


def test_the_folder_itself_and_those_in_it(repo: Path, tmp_path: Path) -> None:
    for named in (repo, None):
        assert place_of(str(repo), named) == Place(repo, str(repo))
        assert place_of(str(repo / "lib"), named) == Place(repo, str(repo), "lib")
    link = tmp_path / "link"
    assert place_of(str(link / "lib"), repo) == Place(repo, str(link), "lib")
    assert place_of(str(link / "lib"), link) == Place(link, str(link), "lib")


def test_a_folder_that_is_not_here_is_the_same_place_elsewhere(repo: Path) -> None:
    assert place_of("/testbed/x", repo) == Place(repo, "/testbed/x")
    assert place_of("C:\\Users\\me\\x", repo) == Place(repo, "C:\\Users\\me\\x")
    assert place_of("bad\0name", repo) == Place(repo, "bad\0name")


def test_a_folder_around_it_is_where_the_agent_starts(repo: Path) -> None:
    around = str(repo.parent)
    assert place_of(around, repo) == Place(repo, str(repo), around)


def test_another_folder_that_is_here_has_files_of_its_own(repo: Path) -> None:
    other = repo.parent / "other"
    assert place_of(str(other), repo) == f"{other} is not in {repo}"
    assert place_of(str(other), None) == Place(other, str(other))


def test_nothing_to_go_by(repo: Path) -> None:
    assert isinstance(place_of(None, None), str)
    assert isinstance(place_of("/no/such/folder", None), str)
    assert place_of(None, repo) == Place(repo, str(repo))
