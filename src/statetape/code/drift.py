"""The drift between two whole states of a repository (Eq. 6)."""

from statetape.code.graph import Graph
from statetape.types import Drift, SymbolId


def drift(before: Graph, after: Graph) -> Drift:
    """Body, dispatch and created symbols between two states.

    Dispatch are the symbols with equal text and other outgoing edges. Resolves every symbol of
    `before` once, and in `after` those whose edges depend on a file that differs.
    """
    old_paths, new_paths = set(before.paths()), set(after.paths())
    changed = {path for path in old_paths | new_paths if before.read(path) != after.read(path)}
    folders = {path.rpartition("/")[0] for path in old_paths ^ new_paths}
    old, new = _digests(before, changed), _digests(after, changed)
    body = {symbol for symbol, digest in old.items() if new.get(symbol) != digest}
    unchanged = (
        symbol for path in sorted(old_paths & new_paths) for symbol in before.symbols(path)
    )
    return Drift(
        body=frozenset(body),
        dispatch=frozenset(
            symbol
            for symbol in (unchanged if changed else ())
            if symbol not in body
            and _can_differ(before, symbol, changed, folders)
            and before.view(symbol) != after.view(symbol)
        ),
        created=frozenset(new.keys() - old.keys()),
    )


def _digests(graph: Graph, paths: set[str]) -> dict[SymbolId, bytes]:
    return {
        SymbolId(path, definition.name): definition.digest
        for path in paths
        if (facts := graph.facts(path)) is not None
        for definition in facts.definitions
    }


def _can_differ(before: Graph, symbol: SymbolId, changed: set[str], folders: set[str]) -> bool:
    looked = before.looked_at(symbol)
    return not (
        changed.isdisjoint(looked.files) and folders.isdisjoint(looked.folders) and not looked.names
    )
