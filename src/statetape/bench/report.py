"""All that a report on a benchmark says, from its labels and what was run."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import TypeVar

from msgspec import Struct

from statetape.bench.decisions import Asker
from statetape.bench.folder import labelled, labels_digest, manifest, session_file
from statetape.bench.labels import Manifest
from statetape.bench.results import Results
from statetape.bench.tabled import Row, Sums, rows, sums
from statetape.bench.volumes import Volumes, volumes
from statetape.errors import BadInput

Begun = Callable[[str, int], AbstractContextManager[Callable[[], None]]]
"""Takes words for a work and of how many pieces it is: a function to call after each of them."""

T = TypeVar("T")


class Report(Struct, frozen=True):
    """`incomplete` are the columns that no one code was run for all sessions of: they have no row.

    `codes`: the columns with a row, by the digest of the code that has decided in them. More than
    one: rows differ not by their policies alone.
    """

    manifest: Manifest
    volumes: Volumes
    rows: tuple[Row, ...]
    incomplete: tuple[Asker, ...]
    codes: Mapping[str, tuple[Asker, ...]]


def report(folder: Path, begun: Begun = lambda _, __: nullcontext(lambda: None)) -> Report:
    """The report on a benchmark, as far as it was run on the labels as they are.

    BadInput where nothing was. Looks at one session, then at one column of cells at a time.
    """
    known = manifest(folder)
    labels = {source.id: labels_digest(folder, source) for source in known.sessions}
    columns = _Columns(labels)
    results = Results(folder)
    try:
        askers = results.askers()
        with begun("adding up", len(askers)) as advance:
            found = rows(columns.of(results, _told(askers, advance)))
    finally:
        results.close()
    if not found:
        raise BadInput(f"{folder}: nothing was run for all sessions; `statetape bench run` does it")
    files = [session_file(folder, source) for source in known.sessions]
    with begun("reading labels", len(files)) as advance:
        held = volumes(map(labelled, _told(files, advance)))
    codes = {code: tuple(askers) for code, askers in sorted(columns.codes.items())}
    return Report(known, held, tuple(found), tuple(columns.incomplete), codes)


def _told(pieces: Iterable[T], advance: Callable[[], None]) -> Iterator[T]:
    for piece in pieces:
        yield piece
        advance()


class _Columns:
    """The columns of sessions with these labels; `codes` and `incomplete` as those of a report."""

    def __init__(self, labels: Mapping[str, str]) -> None:
        self._labels = labels
        self.codes: dict[str, list[Asker]] = {}
        self.incomplete: list[Asker] = []

    def of(self, results: Results, askers: Iterable[Asker]) -> Iterator[tuple[Asker, list[Sums]]]:
        """Those that are whole and of one code."""
        for asker in askers:
            cells: list[Sums] = []
            codes: set[str] = set()
            for _, code, cell in results.cells(asker, self._labels):
                cells.append(sums(cell))
                codes.add(code)
            if len(cells) == len(self._labels) and len(codes) == 1:
                self.codes.setdefault(codes.pop(), []).append(asker)
                yield asker, cells
            else:
                self.incomplete.append(asker)
