"""The graph of a repository on the disk, with what is known of its files from before."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from statetape.cli.progress import progress
from statetape.code.graph import Graph
from statetape.files import Folder
from statetape.store.index.cache import Cache
from statetape.store.index.place import cache_folder
from statetape.store.index.stored import StoredIndex


@contextmanager
def graph_of(repo: Path) -> Iterator[Graph]:
    """The graph; on a terminal a bar shows the work on files that nobody has seen before."""
    cache = Cache(cache_folder())
    try:
        yield Graph(Folder(repo), StoredIndex(cache, repo.absolute(), progress))
    finally:
        cache.close()
