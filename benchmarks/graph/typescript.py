"""TypeScript projects against what the type checker says: an index that scip-typescript wrote.

Each lies as a folder in the corpora's `ts`, with `NAME.scip` beside it:
`npx scip-typescript index --output ../NAME.scip` in the folder, with its packages installed.
"""

from collections.abc import Iterator, Mapping
from functools import cache
from itertools import accumulate
from pathlib import Path
from typing import NamedTuple

from tree_sitter import Node

from statetape.code import treesitter
from statetape.code.extract.javascript_places import TSX, TYPESCRIPT
from statetape.code.graph import Graph
from statetape.code.resolve import javascript
from statetape.files import Memory
from statetape.types import SymbolId

Position = tuple[int, int]
"""Row and column, from 0."""
_CALLS = ("call_expression", "new_expression")


class Index(NamedTuple):
    """What a SCIP index says: of each file the names by position, and where names are defined."""

    names: dict[str, dict[Position, list[str]]]
    defined: dict[tuple[str, str], tuple[str, Position]]

    def definition(self, path: str, name: str) -> tuple[str, Position] | None:
        """Where a name that stands in a file is defined; None: not in the project."""
        return self.defined.get((path if name.startswith("local ") else "", name))


class Result(NamedTuple):
    """Call sites with a target in the project, those found; call edges found, and right ones."""

    sites: int
    found: int
    edges: int
    right: int


def folder(corpora: Path) -> Path:
    """Where the projects lie."""
    return corpora / "ts"


def projects(corpora: Path) -> list[str]:
    """The projects that have an index."""
    return sorted(
        path.stem for path in folder(corpora).glob("*.scip") if path.with_suffix("").is_dir()
    )


def compared(corpora: Path, project: str, top: str = "src") -> Result:
    """The call edges of the files under a top folder of a project against its index."""
    root = folder(corpora) / project
    index = scip((folder(corpora) / f"{project}.scip").read_bytes())
    graph = Graph(Memory({path: (root / path).read_bytes() for path in _inputs(root, index)}))
    sites = found = edges = right = 0
    for path in sorted(path for path in index.names if path.startswith(f"{top}/")):
        spans = _spans(graph, path)
        referred = _referred(graph, index, path, spans)
        called: dict[SymbolId, Mapping[SymbolId, str]] = {}
        for position, offset in _call_sites(graph, path):
            owner = SymbolId(path, _innermost(spans, offset))
            if owner not in called:
                called[owner] = javascript.calls(owner, graph)
            names = [n for n in index.names[path].get(position, ()) if _is_callable(n)]
            targets = set(_targets(graph, index, path, names)) - {owner}
            if targets:
                sites += 1
                reached = {t for t, mark in called[owner].items() if mark == "exact"}
                found += any(
                    target in reached or _class_of(target) in reached for target in targets
                )
        for owner, marks in called.items():
            for target, mark in marks.items():
                if mark == "exact" and target != owner:
                    edges += 1
                    known = referred.get(owner, set())
                    right += not known.isdisjoint((target, _class_of(target)))
    return Result(sites, found, edges, right)


def scip(data: bytes) -> Index:
    """The names and definitions of an index, read from its protocol buffers."""
    names: dict[str, dict[Position, list[str]]] = {}
    defined: dict[tuple[str, str], tuple[str, Position]] = {}
    for field, document in _fields(data):
        if field != 2 or not isinstance(document, bytes):
            continue
        parts = [(number, value) for number, value in _fields(document) if isinstance(value, bytes)]
        path = next((value.decode() for number, value in parts if number == 1), "")
        at = names.setdefault(path, {})
        for occurrence in (list(_fields(value)) for number, value in parts if number == 2):
            texts = {number: value for number, value in occurrence if isinstance(value, bytes)}
            position, name = _numbers(texts[1])[:2], texts.get(2, b"").decode()
            at.setdefault((position[0], position[1]), []).append(name)
            if (3, 1) in occurrence:
                file = path if name.startswith("local ") else ""
                defined.setdefault((file, name), (path, (position[0], position[1])))
    return Index(names, defined)


