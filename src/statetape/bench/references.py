"""What a name in a file of Python refers to, as jedi has it: an engine that is not our graph.

It works on a folder of its own that holds the Python files of one state of the repository. Which
answers there are depends on that state alone: no environment is looked into, and what bounds the
work is jedi's own counts, never a clock.
"""

import os
import sys
import warnings
from collections.abc import Mapping
from importlib.metadata import version
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory
from types import TracebackType
from typing import NamedTuple, Protocol, Self

from statetape.bench.definitions import definitions
from statetape.errors import BadInput

_MODULES = (".py", ".pyi")


class Target(NamedTuple):
    """A definition: its file and its qualified name there."""

    path: str
    name: str


class References(Protocol):
    """Who says what names refer to, in one state of the repository at a time."""

    def state(self, files: Mapping[str, str | None]) -> None:
        """From now on these files have these texts (None: they are absent)."""

    def targets(self, path: str, line: int, column: int) -> tuple[Target, ...]:
        """What the name at a line (1-based) and a column (characters) refers to, in the repository.

        None, where nobody knows or it lies elsewhere.
        """

    def texts(self) -> Mapping[str, str]:
        """The texts of all files of the state."""


def engine() -> str:
    """What `Jedi` answers with, as far as its answers depend on it."""
    python = ".".join(map(str, sys.version_info[:2]))
    return f"jedi {version('jedi')}, parso {version('parso')}, Python {python}"


class Jedi:
    """References by jedi. Close it after use: its folder goes with it.

    BadInput where jedi is not installed.
    """

    def __init__(self) -> None:
        try:
            import jedi  # type: ignore[import-untyped] # noqa: PLC0415 (an extra)
            from parso.cache import parser_cache  # noqa: PLC0415
        except ImportError:
            raise BadInput("labels of Python need jedi: pip install 'statetape[bench]'") from None
        self._jedi = jedi
        self._trees = parser_cache  # of the whole process: nobody else would ever empty it
        self._place = TemporaryDirectory(prefix="statetape-bench-")
        self._root = Path(os.path.realpath(self._place.name)) / "files"
        self._root.mkdir()
        jedi.settings.cache_directory = str(self._root.parent / "cache")
        self._texts: dict[str, str] = {}
        self._writes = 0
        self._project: object = None
        self._scripts: dict[str, object] = {}
        self._answers: dict[tuple[str, int, int], tuple[Target, ...]] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._trees.clear()
        self._place.cleanup()

    def state(self, files: Mapping[str, str | None]) -> None:
        """From now on these files have these texts (None: they are absent)."""
        for path, text in files.items():
            if path.endswith(_MODULES) and self._texts.get(path) != text and _inside(path):
                self._write(path, text)

    def texts(self) -> Mapping[str, str]:
        """The texts of all files of the state."""
        return self._texts

    def targets(self, path: str, line: int, column: int) -> tuple[Target, ...]:
        """What the name at a line and a column refers to, within the repository."""
        key = path, line, column
        if key not in self._answers:
            self._answers[key] = self._found(path, line, column)
        return self._answers[key]

    def _found(self, path: str, line: int, column: int) -> tuple[Target, ...]:
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # whatever the filters: the same answers
                names = self._script(path).goto(line, column, follow_imports=True)
                places = [(name.name, name.module_path, name.line) for name in names]
        except Exception:  # noqa: BLE001 (jedi raises what it likes on what it does not expect)
            return ()
        found = (self._target(*place) for place in places)
        return tuple(sorted({target for target in found if target is not None}))

    def _target(self, name: str, module: Path | None, line: int | None) -> Target | None:
        if module is None or line is None or not module.is_relative_to(self._root):
            return None
        path = module.relative_to(self._root).as_posix()
        around = [
            each
            for each in definitions(path, self._texts.get(path, ""))
            if each.own == name and each.first <= line <= each.last
        ]
        if not around:
            return None
        return Target(path, max(around, key=lambda each: each.first).name)

    def _script(self, path: str) -> "jedi.Script":  # type: ignore[name-defined] # noqa: F821
        if self._project is None:
            roots = [str(self._root / root) for root in _roots(self._texts)]
            self._project = self._jedi.Project(self._root, sys_path=roots, smart_sys_path=False)
        if path not in self._scripts:
            self._scripts[path] = self._jedi.Script(
                self._texts.get(path, ""),
                path=self._root / path,
                project=self._project,
                environment=self._jedi.InterpreterEnvironment(),
            )
        return self._scripts[path]

    def _write(self, path: str, text: str | None) -> None:
        """The time of a file is a count: jedi's cache goes by it, and two writes may be quick."""
        place = self._root / path
        self._answers.clear()
        self._scripts.clear()
        if text is None:
            self._texts.pop(path, None)
            place.unlink(missing_ok=True)
            self._project = None
            return
        if path not in self._texts:
            self._project = None
        self._texts[path] = text
        self._writes += 1
        try:
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(text.encode("utf-8", "surrogateescape"))
            os.utime(place, (self._writes, self._writes))
        except (OSError, ValueError, UnicodeEncodeError):
            self._texts.pop(path)


def _inside(path: str) -> bool:
    parts = PurePosixPath(path).parts
    return not path.startswith(("/", "~")) and ".." not in parts and ":" not in path


def _roots(texts: Mapping[str, str]) -> list[str]:
    """The folders that imports begin at: above the topmost packages, `src`, and the repository."""
    packages = {path.rpartition("/")[0] for path in texts if path.endswith("/__init__.py")}
    above = {each.rpartition("/")[0] for each in packages}
    found = {each for each in above if each not in packages}
    for path in texts:
        folders = path.split("/")[:-1]
        found |= {"/".join(folders[: at + 1]) for at, name in enumerate(folders) if name == "src"}
    return [*sorted(found - {""}), ""]
