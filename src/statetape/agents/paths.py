"""Paths as agents spell them, as repository paths."""

from typing import NamedTuple

_DRIVE_MOUNTS = ("/mnt/", "/cygdrive/", "/")


class _Absolute(NamedTuple):
    """An absolute path: its anchor (`/`, `C:/`, `//`, `~/`) and its names, none of them dots."""

    anchor: str
    names: tuple[str, ...]

    def __str__(self) -> str:
        return self.anchor + "/".join(self.names)


def relative(path: str, root: str, cwd: str = "") -> str:
    """The repository path of a path as an agent spells it; `""` is the root itself.

    `root` is the repository's folder as the agent spells it, `cwd` a repository path (or an
    absolute one, outside). Windows forms (backslashes, any case of the drive letter, `/c/`,
    `/mnt/c/`) count where the path or the root has a drive. A path outside the root comes back
    absolute and normalised, with forward slashes. `~` is the home that the root lies in, and stays
    where that cannot be told. Never raises; a nonsensical path comes back as some path.
    """
    top = _absolute(root, _Absolute("/", ()), windows=_has_drive(root))
    windows = _has_drive(root) or _has_drive(path) or path.startswith("\\\\")
    here = _absolute(cwd, top, windows=windows) if cwd else top
    full = _absolute(_at_home(path, top), here, windows=windows)
    if _is_under(full, top):
        return "/".join(full.names[len(top.names) :])
    return str(full)


def _has_drive(path: str) -> bool:
    return path[1:2] == ":" and path[:1].isascii() and path[:1].isalpha() and path[2:3] in "/\\"


def _absolute(path: str, here: _Absolute, *, windows: bool) -> _Absolute:
    if windows:
        path = _driven(path.replace("\\", "/"))
    names: list[str] = []
    if windows and _has_drive(path + "/"):
        anchor, rest = path[0].upper() + ":/", path[2:]
    elif path == "~" or path.startswith("~/"):
        anchor, rest = "~/", path[1:]
    elif windows and path.startswith("//"):
        anchor, rest = "//", path
    elif path.startswith("/"):
        anchor, rest = "/", path
    else:
        anchor, names, rest = here.anchor, list(here.names), path
    for name in rest.split("/"):
        if name == "..":
            del names[-1:]
        elif name not in ("", "."):
            names.append(name)
    if anchor == "/" and names[:1] == ["private"] and names[1:2] in (["tmp"], ["var"]):
        del names[0]  # macOS: /tmp and /var are links into /private
    return _Absolute(anchor, tuple(names))


def _driven(path: str) -> str:
    """`/c/x`, `/mnt/c/x` and `/cygdrive/c/x` as `c:/x`; any other path as it is."""
    for mount in _DRIVE_MOUNTS:
        rest = path.removeprefix(mount) if path.startswith(mount) else ""
        if rest[:1].isascii() and rest[:1].isalpha() and rest[1:2] in ("", "/"):
            return f"{rest[0]}:/{rest[2:]}"
    return path


def _at_home(path: str, top: _Absolute) -> str:
    if path[:1] != "~" or path[1:2] not in ("", "/", "\\"):
        return path
    if top.names[:1] == ("root",):
        return f"{top.anchor}root/{path[2:]}"
    if len(top.names) > 1 and top.names[0].lower() in ("home", "users"):
        return f"{top.anchor}{top.names[0]}/{top.names[1]}/{path[2:]}"
    return path


def _is_under(full: _Absolute, top: _Absolute) -> bool:
    head = full.names[: len(top.names)]
    if full.anchor != top.anchor:
        return False
    if top.anchor.endswith(":/"):  # Windows tells no case apart
        return [name.lower() for name in head] == [name.lower() for name in top.names]
    return head == top.names


def is_outside(path: str) -> bool:
    """Whether a path that `relative` returned leads out of the repository."""
    return path.startswith(("/", "~", "..")) or path[1:2] == ":"


def glob_under(folder: str, pattern: str, root: str) -> str:
    """A glob below a folder, as a glob of repository paths in which `*` spans slashes too.

    A glob without a slash is of the file's name alone, and stays as it is.
    """
    pattern = pattern.replace("**/", "*").replace("**", "*")
    if pattern.startswith(("!", "-")) or "/" not in pattern:
        return pattern
    if pattern.startswith("/") and relative(pattern, root) != pattern:
        return relative(pattern, root)
    pattern = pattern.removeprefix("./").lstrip("/")
    return f"{folder}/{pattern}" if folder else pattern
