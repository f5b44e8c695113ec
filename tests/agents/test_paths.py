import pytest
from hypothesis import given
from hypothesis import strategies as st

from statetape.agents.paths import glob_under, relative


@pytest.mark.parametrize(
    ("path", "root", "cwd", "expected"),
    [
        ("/r/a/b.py", "/r", "", "a/b.py"),
        ("/r", "/r", "sub", ""),
        ("/r/", "/r/", "", ""),
        ("b.py", "/r", "sub", "sub/b.py"),
        ("./x/../b.py", "/r", "sub", "sub/b.py"),
        ("../b.py", "/r", "sub/deep", "sub/b.py"),
        ("../out.py", "/home/u/r", "", "/home/u/out.py"),
        ("../../../../../x", "/r", "", "/x"),
        ("/rest/a", "/r", "", "/rest/a"),
        ("a.py", "/r", "/elsewhere/x", "/elsewhere/x/a.py"),
        ("", "/r", "sub", "sub"),
        ("~/r/a.py", "/home/u/r", "", "a.py"),
        ("~/.bashrc", "/Users/u/code", "", "/Users/u/.bashrc"),
        ("~/x", "/root/repo", "", "/root/x"),
        ("~/x", "/srv/repo", "", "~/x"),
        ("~other/x", "/home/u/r", "", "~other/x"),
        ("D:\\p\\src\\a.go", "d:\\p", "", "src/a.go"),
        ("d:/P/src/a.go", "D:\\p", "", "src/a.go"),
        ("/d/p/a.go", "D:\\p", "", "a.go"),
        ("/mnt/c/py/x.py", "C:\\py", "", "x.py"),
        ("src\\a.go", "D:\\p", "lib", "lib/src/a.go"),
        ("E:\\other\\a.go", "D:\\p", "", "E:/other/a.go"),
        ("C:\\x\\a.py", "/r", "", "C:/x/a.py"),
        ("a\\b", "/r", "", "a\\b"),
        ("/private/var/r/a", "/var/r", "", "a"),
        ("/R/a", "/r", "", "/R/a"),
    ],
)
def test_the_repository_path_of_a_path_as_spelled(
    path: str, root: str, cwd: str, expected: str
) -> None:
    assert relative(path, root, cwd) == expected


@given(st.text(max_size=60), st.text(max_size=30), st.text(max_size=30))
def test_no_spelling_raises(path: str, root: str, cwd: str) -> None:
    relative(path, root, cwd)


_NAMES = st.lists(st.from_regex(r"[a-z_]{1,6}\.?[a-z]{0,3}", fullmatch=True), max_size=4)


@given(_NAMES, _NAMES)
def test_a_repository_path_stays_itself_from_the_root(names: list[str], folders: list[str]) -> None:
    names = [name.strip(".") or "x" for name in names]
    path = "/".join(names)
    assert relative(path, "/r") == path
    assert relative(f"/r/{path}", "/r", "/".join(folders)) == path
    assert relative(relative(path, "/r"), "/r") == path


@pytest.mark.parametrize(
    ("folder", "pattern", "expected"),
    [
        ("", "*.py", "*.py"),
        ("src", "*.py", "*.py"),
        ("", "src/**/*.py", "src/*.py"),
        ("pkg", "src/*.py", "pkg/src/*.py"),
        ("pkg", "./a/**", "pkg/a/*"),
        ("pkg", "/r/pkg/a/*.py", "pkg/a/*.py"),
        ("", "!vendor/**", "!vendor/*"),
    ],
)
def test_a_glob_below_a_folder(folder: str, pattern: str, expected: str) -> None:
    assert glob_under(folder, pattern, "/r") == expected
