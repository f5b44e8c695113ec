"""The second phase of an index: the edges of every symbol, resolved and kept.

It can stop at any time: what was kept holds, and the next one goes on from there.
"""

import os
import sys
from array import array
from collections.abc import Iterable, Iterator
from pathlib import Path

from statetape.code import grounds, languages
from statetape.code.facts import Facts
from statetape.code.findings import Findings
from statetape.code.graph import Graph
from statetape.code.lookup import RecordingLookup
from statetape.code.reaches import Marks
from statetape.files import Folder
from statetape.store.index.cache import SIZE, Cache
from statetape.store.index.edges import Edges, Row
from statetape.store.index.limits import cache_size, heed
from statetape.store.index.stored import Progress, StoredIndex, no_progress
from statetape.store.index.worker import helped

WORTH_A_PROCESS = 100
"""Files to resolve, from which on a second process takes half of them."""

_BATCH = 40
_MOST = 20_000
"""Findings that are shared: more of them cost more memory than they save time."""


def resolve(
    graph: Graph,
    edges: Edges,
    cache: Path | None = None,
    folder: Path | None = None,
    progress: Progress = no_progress,
) -> None:
    """Keep the edges of every symbol of a graph's files that has none that hold.

    Cost: some 2 ms a symbol. With a `folder` on the disk, a second process helps.
    """
    if not edges.writable:
        return
    left = graph.unresolved()
    anew = left.lost or not edges.state()
    if left.moved or left.shown or anew:
        shown = [
            Row(path, _digest(graph, path), prints, None, {})
            for path, prints in left.shown.items()
            if prints is not None
        ]
        edges.move(_files(graph, edges), shown, set(left.moved), anew=anew)
        left = graph.unresolved()
    own, theirs = sorted(left.open), list[str]()
    if cache and folder and len(own) >= WORTH_A_PROCESS:
        # Neighbours look at the same things.
        half = len(own) // 2
        own, theirs = own[:half], own[half:]
    with (
        progress("resolving", len(own) + len(theirs)) as advance,
        helped(cache, folder, theirs, advance, __name__) as finish,
    ):
        for _ in kept(own, graph, edges):
            advance()
        finish()
        for _ in kept(sorted(graph.unresolved().open), graph, edges) if theirs else ():
            pass
    edges.trim(cache_size(SIZE))


def kept(paths: Iterable[str], graph: Graph, edges: Edges) -> Iterator[str]:
    """Keep the edges of the symbols of these files, in batches. Ends where a file has changed."""
    generation = edges.generation()
    printed: set[str] = set()
    batch: list[Row] = []
    findings = Findings()
    for path in paths:
        own, seen = _resolved(path, graph, edges, findings)
        batch.append(own)
        for each in seen - printed:
            printed.add(each)
            facts = graph.facts(each) if not edges.is_printed(each) else None
            if facts is not None and languages.knows(each):
                shown = grounds.prints(facts, graph.interfaces().get(each))
                batch.append(Row(each, facts.digest, shown, None, {}))
        if len(batch) >= _BATCH:
            if not edges.save(generation, batch):
                return
            batch.clear()
        if sum(map(len, findings.stores.values())) > _MOST:
            findings = Findings()
            graph.unload()
        yield path
    edges.save(generation, batch)


def _resolved(path: str, graph: Graph, edges: Edges, findings: Findings) -> tuple[Row, set[str]]:
    """The edges of a file, those that are kept among them, and the files that were looked into."""
    known, grounded = edges.kept(path)
    marks: dict[str, Marks] = dict(known)
    rests: dict[str, array[int] | memoryview] = dict(grounded)
    seen = {path}
    for symbol in graph.symbols(path):
        if symbol.name not in marks:
            looked = RecordingLookup(graph, findings)
            marks[symbol.name] = languages.edges(symbol, looked)
            whole = looked.entire()
            rests[symbol.name] = grounds.looked_at(symbol, whole)
            seen.update(whole.files)
    return Row(path, _digest(graph, path), None, marks, rests), seen


def _digest(graph: Graph, path: str) -> bytes:
    known = graph.interfaces().get(path)
    facts: Facts | None = graph.facts(path) if known is None else None
    return known.digest if known is not None else facts.digest if facts is not None else b""


def _files(graph: Graph, edges: Edges) -> dict[str, bytes]:
    """Every file with its digest, as far as somebody has looked into it."""
    now = graph.interfaces()
    found = {path: now[path].digest if path in now else b"" for path in graph.paths()}
    for path, file in edges.state().items():
        if path not in now and file.digest:
            digest = _digest(graph, path)
            if digest:
                found[path] = digest
    return found


def main() -> None:
    """Keep the edges of the files that stdin names, and print a byte for each."""
    heed()
    folder, root = map(Path, sys.argv[1:])
    cache, edges = Cache(folder), Edges(folder, root)
    paths = [os.fsdecode(path) for path in sys.stdin.buffer.read().split(b"\0")]
    graph = Graph(Folder(root), StoredIndex(cache), kept=edges)
    for _ in kept(paths, graph, edges):
        sys.stdout.buffer.write(b".")
        sys.stdout.buffer.flush()
    edges.close()
    cache.close()


if __name__ == "__main__":
    main()