def _fields(data: bytes) -> Iterator[tuple[int, int | bytes]]:
    at = 0
    while at < len(data):
        tag, at = _number(data, at)
        if tag & 7 == 0:
            value, at = _number(data, at)
            yield tag >> 3, value
        else:
            size, at = _number(data, at) if tag & 7 == 2 else ({1: 8, 5: 4}[tag & 7], at)
            yield tag >> 3, data[at : at + size]
            at += size


def _number(data: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            return value, at


def _numbers(data: bytes) -> list[int]:
    found, at = [], 0
    while at < len(data):
        value, at = _number(data, at)
        found.append(value)
    return found


def _inputs(root: Path, index: Index) -> set[str]:
    """The files of an index, and the configurations around them."""
    configs = {p.relative_to(root).as_posix() for p in root.glob("*.json")}
    return {path for path in index.names if (root / path).is_file()} | configs


@cache
def _spans(graph: Graph, path: str) -> list[tuple[int, int, str]]:
    facts = graph.facts(path)
    found = ((*span, d.name) for d in (facts.definitions if facts else ()) for span in d.spans)
    return sorted(found, key=lambda each: (each[0], -each[1]))


def _innermost(spans: list[tuple[int, int, str]], offset: int) -> str:
    around = [name for start, end, name in spans if start <= offset < end]
    return around[-1] if around else ""


@cache
def _line_starts(data: bytes) -> list[int]:
    return [0, *accumulate(len(line) + 1 for line in data.split(b"\n"))]


def _offset(data: bytes, position: Position) -> int:
    start = _line_starts(data)[position[0]]
    line = data[start : data.find(b"\n", start)].decode(errors="replace")
    return start + len(line[: position[1]].encode())


def _targets(graph: Graph, index: Index, path: str, names: list[str]) -> Iterator[SymbolId]:
    """The symbols that the names stand for, where they are in the project."""
    for name in names:
        place = index.definition(path, name)
        data = graph.read(place[0]) if place else None
        if place and data is not None:
            offset = _offset(data, place[1])
            yield SymbolId(place[0], _innermost(_spans(graph, place[0]), offset))


def _referred(
    graph: Graph, index: Index, path: str, spans: list[tuple[int, int, str]]
) -> dict[SymbolId, set[SymbolId]]:
    """All symbols that the own text of each symbol of a file refers to; classes by constructors."""
    data = graph.read(path) or b""
    found: dict[SymbolId, set[SymbolId]] = {}
    for position, names in index.names[path].items():
        owner = SymbolId(path, _innermost(spans, _offset(data, position)))
        targets = list(_targets(graph, index, path, names))
        found.setdefault(owner, set()).update(targets, map(_class_of, targets))
    return found


def _call_sites(graph: Graph, path: str) -> Iterator[tuple[Position, int]]:
    """The position and byte offset of the name that each call names last."""
    data = graph.read(path) or b""
    grammar = TSX if path.endswith("x") else TYPESCRIPT
    stack: list[Node] = [treesitter.tree(data, *grammar).root_node]
    while stack:
        node = stack.pop()
        stack += node.named_children
        if node.type in _CALLS:
            callee = node.child_by_field_name("function") or node.child_by_field_name("constructor")
            if callee is not None and callee.type == "member_expression":
                callee = callee.child_by_field_name("property")
            if callee is not None and callee.type in ("identifier", "property_identifier"):
                row, column = callee.start_point
                line = data[callee.start_byte - column : callee.start_byte]
                yield (row, len(line.decode(errors="replace"))), callee.start_byte


def _is_callable(name: str) -> bool:
    """Whether a name is a function's, method's or class's, or one of the file's own."""
    return name.endswith(("().", "#")) or "`<constructor>`" in name or name.startswith("local ")


def _class_of(symbol: SymbolId) -> SymbolId:
    """The class of a constructor; any other symbol itself."""
    return symbol._replace(name=symbol.name.removesuffix(".constructor"))


def lines(corpora: Path) -> Iterator[str]:
    """The figures of every project."""
    for project in projects(corpora):
        sites, found, edges, right = compared(corpora, project)
        yield (
            f"{project:12} {'statetape':20} precision {right / max(edges, 1):.3f} of {edges} call "
            f"edges  recall {found / max(sites, 1):.3f} of {sites} call sites"
        )
