"""Where the files of a repository are read from: a memory, a folder, a commit, and layers."""

import os
import stat
import subprocess
from collections.abc import Iterable, Mapping
from pathlib import Path
from types import TracebackType
from typing import IO, Self, cast

from statetape.errors import BadInput
from statetape.listing import walked
from statetape.types import Files


class Memory(dict[str, bytes]):
    """Files held in a dictionary from path to bytes."""

    def read(self, path: str) -> bytes | None:
        """The bytes at `path`, None where there is none."""
        return self.get(path)

    def paths(self) -> Iterable[str]:
        """Every path."""
        return self.keys()

    def write(self, path: str, data: bytes | None) -> None:
        """Put `data` at `path`; None removes the file, if there is one."""
        if data is None:
            self.pop(path, None)
        else:
            self[path] = data


class Overlay:
    """Files that are `base`, except where `changes` says otherwise (None: the file is absent)."""

    def __init__(self, base: Files, changes: Mapping[str, bytes | None]) -> None:
        self.base = base
        self.changes = changes

    def read(self, path: str) -> bytes | None:
        """The bytes at `path`, None where there is none."""
        return self.changes[path] if path in self.changes else self.base.read(path)

    def paths(self) -> Iterable[str]:
        """Every path: the base's without the changed ones, then the changed ones that exist."""
        for path in self.base.paths():
            if path not in self.changes:
                yield path
        for path, data in self.changes.items():
            if data is not None:
                yield path


class Folder:
    """The files below a folder of the disk, as they are at the moment of asking.

    A symbolic link is a file that holds its target's name, as in git, and is never followed.
    What cannot be read counts as absent.
    """

    def __init__(self, root: str | os.PathLike[str]) -> None:
        self.root = Path(root)
        if not self.root.is_dir():
            raise BadInput(f"{self.root}: not a folder")

    def read(self, path: str) -> bytes | None:
        """The bytes at `path`; None where there is no file, and for paths out of the folder."""
        parts = path.split("/")
        if "" in parts or "." in parts or ".." in parts or "\0" in path:
            return None
        place = str(self.root)
        try:
            for part in parts[:-1]:
                place = f"{place}/{part}"
                if not stat.S_ISDIR(os.lstat(place).st_mode):
                    return None
            place = f"{place}/{parts[-1]}"
            mode = os.lstat(place).st_mode
            if stat.S_ISLNK(mode):
                return os.fsencode(Path(place).readlink())
            if not stat.S_ISREG(mode):
                return None
            # A `Path` costs a third of the read, a buffer a sixth.
            with open(place, "rb", buffering=0) as file:  # noqa: PTH123
                return file.read()
        except (OSError, UnicodeEncodeError):
            return None

    def paths(self) -> Iterable[str]:
        """Every path that is not ignored, unless that is all there is.

        In a git work tree git says what is (repositories inside it speak for themselves),
        elsewhere `listing.walked`.
        """
        return (
            _listed(self.root) or list(walked(self.root)) or list(walked(self.root, ignoring=False))
        )


def _listed(root: Path) -> list[str]:
    """What git lists; nothing where it cannot, or where it ignores the folder."""
    try:
        names = _names(_git(root, "ls-files", "-z", "-co", "--exclude-standard"))
    except BadInput:
        return []
    found: list[str] = []
    for name in dict.fromkeys(names):
        path = name.rstrip("/")
        mode = _mode(root, path)
        if stat.S_ISREG(mode) or stat.S_ISLNK(mode):
            found.append(path)
        elif stat.S_ISDIR(mode) and (root / path / ".git").exists():
            found += (f"{path}/{inner}" for inner in _listed(root / path))
    return found


def _mode(root: Path, path: str) -> int:
    """The mode of a file, 0 where there is none."""
    try:
        return os.lstat(f"{root}/{path}").st_mode
    except OSError:
        return 0


class GitCommit:
    """The files of one commit, read through one `git cat-file` process. Close it after use.

    Paths are relative to `repo`, which may be a folder below the top of the work tree.
    """

    def __init__(self, repo: str | os.PathLike[str], revision: str) -> None:
        """Raises BadInput where `repo` is no repository, lacks the revision, or git is missing."""
        self.repo = Path(repo)
        _git(self.repo, "rev-parse", "--git-dir")
        unknown = BadInput(f"{self.repo}: no such revision: {revision!r}")
        if revision.startswith("-") or "\0" in revision:
            raise unknown
        try:
            name = _git(self.repo, "rev-parse", "--verify", "-q", f"{revision}^{{commit}}")
        except BadInput:
            raise unknown from None
        self.commit = name.decode().strip()
        self._tree: dict[str, str] | None = None
        self._batch: _Batch | None = None

    def read(self, path: str) -> bytes | None:
        """The bytes at `path` (a symbolic link's: its target), None where there is no file."""
        name = self._entries().get(path)
        return None if name is None else self._blob(name)

    def paths(self) -> Iterable[str]:
        """Every path of the commit; submodules are no files."""
        return self._entries().keys()

    def close(self) -> None:
        """End the process; a later read starts a new one."""
        if self._batch is not None:
            self._batch.close()
            self._batch = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def _entries(self) -> dict[str, str]:
        """Path to blob name; one `git ls-tree` at the first call."""
        if self._tree is None:
            self._tree = {}
            for entry in _names(_git(self.repo, "ls-tree", "-rz", self.commit)):
                fields, path = entry.split("\t", 1)
                _, kind, name = fields.split(" ")
                if kind == "blob":
                    self._tree[path] = name
        return self._tree

    def _blob(self, name: str) -> bytes | None:
        if self._batch is None:
            self._batch = _Batch(self.repo)
        return self._batch.blob(name)


class _Batch:
    """A running `git cat-file --batch`."""

    def __init__(self, repo: Path) -> None:
        self._process = subprocess.Popen(
            ["git", "-C", os.fspath(repo), "cat-file", "--batch"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=_environment(),
        )
        self._asked = cast("IO[bytes]", self._process.stdin)
        self._answer = cast("IO[bytes]", self._process.stdout)

    def blob(self, name: str) -> bytes | None:
        """The object's bytes; None where the repository lacks it (a partial clone)."""
        self._asked.write(name.encode() + b"\n")
        self._asked.flush()
        header = self._answer.readline().split()
        if len(header) != 3:
            return None
        data = self._answer.read(int(header[2]))
        self._answer.read(1)
        return data

    def close(self) -> None:
        self._process.communicate()


def _git(folder: Path, *arguments: str) -> bytes:
    """What git prints. Raises BadInput with git's own last line where it fails."""
    try:
        done = subprocess.run(
            ["git", "-C", os.fspath(folder), *arguments],
            capture_output=True,
            env=_environment(),
            check=False,
        )
    except FileNotFoundError:
        raise BadInput("git is not installed or not on the PATH") from None
    except (OSError, ValueError) as error:
        raise BadInput(f"{folder}: git does not start: {error}") from None
    if done.returncode:
        said = done.stderr.decode(errors="replace").strip().splitlines() or ["git failed"]
        raise BadInput(f"{folder}: {said[0].removeprefix('fatal: ')}")
    return done.stdout


def _environment() -> dict[str, str]:
    """The environment without what points git at another repository."""
    elsewhere = {"GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_PREFIX", "GIT_NAMESPACE"}
    kept = {key: value for key, value in os.environ.items() if key not in elsewhere}
    return {**kept, "LC_ALL": "C"}


def _names(listing: bytes) -> list[str]:
    return [os.fsdecode(name) for name in listing.split(b"\0") if name]
