"""The tools that are compared: each gives the call edges it finds in the files under a folder."""

import sys
from collections.abc import Callable
from contextlib import redirect_stderr
from importlib.util import find_spec
from io import StringIO
from pathlib import Path
from typing import Any

from benchmarks.graph.score import Edge, edges
from benchmarks.graph.sources import module_name, sources

from statetape.code.findings import Findings
from statetape.code.graph import Graph
from statetape.code.lookup import RecordingLookup
from statetape.code.resolve.python import header
from statetape.files import Memory
from statetape.types import Mark, SymbolId

Tool = Callable[[Path], set[Edge]]

_CALLS: tuple[Mark, ...] = ("exact", "virtual")
_PLAIN = ("variable", "field", "type", "file")


def statetape(root: Path) -> set[Edge]:
    """The edges of this graph, without guesses."""
    return _graph(root, _CALLS)


def statetape_with_guesses(root: Path) -> set[Edge]:
    """The edges of this graph, with methods of a name that few classes have."""
    return _graph(root, (*_CALLS, "guess"))


def name_matching(root: Path) -> set[Edge]:
    """What matching by name finds: a call reaches whatever function has the called name.

    A class stands for its `__init__`. This is how tools without a resolver draw their edges.
    """
    named: dict[str, set[str]] = {}
    for source in sources(root):
        for name in source.functions:
            named.setdefault(name.rpartition(".")[2], set()).add(name)
        for name in source.classes:
            if f"{name}.__init__" in source.functions:
                named.setdefault(name.rpartition(".")[2], set()).add(f"{name}.__init__")
    return {
        (site.owner, target)
        for source in sources(root)
        for site in source.sites
        for target in named.get(site.name, ())
    }


def jedi(root: Path) -> set[Edge]:
    """What `jedi` infers for the name of each call."""
    import jedi as library

    at = {(s.path, line): name for s in sources(root) for line, name in s.lines.items()}
    classes = {name for source in sources(root) for name in source.classes}
    project = library.Project(root)
    found: set[Edge] = set()
    for source in sources(root):
        script = library.Script(path=source.path, project=project)
        for site in source.sites:
            for name in _inferred(script, site.line, site.column):
                target = at.get((name.module_path, name.line))
                if target is not None:
                    found.add((site.owner, f"{target}.__init__" if target in classes else target))
    return found


def _inferred(script: Any, line: int, column: int) -> list[Any]:
    try:
        return list(script.infer(line, column))
    except Exception:  # noqa: BLE001 -- what breaks in another tool is nothing found
        return []


def pycg(root: Path) -> set[Edge]:
    """The call graph that PyCG writes of all files at once."""
    from pycg.formats import Simple
    from pycg.pycg import CallGraphGenerator
    from pycg.utils.constants import CALL_GRAPH_OP

    with redirect_stderr(StringIO()):
        generator = CallGraphGenerator(
            [str(source.path) for source in sources(root)], str(root), -1, CALL_GRAPH_OP
        )
        generator.analyze()
        return edges(Simple(generator).generate())


def tools(corpora: Path) -> dict[str, Tool | None]:
    """The tools by name, None for one that is not installed.

    PyCG may also lie in the corpora: its wheel cannot be imported where case matters.
    """
    clone = corpora / "PyCG"
    if find_spec("pycg") is None and (clone / "pycg").is_dir():
        sys.path.append(str(clone))
    return {
        "statetape": statetape,
        "statetape + guesses": statetape_with_guesses,
        "name matching": name_matching,
        "jedi": jedi if find_spec("jedi") else None,
        "PyCG": pycg if find_spec("pycg") else None,
    }


def _graph(root: Path, marks: tuple[Mark, ...]) -> set[Edge]:
    graph = Graph(
        Memory({s.path.relative_to(root).as_posix(): s.path.read_bytes() for s in sources(root)})
    )
    found: set[Edge] = set()
    for symbol in list(graph.symbols()):
        around = header(symbol, RecordingLookup(graph, Findings()))
        for target, mark in graph.edges(symbol).items():
            if mark in marks:
                owner = _around(symbol) if target in around else _owner(symbol, graph)
                found.add((_dotted(owner), _dotted(target)))
    return found


def _owner(symbol: SymbolId, graph: Graph) -> SymbolId:
    """Whose code a symbol is to those who know no variables: a variable is code around it."""
    definition = graph.definition(symbol)
    plain = definition is not None and definition.kind in _PLAIN
    return _around(symbol) if plain else symbol


def _around(symbol: SymbolId) -> SymbolId:
    return symbol._replace(name=symbol.name.rpartition(".")[0])


def _dotted(symbol: SymbolId) -> str:
    return f"{module_name(symbol.path)}.{symbol.name}".strip(".")
