"""Which files a folder has: by the rules of git, whether or not git is there to ask."""

import subprocess
from collections.abc import Iterable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from statetape.files import Folder
from statetape.listing import unfolded, walked


def tree(root: Path, files: dict[str, str]) -> Path:
    for path, text in files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text)
    return root


def init(folder: Path) -> None:
    subprocess.run(["git", "init", "-q", str(folder)], check=True, capture_output=True)


RULES = [
    "*.log", "!keep.log", "build/", "/build", "a/*", "!a/b/", "**/deep", "a/**/x.py", "# words",
    "\\#x", "x.py ", "[ab].py", "?.log",
    "!", "/", "deep/*.py", "!deep", "a/**", "!a", "", "*", "!*/", "a[", "\\",
]  # fmt: skip
PLACES = ["", "a/", "a/b/", "build/", "a/deep/"]
NAMES = ["x.py", "a.py", "x.log", "keep.log", "#x", "deep", "b"]


@settings(max_examples=40)
@given(
    rules=st.dictionaries(st.sampled_from(PLACES), st.lists(st.sampled_from(RULES), max_size=4)),
    names=st.sets(st.tuples(st.sampled_from(PLACES), st.sampled_from(NAMES)), min_size=1),
)
def test_the_rules_mean_what_they_mean_to_git(
    rules: dict[str, list[str]],
    names: Iterable[tuple[str, str]],
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    root = tmp_path_factory.mktemp("tree")
    files = {place + name: "" for place, name in names}
    taken = {
        str(parent)
        for path in [*files, *(at + "x" for at in rules)]
        for parent in Path(path).parents
    }
    files = {path: text for path, text in files.items() if path not in taken}
    tree(root, files | {f"{at}.gitignore": "\n".join(lines) for at, lines in rules.items()})
    init(root)
    said = subprocess.run(
        ["git", "-C", str(root), "ls-files", "-zo", "--exclude-standard"],
        check=True,
        capture_output=True,
        text=True,
    )
    assert set(walked(root)) == set(said.stdout.split("\0")[:-1])


def test_what_is_built_cached_or_installed_is_left_out(tmp_path: Path) -> None:
    root = tree(
        tmp_path,
        {
            "pyproject.toml": "", "src/a.py": "", "dist/a.py": "", "build/__init__.py": "",
            "env/pyvenv.cfg": "", "env/lib/a.py": "", ".cache/CACHEDIR.TAG": "", ".cache/a.py": "",
            "scripts/build/a.sh": "", ".hg/a": "", "web/package.json": "", "web/dist/a.js": "",
        },
    )  # fmt: skip
    assert set(walked(root)) == {
        "pyproject.toml", "src/a.py", "build/__init__.py", "scripts/build/a.sh", "web/package.json",
    }  # fmt: skip
    everything = set(walked(root, ignoring=False))
    assert everything > {"dist/a.py", "env/lib/a.py", ".cache/a.py", "web/dist/a.js"}
    assert ".hg/a" not in everything


def test_where_everything_is_ignored_everything_is_listed(tmp_path: Path) -> None:
    root = tree(tmp_path, {".gitignore": "*\n", "a.py": ""})
    assert set(Folder(root).paths()) == {".gitignore", "a.py"}


def test_a_repository_in_a_repository_speaks_for_itself(tmp_path: Path) -> None:
    root = tree(
        tmp_path,
        {
            ".gitignore": "*.log\n", "a.py": "", "a.log": "", "inner/.gitignore": "*.tmp\n",
            "inner/b.py": "", "inner/b.tmp": "", "inner/sub/c.py": "",
        },
    )  # fmt: skip
    init(root / "inner")
    init(root)
    assert set(Folder(root).paths()) == {
        ".gitignore", "a.py", "inner/.gitignore", "inner/b.py", "inner/sub/c.py",
    }  # fmt: skip


def test_a_rule_that_is_not_utf_8_is_no_error(tmp_path: Path) -> None:
    (tmp_path / ".gitignore").write_bytes(b"\xff\xfe\n*.log\n")
    tree(tmp_path, {"a.log": "", "a.py": ""})
    assert set(walked(tmp_path)) == {".gitignore", "a.py"}


def test_what_is_written_of_folders_is_told_as_files(tmp_path: Path) -> None:
    texts = [".gitignore", "a/b/x", "a/y.log", "ab", "logs/x", "data/.venv/pyvenv.cfg", "venv/x"]
    root = tree(tmp_path, dict.fromkeys(texts, "*.log\nlogs/\n"))
    (root / "link").symlink_to("a")
    known = ["a/b/x", "was/x", "was/in/x", "wash", "kept/x"]
    told = ["a", "a/b", "ab", "logs", "link", "was", "wash", "gone.tmp", "data"]
    found = unfolded(root, told, known)
    assert sorted(found) == sorted(
        ["a/b/x", "a/y.log", "ab", "link", "was", "was/x", "was/in/x", "wash", "gone.tmp"]
    )
    assert sorted(unfolded(root, ["ab", "kept/x"], known)) == ["ab", "kept/x"]
