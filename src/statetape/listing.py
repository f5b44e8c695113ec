"""Which files a folder of the disk has that somebody wrote: not ignored, not built, no caches."""

import os
from collections.abc import Iterable, Iterator
from pathlib import Path

from pathspec import GitIgnoreSpec

VERSION_CONTROL = frozenset({".git", ".hg", ".svn", ".jj", ".bzr", "CVS"})
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
_Rules = tuple[tuple[str, GitIgnoreSpec], ...]


def walked(root: Path, *, ignoring: bool = True) -> Iterator[str]:
    """The paths of the files below a folder, in no order; links are files, never followed.

    Without what version control keeps for itself; and, when `ignoring`, without what the
    `.gitignore` files in the tree say (nested ones and negations as in git), virtual environments,
    tagged caches, and what stands in `build`, `dist`, `out` or `target` beside a manifest, unless
    it is a Python package. What cannot be read counts as absent.
    """
    waiting: list[tuple[str, bool, _Rules]] = [("", False, ())]
    while waiting:
        folder, built, rules = waiting.pop()
        try:
            with os.scandir(root / folder) as found:
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


def _rules(file: Path) -> GitIgnoreSpec:
    """The rules of a file; a line that is none is left out, as git does."""
    try:
        lines = file.read_text(errors="surrogateescape").splitlines()
    except OSError:
        lines = []
    return GitIgnoreSpec.from_lines(line for line in lines if _is_rule(line))


def _is_rule(line: str) -> bool:
    try:
        GitIgnoreSpec.from_lines([line])
    except ValueError:
        return False
    return True


def _ignored(path: str, rules: _Rules) -> bool:
    """The innermost file that says something of a path decides, in it the last rule."""
    for folder, spec in reversed(rules):
        said = spec.check_file(path.removeprefix(folder)).include
        if said is not None:
            return said
    return False
