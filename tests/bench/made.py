"""Labels by chance, for what has to hold of all labels, and benchmarks made of them."""

import random
from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path

import msgspec

from statetape.bench.effects import Sight, line_tokens
from statetape.bench.labels import Gold, Held, Labelled, Manifest, Point, Source, Steps, Verdict
from statetape.bench.lineage import Lineage
from statetape.bench.uses import Uses
from statetape.policies import POLICIES
from statetape.replay.history import history
from statetape.replay.prepared import prepared
from statetape.replay.transcripts import recording
from statetape.replay.walk import Asked, Walk, Wrote, follow
from statetape.session import Session
from statetape.text import lines_of
from statetape.tokens import tokens
from statetape.types import Lines, Record

EXAMPLE = Path(__file__).parents[2] / "examples" / "config-loader.jsonl"
VERDICTS: Sequence[Verdict] = ("needed", "stale", "superseded", "finished")


def walk_of(file: Path) -> Walk:
    """A walk of a session without a repository."""
    ready = prepared(recording(file))
    return Walk(ready, history(ready.recording, None, ready.shell_writes))


def labels(file: Path, name: str = "example", seed: int = 0) -> Labelled:
    """A point before each request, and one at the end; who needs what is drawn."""
    draw = random.Random(seed)  # noqa: S311
    walk = walk_of(file)
    lineage = Lineage(walk.workspace)
    uses = Uses(lineage)
    sight = Sight(walk.workspace, lineage, uses)
    control = Session(walk.workspace, POLICIES["control"], tokens, title=walk.title)
    points: list[Point] = []
    edits = 0
    for happening in walk:
        uses.follow(happening)
        follow(control, happening)
        match happening:
            case Wrote():
                edits += 1
            case Asked():
                points.append(_point(walk, sight, control, draw, (len(points), edits)))
    if points:
        last = _point(walk, sight, control, draw, (len(points), edits))
        points.append(msgspec.structs.replace(last, family="F", request=walk.request + 1))
    return Labelled(name, "claude-code", tuple(points), 0)


def _point(
    walk: Walk, sight: Sight, control: Session, draw: random.Random, at: tuple[int, int]
) -> Point:
    index, edits = at
    needed = tuple(_regions(walk, sight, control, draw))
    return Point(
        index=index,
        family="P",
        reading="both",
        request=walk.request,
        step=walk.step,
        tick=walk.workspace.now,
        edits=edits,
        burst=Steps(walk.step + 1, walk.step + 1),
        held=tuple(_held(record, draw) for record in control.held.values()),
        needed=needed,
        missing=sum(gold.missing for gold in needed),
    )


def _held(record: Record, draw: random.Random) -> Held:
    return Held(
        record.slot.id,
        record.slot.side,
        record.kind,
        None,
        None,
        record.step,
        record.tokens,
        draw.choice(VERDICTS),
        None,
        sha256(record.text.encode()).hexdigest(),
    )


def _regions(walk: Walk, sight: Sight, control: Session, draw: random.Random) -> list[Gold]:
    held = sight.standing(control.held)
    found = []
    for path in sorted(walk.workspace.paths()):
        texts = lines_of(walk.workspace.text(path) or "")
        if not texts or draw.random() < 0.5:
            continue
        first = draw.randrange(len(texts)) + 1
        run = Lines(first, min(len(texts), first + draw.randrange(9)))
        numbers = list(enumerate(sight.within(path, run), run.first))
        absent = [number for number, line in numbers if line not in held]
        found.append(
            Gold(
                path,
                run,
                "",
                "G2",
                sum(line_tokens(texts[number - 1]) for number, _ in numbers),
                sum(line_tokens(texts[number - 1]) for number in absent),
                tuple(Lines(number, number) for number in absent),
                "drawn",
            )
        )
    return found


def benchmark(folder: Path, labelled: Sequence[Labelled], file: Path = EXAMPLE) -> Path:
    """A benchmark's folder of sessions that all have the same file."""
    (folder / "sessions").mkdir(parents=True)
    digest = sha256(file.read_bytes()).hexdigest()
    sources = tuple(Source(each.id, str(file), digest) for each in labelled)
    manifest = Manifest("0", "cl100k_base", "rules", "1", None, 0, sources)
    (folder / "manifest.json").write_bytes(msgspec.json.encode(manifest))
    for each in labelled:
        (folder / "sessions" / f"{each.id}.json").write_bytes(msgspec.json.encode(each))
    return folder
