"""Which files a folder of the disk has that somebody wrote: not ignored, not built, no caches."""

import os
import stat
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path

from pathspec import GitIgnoreSpec

VERSION_CONTROL = frozenset({".git", ".hg", ".svn", ".jj", ".bzr", "CVS"})
# What tools write for themselves, whether or not somebody told git.
CACHES = VERSION_CONTROL | {
    "__pycache__",
    "node_modules",
    ".hypothesis",
    ".mypy_cache",
    ".next",
    ".nox",
    ".pytest_cache",
    ".ruff_cache",
    ".tox",
    ".venv",
}
_IGNORE = ".gitignore"
# A folder with one of these is a virtual environment of Python, or calls itself a cache.
_TAGS = frozenset({"pyvenv.cfg", "CACHEDIR.TAG"})
_BUILT = frozenset({"build", "dist", "out", "target"})
_MANIFESTS = frozenset(
    {
        "package.json",
        "pyproject.toml",
        "setup.py",
        "Cargo.toml",
        "pom.xml",
        "build.gradle",
        "build.gradle.kts",
        "CMakeLists.txt",
        "Makefile",
        "Package.swift",
    }
)
_Rules = tuple[tuple[str, "list[_Rule]"], ...]


def walked(root: Path, *, ignoring: bool = True, folders: bool = False) -> Iterator[str]:
    """The paths of the files below a folder, in no order; links are files, never followed.

    With `folders` those too, with a slash at their end; the first one is empty.

    Without what version control keeps for itself; and, when `ignoring`, without what the
    `.gitignore` files in the tree say (nested ones and negations as in git), virtual environments,
    tagged caches, and what stands in `build`, `dist`, `out` or `target` beside a manifest, unless
    it is a Python package. What cannot be read counts as absent.
    """
    waiting: list[tuple[str, bool, _Rules]] = [("", False, ())]
    while waiting:
        folder, built, rules = waiting.pop()
        try:
            with os.scandir(os.path.join(root, folder)) as found:  # noqa: PTH118 -- a fifth
                entries = list(found)
        except OSError:
            continue
        names = {entry.name for entry in entries}
        if ignoring:
            tagged = bool(folder) and not names.isdisjoint(_TAGS)
            if tagged or (built and "__init__.py" not in names):
                continue
            if _IGNORE in names:
                rules = (*rules, (folder, _rules(root / folder / _IGNORE)))
        if folders:
            yield folder
        for entry in entries:
            path = folder + entry.name
            if entry.is_dir(follow_symlinks=False):
                if entry.name not in VERSION_CONTROL and not _ignored(path + "/", rules):
                    apart = entry.name in _BUILT and not names.isdisjoint(_MANIFESTS)
                    waiting.append((path + "/", apart, rules))
            elif (entry.is_symlink() or entry.is_file(follow_symlinks=False)) and not _ignored(
                path, rules
            ):
                yield path


def heeded(root: Path, paths: Iterable[str]) -> list[str]:
    """Those of these paths that no `.gitignore` on the way to them and no tagged folder hides.

    They need not be there any more. Reads what rules there are once a call.
    """
    known: dict[str, _Rules | None] = {"": _rules_in(root, "", ())}
    return [path for path in paths if _is_heeded(root, path, known)]


def unfolded(root: Path, told: Iterable[str], known: Iterable[str]) -> list[str]:
    """The paths of files that a list of what was written means, of files and of folders.

    A folder that is there stands for what `walked` finds in it, if nothing hides it; one that is
    gone for those of the `known` paths that were in it. Costs a status call for each path that was
    told, and a look at all known ones where something went that was no file of theirs.
    """
    told = set(told)
    modes = {path: _mode(root / path) for path in told}
    folders = [path + "/" for path, mode in modes.items() if stat.S_ISDIR(mode)]
    files = told.difference(folder[:-1] for folder in folders)
    last = "/"
    for folder in sorted(heeded(root, folders)):
        if not folder.startswith(last):
            last = folder
            files.update(folder + path for path in walked(root / folder))
    gone = {path for path, mode in modes.items() if not mode}
    if gone and not gone <= (before := frozenset(known)):
        files.update(path for path in before if not gone.isdisjoint(_above(path)))
    return [*files]


def _above(path: str) -> Iterator[str]:
    """The folders that a path is in, the innermost first."""
    while path := path.rpartition("/")[0]:
        yield path


def _mode(path: Path) -> int:
    """The mode of what is there, 0 where nothing is."""
    try:
        return path.lstat().st_mode
    except (OSError, ValueError):
        return 0


def _is_heeded(root: Path, path: str, known: dict[str, _Rules | None]) -> bool:
    rules = known[""]
    *names, _ = path.split("/")
    folder = ""
    for name in names:
        above, folder = rules, f"{folder}{name}/"
        if folder not in known:
            hidden = above is None or name in VERSION_CONTROL or _ignored(folder, above)
            hidden = hidden or any((root / folder / tag).exists() for tag in _TAGS)
            known[folder] = None if hidden or above is None else _rules_in(root, folder, above)
        rules = known[folder]
    return rules is not None and not _ignored(path, rules)


def _rules_in(root: Path, folder: str, above: _Rules) -> _Rules:
    file = root / folder / _IGNORE
    return (*above, (folder, _rules(file))) if file.is_file() else above


class _Rule:
    """A line of a `.gitignore`, for the entries of folders that are not ignored themselves.

    `include`: whether it ignores what it matches, None where the line says nothing. The library
    matches what lies in a matched folder, too; to git, that is another entry.
    """

    def __init__(self, line: str) -> None:
        """Raises ValueError where the line is no rule."""
        (self._pattern,) = GitIgnoreSpec.from_lines([line]).patterns
        self.include = self._pattern.include
        bare = line.strip().removeprefix("!").rstrip("/")
        self._anywhere = "/" not in bare
        self._below = bare.endswith("/**")

    def matches(self, path: str) -> bool:
        """Whether an entry matches; a folder ends in a slash."""
        folder, _, name = path.rstrip("/").rpartition("/")
        if self._anywhere:
            return self._pattern.match_file(path[len(path.rstrip("/")) - len(name) :]) is not None
        if self._pattern.match_file(path) is None:
            return False
        return self._below or not folder or self._pattern.match_file(folder + "/") is None


def _rules(file: Path) -> list[_Rule]:
    """The rules of a file, the last one first; a line that is none is left out, as git does."""
    try:
        lines = file.read_text(errors="surrogateescape").splitlines()
    except OSError:
        return []
    found = []
    for line in reversed(lines):
        with suppress(ValueError):
            rule = _Rule(line)
            if rule.include is not None:
                found.append(rule)
    return found


def _ignored(path: str, rules: _Rules) -> bool:
    """The innermost file that says something of a path decides, in it the last rule."""
    for folder, said in reversed(rules):
        within = path.removeprefix(folder)
        for rule in said:
            if rule.matches(within):
                return bool(rule.include)
    return False
