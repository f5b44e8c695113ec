"""Whether names that lead to no file may be of the repository all the same, as it is set up."""

import re
from collections.abc import Collection, Iterable

from statetape.code.graph import Graph

_DECLARED = re.compile(rb"\"(@?[\w./-]+)\"\s*:\s*\"(?!workspace:|file:|link:|portal:)[^\"]*\"")
_NAMED = re.compile(rb"\"name\"\s*:\s*\"([^\"]+)\"")
# The name of a module, or one that stands for a folder (`replace x.org/a => ./a`).
_MODULE = re.compile(rb"^module\s+(\S+)|(?<!\S)(\S+)(?:[ \t]+v\S+)?[ \t]*=>[ \t]*\.", re.MULTILINE)


def may_be_own(unknown: Collection[str], loaded: Collection[str], graph: Graph) -> bool:
    """Whether one of `Loads.unknown` may be of the repository, listed or hidden from git.

    Looks at the path of each file. Reads what hides files, and the manifests of packages where one
    is among the `loaded` files, or where these are Go.
    """
    if not unknown:
        return False
    paths = tuple(graph.paths())
    if any(path.endswith(".go") for path in loaded):
        return _of_go(unknown, paths, graph)
    outer = [path for path in loaded if path.endswith("package.json")]
    if not outer:
        own = _names((*paths, *_hidden(paths, graph)))
        return any(part in own for name in unknown for part in re.split(r"[@/]", name) if part)
    declared = {name for path in outer for name in _DECLARED.findall(graph.read(path) or b"")}
    manifests = (path for path in paths if path.endswith("package.json"))
    inner = {name for path in manifests for name in _NAMED.findall(graph.read(path) or b"")}
    return any(name.encode() not in declared - inner for name in unknown)


def _of_go(unknown: Collection[str], paths: Collection[str], graph: Graph) -> bool:
    manifests = [path for path in paths if path.endswith(("go.mod", "go.work"))]
    stated = (each for path in manifests for each in _MODULE.findall(graph.read(path) or b""))
    own = {(one or other).strip(b'"').decode(errors="replace") for one, other in stated}
    vendored = {
        path.rpartition("vendor/")[2].rpartition("/")[0] for path in paths if "vendor/" in path
    }
    if not manifests or any(path.endswith(".go") for path in _hidden(paths, graph)):
        return True  # any package may have more files than are listed
    return any(
        name in vendored or name == each or name.startswith(f"{each}/")
        for name in unknown
        for each in (*own, "\0")
    )


def _names(paths: Iterable[str]) -> frozenset[str]:
    """What a name of the repository can begin with: a folder, or a file without its suffix."""
    parts = (path.split("/") for path in paths)
    return frozenset(
        each for *folders, file in parts for each in (*folders, file.rpartition(".")[0] or file)
    )


def _hidden(paths: Iterable[str], graph: Graph) -> list[str]:
    """The patterns of what is not listed."""
    files = (graph.read(path) or b"" for path in paths if path.endswith(".gitignore"))
    lines = (line.strip() for data in files for line in data.decode(errors="replace").split("\n"))
    return [line.strip("/") for line in lines if line and not line.startswith(("#", "!"))]
