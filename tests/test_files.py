import os
import subprocess
from pathlib import Path

import pytest

from statetape.errors import BadInput
from statetape.files import Folder, GitCommit, Memory, Overlay


def git(repo: Path, *arguments: str) -> None:
    name = ["-c", "user.name=t", "-c", "user.email=t@t", "-c", "init.defaultBranch=main"]
    subprocess.run(["git", "-C", str(repo), *name, *arguments], check=True, capture_output=True)


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    """A work tree: committed, ignored, new and linked files."""
    root = tmp_path / "repo"
    (root / "pkg").mkdir(parents=True)
    (root / "pkg" / "a b.py").write_bytes(b"a\r\n\xff")
    (root / "pkg" / "é.py").write_bytes(b"")
    (root / ".gitignore").write_text("*.log\n")
    (root / "link").symlink_to("pkg/a b.py")
    git(root, "init", "-q")
    git(root, "add", "-A")
    git(root, "commit", "-q", "-m", "x")
    (root / "ignored.log").write_text("")
    (root / "new.py").write_text("new\n")
    return root


COMMITTED = {".gitignore", "link", "pkg/a b.py", "pkg/é.py"}


def test_a_memory_holds_what_was_written() -> None:
    files = Memory({"a": b"1"})
    files.write("b", b"2")
    files.write("a", None)
    files.write("never", None)
    assert dict(files) == {"b": b"2"}
    assert (files.read("a"), files.read("b"), list(files.paths())) == (None, b"2", ["b"])


def test_an_overlay_hides_and_adds() -> None:
    files = Overlay(Memory({"a": b"1", "b": b"2", "c": b"3"}), {"a": None, "b": b"", "d": b"4"})
    assert [files.read(path) for path in "abcde"] == [None, b"", b"3", b"4", None]
    assert sorted(files.paths()) == ["b", "c", "d"]


def test_a_work_tree_lists_what_git_does_not_ignore(repo: Path) -> None:
    (repo / ".gitignore").unlink()
    (repo / ".gitignore").write_text("*.log\n")
    (repo / "pkg" / "é.py").unlink()
    assert set(Folder(repo).paths()) == (COMMITTED | {"new.py"}) - {"pkg/é.py"}
    assert set(Folder(repo / "pkg").paths()) == {"a b.py"}


def test_a_folder_that_git_ignores_is_listed_itself(repo: Path) -> None:
    (repo / "build" / "deep").mkdir(parents=True)
    (repo / "build" / "deep" / "a.py").write_text("")
    (repo / ".gitignore").unlink()
    (repo / ".gitignore").write_text("build\n")
    assert set(Folder(repo / "build").paths()) == {"deep/a.py"}
    assert "build/deep/a.py" not in set(Folder(repo).paths())


def test_a_plain_folder_lists_all_but_version_control(tmp_path: Path) -> None:
    for path in (".hg/store", "a/.hidden", "a/b/c.log"):
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text("")
    (tmp_path / "loop").symlink_to(".")
    os.mkfifo(tmp_path / "pipe")
    assert set(Folder(tmp_path).paths()) == {"a/.hidden", "a/b/c.log", "loop"}


def test_a_folder_reads_files_and_the_targets_of_links(repo: Path) -> None:
    files = Folder(repo)
    assert files.read("pkg/a b.py") == b"a\r\n\xff"
    assert files.read("link") == b"pkg/a b.py"


def test_a_folder_reads_nothing_outside_it_and_nothing_that_is_no_file(repo: Path) -> None:
    (repo.parent / "secret").write_text("s")
    (repo / "up").symlink_to("..")
    os.mkfifo(repo / "pipe")
    files = Folder(repo)
    outside = ["../secret", "up/secret", "pkg/../../secret", str(repo.parent / "secret")]
    for path in [*outside, "", ".", "pkg", "pkg/", "pkg/a b.py/x", "pipe", "no", "nul\0", "\ud800"]:
        assert files.read(path) is None, path
    assert files.read("x" * 5000) is None


def test_a_folder_that_is_none_is_bad_input(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="not a folder"):
        Folder(tmp_path / "missing")


def test_a_commit_has_its_own_files(repo: Path) -> None:
    (repo / "pkg" / "a b.py").write_text("changed")
    with GitCommit(repo, "HEAD") as files:
        assert set(files.paths()) == COMMITTED
        assert files.read("pkg/a b.py") == b"a\r\n\xff"
        assert files.read("pkg/é.py") == b""
        assert files.read("link") == b"pkg/a b.py"
        assert [files.read(path) for path in ("new.py", "pkg", "", "/etc/passwd")] == [None] * 4
    with GitCommit(repo / "pkg", "main") as files:
        assert set(files.paths()) == {"a b.py", "é.py"}


def test_a_closed_commit_can_be_read_again(repo: Path) -> None:
    files = GitCommit(repo, "HEAD")
    files.close()
    for _ in range(2):
        assert files.read(".gitignore") == b"*.log\n"
        files.close()


def test_other_repositories_in_the_environment_are_not_asked(
    repo: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GIT_DIR", "/nowhere")
    assert "new.py" in set(Folder(repo).paths())
    with GitCommit(repo, "HEAD") as files:
        assert files.read(".gitignore") == b"*.log\n"


@pytest.mark.parametrize("revision", ["nowhere", "-h", "--all", "", "a\0b", "HEAD:pkg", "a b"])
def test_a_revision_that_is_none_is_bad_input(repo: Path, revision: str) -> None:
    with pytest.raises(BadInput, match="no such revision") as caught:
        GitCommit(repo, revision)
    assert "\n" not in str(caught.value)


def test_a_folder_without_a_repository_is_bad_input(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path))
    with pytest.raises(BadInput, match=r"not a git repository.*") as caught:
        GitCommit(tmp_path, "HEAD")
    assert "\n" not in str(caught.value)
    with pytest.raises(BadInput, match="missing"):
        GitCommit(tmp_path / "missing", "HEAD")


def test_without_git_a_commit_is_bad_input_and_a_folder_is_walked(
    repo: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", "")
    with pytest.raises(BadInput, match="git is not installed"):
        GitCommit(repo, "HEAD")
    assert set(Folder(repo).paths()) == COMMITTED | {"new.py"}
