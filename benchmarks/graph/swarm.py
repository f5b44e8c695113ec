"""SWARM-CG's JavaScript programs: small ones, each with the call graph that it has.

Its call graphs hold calls alone: the edges of this graph from what is named and handed on are
counted apart. Functions without a name are code of the definition that they stand in.
"""

import json
import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from benchmarks.graph.pycg import Found
from benchmarks.graph.score import Edge
from benchmarks.graph.tools import Tool

from statetape.code.facts import Lookup
from statetape.code.graph import Graph
from statetape.code.resolve import javascript
from statetape.files import Memory
from statetape.types import Mark, SymbolId

Resolver = Callable[[SymbolId, Lookup], Mapping[SymbolId, Mark]]

_NAMELESS = re.compile(r"\.<(?:arrow|anonymous|class)\d*>")
_ARROW = re.compile(r"\s*(?:const|let|var)?\s*[\w$]+ = (?:async )?(?:\([^()]*\)|\w+) =>")
_FUNCTIONS = ("function", "method")
_MARKS = ("exact", "virtual")


def folder(corpora: Path) -> Path:
    """Where the programs lie: a clone of github.com/secure-software-engineering/SWARM-CG."""
    return corpora / "swarm-cg" / "benchmarks" / "javascript" / "swarm_js"


def calls(program: Path) -> set[Edge]:
    """The edges of this graph that come from calls."""
    return _edges(program, javascript.calls)


def all_edges(program: Path) -> set[Edge]:
    """All edges of this graph to functions, named ones that are handed on included."""
    return _edges(program, javascript.edges)


def name_matching(program: Path) -> set[Edge]:
    """Each call reaches whatever function has the called name, a class its constructor."""
    graph = _graph(program)
    named: dict[str, set[SymbolId]] = {}
    for symbol in list(graph.symbols()):
        if _is_function(graph, symbol):
            outer, _, name = symbol.name.rpartition(".")
            named.setdefault(outer if name == "constructor" else name, set()).add(symbol)
    return {
        (_dotted(_owner(graph, symbol)), _dotted(target))
        for symbol in list(graph.symbols())
        for name in re.findall(r"([\w$]+)\s*\(", _own_text(graph, symbol))
        for target in named.get(name, ())
    }


def tools(corpora: Path) -> dict[str, Tool | None]:  # noqa: ARG001
    """The tools by name."""
    return {
        "statetape": calls,
        "statetape, all edges": all_edges,
        "name matching": name_matching,
    }


def compared(corpora: Path, tool: Callable[[Path], set[Edge]]) -> Iterator[Found]:
    """Each program with what a tool finds in it, of the edges into its functions with a name."""
    root = folder(corpora)
    for stated_file in sorted(root.rglob("callgraph.json")):
        program = stated_file.parent
        graph = json.loads(stated_file.read_bytes())
        modules = [_module(path.relative_to(program).as_posix()) for path in _files(program)]
        stated = {
            (_NAMELESS.sub("", source), target.replace(".[", "["))
            for source, targets in graph.items()
            for target in targets
            if not _NAMELESS.search(target)
            and not source.startswith("<builtin>")
            and any(target.startswith(f"{module}.") for module in modules)
        }
        yield program.relative_to(root).as_posix(), tool(program), stated


def _files(program: Path) -> list[Path]:
    return sorted(program.rglob("*.js"))


def _graph(program: Path) -> Graph:
    files = _files(program)
    return Graph(
        Memory({path.relative_to(program).as_posix(): path.read_bytes() for path in files})
    )


def _edges(program: Path, resolver: Resolver) -> set[Edge]:
    graph = _graph(program)
    return {
        (_dotted(_owner(graph, symbol)), _dotted(target))
        for symbol in list(graph.symbols())
        for target, mark in resolver(symbol, graph).items()
        if mark in _MARKS and (_is_function(graph, target) or _is_made(graph, target))
    }


def _is_function(graph: Graph, symbol: SymbolId) -> bool:
    """Whether it is a function with a name there: an arrow function has none."""
    definition = graph.definition(symbol)
    if definition is None or definition.kind not in _FUNCTIONS:
        return False
    return not _ARROW.match(graph.source(symbol) or "")


def _is_made(graph: Graph, symbol: SymbolId) -> bool:
    """Whether it is a variable: called, it stands for a function without a name that it holds."""
    definition = graph.definition(symbol)
    return definition is not None and definition.kind == "variable"


def _owner(graph: Graph, symbol: SymbolId) -> SymbolId:
    """Whose code it is there: a variable, field or class is code of what is around it."""
    while symbol.name and not _is_function(graph, symbol):
        symbol = symbol._replace(name=symbol.name.rpartition(".")[0])
    return symbol


def _own_text(graph: Graph, symbol: SymbolId) -> str:
    """The text of a symbol without that of those nested in it."""
    text = graph.source(symbol) or ""
    for inner in graph.symbols(symbol.path):
        if inner.name.rpartition(".")[0] == symbol.name and inner != symbol:
            text = text.replace((graph.source(inner) or "").strip(), "")
    return text


def _module(path: str) -> str:
    return path.removesuffix(".js").removesuffix("/index").replace("/", ".")


def _dotted(symbol: SymbolId) -> str:
    return f"{_module(symbol.path)}.{symbol.name}".strip(".").replace(".[", "[")
