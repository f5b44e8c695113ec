"""All that a report on a benchmark says, from its labels and what was run."""

from collections.abc import Iterator
from pathlib import Path

from msgspec import Struct

from statetape.bench.decisions import Asker
from statetape.bench.folder import labelled, labels_digest, manifest, session_file
from statetape.bench.labels import Manifest
from statetape.bench.results import Results
from statetape.bench.tabled import Row, Sums, rows, sums
from statetape.bench.volumes import Volumes, volumes
from statetape.errors import BadInput


class Report(Struct, frozen=True):
    """`incomplete` are the columns that not all sessions were run for: they have no row."""

    manifest: Manifest
    volumes: Volumes
    rows: tuple[Row, ...]
    incomplete: tuple[Asker, ...]


def report(folder: Path) -> Report:
    """The report on a benchmark, as far as it was run on the labels as they are.

    BadInput where nothing was. Looks at one session, then at one column of cells at a time.
    """
    known = manifest(folder)
    files = [session_file(folder, source) for source in known.sessions]
    labels = {source.id: labels_digest(folder, source) for source in known.sessions}
    results = Results(folder)
    try:
        incomplete: list[Asker] = []
        found = rows(_columns(results, labels, incomplete))
    finally:
        results.close()
    if not found:
        raise BadInput(f"{folder}: nothing was run for all sessions; `statetape bench run` does it")
    return Report(known, volumes(map(labelled, files)), tuple(found), tuple(incomplete))


def _columns(
    results: Results, labels: dict[str, str], incomplete: list[Asker]
) -> Iterator[tuple[Asker, list[Sums]]]:
    for asker in results.askers():
        cells = [sums(cell) for _, cell in results.cells(asker, labels)]
        if len(cells) == len(labels):
            yield asker, cells
        else:
            incomplete.append(asker)
