"""What the configurations of JavaScript projects say about where modules are."""

import re
from typing import Any

import msgspec

_NOISE = re.compile(rb"""("(?:[^"\\\n]++|\\.)*+")|//[^\n]*+|/\*(?s:.*?)(?:\*/|\Z)|,(?=\s*[}\]])""")
_CONDITIONS = ("source", "types", "import", "module", "require", "node", "browser", "default")


class PathOptions(msgspec.Struct, frozen=True):
    """`baseUrl` and `paths` of the compiler options; None: not stated here.

    `extends` are the configurations that say the rest, as written, the last one first.
    """

    base_url: str | None = None
    paths: dict[str, list[str]] | None = None
    extends: tuple[str, ...] = ()


class Package(msgspec.Struct, frozen=True):
    """A `package.json`: its name; the files that stand for its modules, by `.` or `./module`.

    `local` are the packages it depends on that lie beside it by their version. `workspaces` are
    the patterns of the folders of a workspace, None where it is none.
    """

    name: str = ""
    entries: dict[str, str] = msgspec.field(default_factory=dict)
    local: tuple[str, ...] = ()
    workspaces: tuple[str, ...] | None = None


class _Options(msgspec.Struct, frozen=True, rename="camel"):
    base_url: str | None = None
    paths: dict[str, list[str]] | None = None


class _Config(msgspec.Struct, frozen=True, rename="camel"):
    compiler_options: _Options = _Options()
    extends: str | list[str] = ""


def detail(name: str, data: bytes) -> PathOptions | Package | None:
    """What a file of this name says, None for other files and for what cannot be read."""
    if name == "package.json":
        return package(data)
    is_config = name.startswith(("tsconfig", "jsconfig")) and name.endswith(".json")
    return path_options(data) if is_config else None


def path_options(data: bytes) -> PathOptions | None:
    """The options of a configuration, comments and trailing commas allowed; None: unreadable."""
    try:
        config = msgspec.json.decode(_NOISE.sub(rb"\1", data), type=_Config)
    except msgspec.DecodeError:
        return None
    extends = [config.extends] if isinstance(config.extends, str) else config.extends
    options = config.compiler_options
    return PathOptions(options.base_url, options.paths, tuple(e for e in reversed(extends) if e))


def package(data: bytes) -> Package | None:
    """What a `package.json` says, None: unreadable. Parts of another type than usual are left."""
    try:
        stated = msgspec.json.decode(data, type=dict[str, Any])
    except msgspec.DecodeError:
        return None
    entries: dict[str, str] = {}
    for field in ("main", "module", "types", "source"):
        if isinstance(stated.get(field), str):
            entries["."] = stated[field]
    exports = stated.get("exports")
    if isinstance(exports, dict) and all(key.startswith(".") for key in exports):
        entries |= {key: target for key in exports if (target := _target(exports[key], 0))}
    elif target := _target(exports, 0):
        entries["."] = target
    return Package(
        stated["name"] if isinstance(stated.get("name"), str) else "",
        entries,
        tuple(_local(stated)),
        _workspaces(stated.get("workspaces")),
    )


def _target(stated: object, depth: int) -> str:
    """The file that an entry of `exports` stands for, under the first condition that has one."""
    if isinstance(stated, str):
        return stated
    if isinstance(stated, list) and depth < 5:
        return next(filter(None, (_target(each, depth + 1) for each in stated)), "")
    if isinstance(stated, dict) and depth < 5:
        return next(filter(None, (_target(stated.get(c), depth + 1) for c in _CONDITIONS)), "")
    return ""


def _local(stated: dict[str, Any]) -> list[str]:
    found: list[str] = []
    for field in ("dependencies", "devDependencies", "peerDependencies"):
        versions = stated.get(field)
        for name, version in versions.items() if isinstance(versions, dict) else ():
            if str(version).startswith(("workspace:", "file:", "link:", "portal:", "*")):
                found.append(name)
    return found


def _workspaces(stated: object) -> tuple[str, ...] | None:
    listed = stated.get("packages") if isinstance(stated, dict) else stated
    if not isinstance(listed, list):
        return None
    return tuple(each for each in listed if isinstance(each, str))
