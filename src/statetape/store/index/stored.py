"""The facts of a repository's files, from the cache where it knows their content."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path

from msgspec.structs import replace

from statetape.code import languages, wholefile
from statetape.code.facts import Interface
from statetape.code.treesitter import digest
from statetape.code.uncollected import uncollected
from statetape.store.index import rows
from statetape.store.index.cache import Cache
from statetape.store.index.version import extractors
from statetape.store.index.worker import helped, kept
from statetape.types import Definition

Progress = Callable[[str, int], AbstractContextManager[Callable[[], None]]]
WORTH_A_PROCESS = 400
"""Files to extract, from which on a second process takes half of them."""


def no_progress(_: str, __: int) -> AbstractContextManager[Callable[[], None]]:
    """The progress of who does not watch."""
    return nullcontext(lambda: None)


class StoredIndex:
    """A `code.facts.Index` over a cache.

    `folder` is where the files are on the disk: a second process can then help. `progress` is
    told what is extracted.
    """

    def __init__(
        self,
        cache: Cache,
        folder: Path | None = None,
        progress: Progress = no_progress,
    ) -> None:
        self._cache = cache
        self._folder = folder
        self._progress = progress
        self._extractors = extractors()

    def interfaces(
        self, paths: Collection[str], read: Callable[[str], bytes | None]
    ) -> Iterator[tuple[str, Interface]]:
        """The interface of each of these files that there is. What nobody knows is extracted.

        Reads every file of a known language, and takes the rest as it is.
        """
        with uncollected():
            keys, found = dict[str, bytes](), dict[str, Interface]()
            for path in paths:
                if languages.knows(path):
                    data = read(path)
                    if data is not None:
                        keys[path] = rows.key(path, digest(data), self._extractors)
                else:
                    found[path] = _TEXT
            known = self._known(keys.values())
            self._cache.touch(known.keys())
            found.update((path, known[key]) for path, key in keys.items() if key in known)
        yield from found.items()
        unknown = {path: keys[path] for path in sorted(keys) if keys[path] not in known}
        if unknown:
            yield from self._extracted(unknown, read)
            self._cache.trim()

    def definitions(self, path: str, data: bytes) -> tuple[Definition, ...] | None:
        """The definitions of a file with these bytes, None where nobody knows them."""
        if not languages.knows(path):
            return wholefile.facts(path, data).definitions
        key = rows.key(path, digest(data), self._extractors)
        for _, blob in self._cache.blobs("definitions", [key]):
            return rows.definitions(key, blob)
        return None

    def used(self, digests: Mapping[str, bytes]) -> Iterator[tuple[str, Collection[int]]]:
        """The numbers of the names that files with these digests mention.

        Without the files nobody knows.
        """
        paths: dict[bytes, list[str]] = {}
        for path, each in digests.items():
            if languages.knows(path):
                paths.setdefault(rows.key(path, each, self._extractors), []).append(path)
            else:
                yield path, ()
        for key, blob in self._cache.blobs("words", paths.keys()):
            words = rows.words(key, blob)
            if words is not None:
                yield from ((path, words) for path in paths[key])

    def _known(self, keys: Iterable[bytes]) -> dict[bytes, Interface]:
        found: dict[bytes, Interface] = {}
        for key, blob in self._cache.blobs("interfaces", set(keys)):
            interface = rows.interface(key, blob)
            if interface is not None:
                found[key] = interface
        return found

    def _extracted(
        self, keys: Mapping[str, bytes], read: Callable[[str], bytes | None]
    ) -> Iterator[tuple[str, Interface]]:
        """The interfaces of files that nobody knows, extracted and kept, by two where it pays."""
        own, theirs = list(keys), list[str]()
        if self._folder and self._cache.writable and len(own) >= WORTH_A_PROCESS:
            own, theirs = own[::2], own[1::2]
        with (
            self._progress("indexing", len(keys)) as advance,
            helped(self._cache.folder, self._folder, theirs, advance) as finish,
        ):
            for facts in kept(own, read, self._cache):
                yield facts.path, facts.interface()
                advance()
            finish()
            done = self._known(keys[path] for path in theirs)
            yield from ((path, done[keys[path]]) for path in theirs if keys[path] in done)
            left = [path for path in theirs if keys[path] not in done]
            yield from ((facts.path, facts.interface()) for facts in kept(left, read, self._cache))


_TEXT = replace(wholefile.facts("", b"").interface(), digest=b"")
