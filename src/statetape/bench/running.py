"""The cells of one session, run: its file is read, walked through once, and scored."""

from collections.abc import Iterable, Mapping
from contextlib import AbstractContextManager, nullcontext
from hashlib import sha256
from pathlib import Path

from statetape.bench.decisions import Asker, Decisions
from statetape.bench.folder import labelled, manifest, session_file
from statetape.bench.labels import Source
from statetape.bench.scored import Cell, Scored, scored
from statetape.code.uncollected import uncollected
from statetape.errors import BadInput
from statetape.files import GitCommit
from statetape.replay.history import history
from statetape.replay.prepared import prepared
from statetape.replay.transcripts import recording
from statetape.replay.walk import Walk


def cells(
    labels: Path, *, folder: Path, askers: Mapping[Path, tuple[Asker, ...]]
) -> dict[Asker, Cell]:
    """What these policies come to on one session of a benchmark, by the file of its labels.

    BadInput where the session's file is not the one that was labelled.
    """
    asked = askers[labels]
    known = labelled(labels)
    source = next(s for s in manifest(folder).sessions if session_file(folder, s) == labels)
    file = Path(source.file)
    _verify(file, source)
    with uncollected(), _start(source) as start:
        ready = prepared(recording(file))
        walk = Walk(ready, history(ready.recording, start, ready.shell_writes))
        decisions = Decisions(walk, known.points, asked, source.sha256)
        found: dict[Asker, list[Scored]] = {asker: [] for asker in asked}
        for by, point, effect in decisions:
            found[by].append(scored(point, effect))
    return {asker: _cell(asker, found[asker], decisions) for asker in asked}


def _cell(asker: Asker, points: Iterable[Scored], decisions: Decisions) -> Cell:
    in_order = tuple(sorted(points, key=lambda each: each.index))
    maintained = decisions.rolling.get(asker.policy) if asker.mode == "rolling" else None
    if maintained is None:
        return Cell(in_order)
    return Cell(in_order, maintained.sent, decisions.sent, maintained.removed, maintained.regretted)


def _start(source: Source) -> AbstractContextManager[GitCommit | None]:
    if source.repo is None:
        return nullcontext()
    return GitCommit(Path(source.repo), source.base or "HEAD")


def _verify(file: Path, source: Source) -> None:
    try:
        found = sha256(file.read_bytes()).hexdigest()
    except OSError as error:
        raise BadInput(f"{file}: {error.strerror}; it is the session {source.id}") from None
    if found != source.sha256:
        raise BadInput(f"{file}: not the file that was labelled as {source.id}; build again")
