"""The files of a benchmark: sessions read, labelled and written; the edge of what is pure."""

import hashlib
import re
from collections.abc import Callable, Sequence
from contextlib import nullcontext, suppress
from pathlib import Path
from shutil import rmtree
from typing import NamedTuple

import msgspec

from statetape import __version__
from statetape.bench.glance import Glance, glance
from statetape.bench.judge import ModelJudge
from statetape.bench.judge_prompts import PROMPT_VERSION
from statetape.bench.labelling import labelled, walked
from statetape.bench.labels import LABEL_VERSION, Labels, Manifest, Source
from statetape.bench.references import Jedi, engine
from statetape.code.uncollected import uncollected
from statetape.context.asking import Ask, Reply
from statetape.errors import BadInput, StatetapeError
from statetape.files import GitCommit
from statetape.replay.history import history
from statetape.replay.prepared import prepared
from statetape.replay.transcripts import recording

TOKENIZER = "cl100k_base"
_WORK = "building"

Model = Callable[[Ask], Reply]


class Choices(NamedTuple):
    """How sessions are labelled. `answer` is the judge's; `patch` the text of a reference patch."""

    labels: Labels = "rules"
    seed: int = 0
    patch: str | None = None
    answer: Model | None = None
    judge: str | None = None


class Given(NamedTuple):
    """One session as given: its file, its name in the benchmark, its repository and revision."""

    file: Path
    name: str
    repo: Path | None = None
    base: str | None = None


class Built(NamedTuple):
    """What a session came to."""

    source: Source
    glance: Glance


def built(given: Given, folder: Path, choices: Choices) -> Built:
    """A session labelled, its labels written below `folder`.

    BadInput for what cannot be read or does not fit, StatetapeError where the folder cannot be
    written or a judge gives no usable answer.
    """
    with uncollected():
        data = _read(given.file)
        ready = prepared(recording(given.file))
        commit = GitCommit(given.repo, given.base or "HEAD") if given.repo else None
        with commit or nullcontext() as start, Jedi() as references:
            seen = history(ready.recording, start, ready.shell_writes)
            session = walked(ready, seen, references, patch=choices.patch)
            judge = None
            if choices.answer is not None:
                judge = ModelJudge(choices.answer, choices.seed)
            problems = (*ready.recording.problems, *seen.problems)
            found = labelled(session, given.name, problems, judge)
            figures = glance(session, found)
    written(folder / "sessions" / f"{given.name}.json", found)
    return Built(
        Source(
            given.name,
            str(given.file),
            hashlib.sha256(data).hexdigest(),
            str(given.repo) if given.repo else None,
            commit.commit if commit else None,
            _digest(choices.patch),
        ),
        figures,
    )


def manifest(sources: Sequence[Source], choices: Choices) -> Manifest:
    """What a benchmark was built from."""
    judged = choices.labels == "judge"
    return Manifest(
        __version__,
        TOKENIZER,
        choices.labels,
        LABEL_VERSION,
        PROMPT_VERSION if judged else None,
        choices.seed,
        tuple(sources),
        choices.judge if judged else None,
        engine(),
    )


def begun(folder: Path) -> Path:
    """Where a benchmark of this folder is built, empty; one that is there stays until `finished`.

    BadInput for a folder that holds other things.
    """
    work = folder / _WORK
    try:
        there = {each.name for each in folder.iterdir()} if folder.exists() else set()
        if there - {"sessions", _WORK} and "manifest.json" not in there:
            raise BadInput(f"{folder}: not empty, and no benchmark")
        if work.exists():
            rmtree(work)
        (work / "sessions").mkdir(parents=True)
    except OSError as error:
        raise BadInput(f"{folder}: {error.strerror or error}") from None
    return work


def finished(folder: Path, value: Manifest) -> None:
    """What was built below `begun(folder)` is the benchmark now, instead of what was there.

    StatetapeError where the folder cannot be written.
    """
    own, work = folder / "sessions", folder / _WORK
    try:
        own.mkdir(exist_ok=True)
        (folder / "manifest.json").unlink(missing_ok=True)
        for file in own.glob("*.json"):
            file.unlink()
        for file in (work / "sessions").iterdir():
            file.replace(own / file.name)
    except OSError as error:
        raise StatetapeError(f"{folder}: {error.strerror or error}") from None
    written(folder / "manifest.json", value)


def ended(folder: Path) -> None:
    """What is left below `begun(folder)` goes, and the folder too if it holds nothing else."""
    rmtree(folder / _WORK, ignore_errors=True)
    with suppress(OSError):
        folder.rmdir()


def written(file: Path, value: msgspec.Struct) -> None:
    """A value as a file of JSON; equal values, equal bytes."""
    try:
        file.write_bytes(msgspec.json.encode(value, order="sorted") + b"\n")
    except OSError as error:
        raise StatetapeError(f"{file}: {error.strerror or error}") from None


def names(files: Sequence[Path]) -> list[str]:
    """A name for each session, by its file's: what a file of the benchmark can be called."""
    found: dict[str, None] = {}
    last: dict[str, int] = {}
    for file in files:
        stem = re.sub(r"[^\w.-]+", "_", file.name.partition(".json")[0]).strip(".") or "session"
        name = stem
        while name in found:
            last[stem] = last.get(stem, 1) + 1
            name = f"{stem}~{last[stem]}"
        found[name] = None
    return list(found)


def _read(file: Path) -> bytes:
    try:
        return file.read_bytes()
    except OSError as error:
        raise BadInput(f"{file}: {error.strerror or error}") from None


def _digest(text: str | None) -> str | None:
    return None if text is None else hashlib.sha256(text.encode()).hexdigest()
