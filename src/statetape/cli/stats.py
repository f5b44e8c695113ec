"""What there is in a repository, in numbers, and how much of it the graph resolves."""

from collections import Counter
from collections.abc import Mapping
from typing import Any

from statetape.cli.progress import progress
from statetape.code import languages
from statetape.code.findings import Findings
from statetape.code.graph import Graph
from statetape.code.lookup import RecordingLookup
from statetape.code.sites import fates
from statetape.types import Mark, SymbolId


def counted(graph: Graph) -> dict[str, Any]:
    """Files, symbols, edges by mark and calls by fate, in all and by language.

    Resolves every symbol whose edges are not kept.
    """
    own = {path: each for path, each in graph.interfaces().items() if not each.generated}
    symbols = [symbol for symbol in graph.symbols() if symbol.name]
    kinds = Counter(found.kind for each in symbols if (found := graph.definition(each)))
    edges: dict[str, Counter[str]] = {}
    calls: dict[str, Counter[str]] = {}
    findings = Findings()
    with progress("counting", len(own)) as advance:
        for path in sorted(own):
            marks, fates_ = _resolved(path, graph, findings)
            if marks or fates_:
                edges.setdefault(own[path].language, Counter()).update(marks)
                calls.setdefault(own[path].language, Counter()).update(fates_)
            advance()
    return {
        "files": len(own),
        "files_by_language": _ordered(Counter(each.language for each in own.values())),
        "broken": sorted(path for path, each in own.items() if each.broken),
        "symbols": len(symbols),
        "symbols_by_kind": _ordered(kinds),
        "symbols_by_language": _ordered(Counter(own[each.path].language for each in symbols)),
        "edges": sum(marks.total() for marks in edges.values()),
        "edges_by_language": {name: _ordered(edges[name]) for name in sorted(edges)},
        "calls_by_language": {name: _ordered(calls[name]) for name in sorted(calls)},
    }


def _resolved(path: str, graph: Graph, findings: Findings) -> tuple[Counter[str], Counter[str]]:
    """The edges of a file's symbols by mark, and its calls by what became of them."""
    marks: Counter[str] = Counter()
    known: dict[SymbolId, Mapping[SymbolId, Mark]] = {}
    kept = graph.resolved(path)
    for owner in graph.symbols(path):
        known[owner] = (
            kept[owner.name]
            if owner.name in kept
            else languages.edges(owner, RecordingLookup(graph, findings))
        )
        marks.update(known[owner].values())
    data = graph.read(path)
    if data is None or not languages.resolves(path):
        return marks, Counter()
    definitions = {s.name: d for s in known if (d := graph.definition(s)) is not None}
    found = fates(path, data, definitions, known.__getitem__, lambda name: bool(graph.named(name)))
    return marks, Counter({str(fate): count for fate, count in found.items()})


def _ordered(counts: Counter[str]) -> dict[str, int]:
    return dict(sorted(counts.items(), key=lambda each: (-each[1], each[0])))
