"""Extraction into the cache, and the second process that takes half of the files.

tree-sitter holds the lock of the interpreter: threads would give nothing.
"""

import os
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Thread
from typing import IO, cast

from statetape.code import languages
from statetape.code.facts import Facts
from statetape.files import Folder
from statetape.store.index.cache import Cache
from statetape.store.index.limits import heed
from statetape.store.index.rows import Row, row
from statetape.store.index.version import extractors

_BATCH = 100


def kept(
    paths: Iterable[str], read: Callable[[str], bytes | None], cache: Cache
) -> Iterator[Facts]:
    """The facts of each of these files that there is, kept in the cache in batches."""
    batch: list[Row] = []
    for path in paths:
        data = read(path)
        if data is None:
            continue
        facts = languages.facts(path, data)
        batch.append(row(facts, extractors()))
        if len(batch) == _BATCH:
            cache.save(batch)
            batch.clear()
        yield facts
    cache.save(batch)


@contextmanager
def helped(
    cache: Path | None,
    folder: Path | None,
    paths: Sequence[str],
    advance: Callable[[], None],
    module: str = __name__,
) -> Iterator[Callable[[], None]]:
    """Another process keeps the facts of these files; a function that waits for its end.

    `module` is what it runs. What it does not get done, for whatever reason, is not in the cache.
    """
    process = _started(cache, folder, paths, module) if cache and folder and paths else None
    if process is None:
        yield lambda: None
        return
    steps = Thread(target=_count, args=(cast("IO[bytes]", process.stdout), advance), daemon=True)
    steps.start()
    try:
        yield steps.join
    finally:
        process.kill()
        process.wait()
        steps.join()
        cast("IO[bytes]", process.stdout).close()


def _started(
    cache: Path, folder: Path, paths: Sequence[str], module: str
) -> "subprocess.Popen[bytes] | None":
    try:
        # -P: no module of the folder that the user is in.
        process = subprocess.Popen(  # noqa: S603 -- this program itself
            [sys.executable, "-P", "-m", module, os.fspath(cache), os.fspath(folder)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
    except OSError:
        return None
    with suppress(OSError):
        asked = cast("IO[bytes]", process.stdin)
        asked.write(b"\0".join(os.fsencode(path) for path in paths))
        asked.close()
    return process


def _count(done: IO[bytes], advance: Callable[[], None]) -> None:
    while done.read(1):
        advance()


def main() -> None:
    """Keep the facts of the files that stdin names, and print a byte for each."""
    heed()
    folder, root = map(Path, sys.argv[1:])
    cache = Cache(folder)
    paths = [os.fsdecode(path) for path in sys.stdin.buffer.read().split(b"\0")]
    for _ in kept(paths, Folder(root).read, cache):
        sys.stdout.buffer.write(b".")
        sys.stdout.buffer.flush()
    cache.close()


if __name__ == "__main__":
    main()
