"""The graph of a repository on the disk, with what is known of it from before."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from statetape.cli.progress import progress
from statetape.code.graph import Graph
from statetape.files import Folder
from statetape.store.index.cache import Cache
from statetape.store.index.edges import Edges
from statetape.store.index.place import cache_folder
from statetape.store.index.resolving import resolve
from statetape.store.index.stored import StoredIndex


@contextmanager
def graph_of(repo: Path, *, resolved: bool = False) -> Iterator[Graph]:
    """The graph; on a terminal a bar shows the work on files that nobody has seen before.

    `resolved`: with the edges of all its symbols, where these can be kept.
    """
    folder, root = cache_folder(), repo.absolute()
    cache, edges = Cache(folder), Edges(folder, root)
    try:
        graph = Graph(Folder(repo), StoredIndex(cache, root, progress), kept=edges)
        if resolved:
            resolve(graph, edges, folder, root, progress)
        yield graph
    finally:
        edges.close()
        cache.close()
