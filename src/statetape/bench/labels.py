"""What is known of each decision point of a session: who holds what, and what is needed.

These are the files of a benchmark's folder: `manifest.json` is a `Manifest`, `sessions/<id>.json` a
`Labelled`. Nothing here says what any policy does.
"""

from typing import Literal, NamedTuple

from msgspec import Struct

from statetape.types import Lines, Rule, Slot, StepKind, Tick

Family = Literal["P", "T", "F"]
"""Where a decision point stands: before a burst of edits, after a test run, at the end."""

Reading = Literal["both", "usual", "strict"]
"""Under which reading of "a burst" a point is one. `usual`: remarks and to-do calls stand in its
burst; `strict`: it is a part of such a burst. Leave one of the two out: each alone is a whole."""

Verdict = Literal["needed", "stale", "superseded", "finished"]
"""What a held record is at a point; the last three are unneeded."""

Labels = Literal["rules", "judge"]
"""Who has labelled."""

LABEL_VERSION = "1"
"""To be changed with every change of what the rules say."""


class Steps(NamedTuple):
    """A run of steps of a session, inclusive."""

    first: int
    last: int


class Held(Struct, frozen=True):
    """One record of the context; texts are not stored twice.

    `file` and `span`: the file that it shows most of, and between which lines of that file's state
    at the point (None: it shows no lines, or none of them has a place any more). `n` are the
    tokens of its text as the agent received it, `next_use` is the next step that quotes, edits,
    reads or runs it again (None: never).
    """

    id: str
    side: Literal["input", "result", "say", "added"]
    kind: StepKind
    file: str | None
    span: Lines | None
    born_step: int
    n: int
    verdict: Verdict
    next_use: int | None
    sha256: str

    @property
    def slot(self) -> Slot:
        """Where it stands in the conversation."""
        return Slot(self.id, self.side)


class Gold(Struct, frozen=True):
    """One region of the needed context: whole lines of a file's state at the point.

    `tokens` are those of its lines that no region before it has (a line of a file is counted
    with its line end), `missing` those of them that no held record shows as they are, which stand
    in the runs of lines `absent`. `reason` says in a few words why it is needed.
    """

    path: str
    lines: Lines
    symbol: str
    rule: Rule
    tokens: int
    missing: int
    absent: tuple[Lines, ...]
    reason: str


class Point(Struct, frozen=True):
    """One decision point: what the context holds, and what the steps that follow need.

    `request` is the number of the request that carries the context: what `Walk.request` says when
    it leaves, 1 for the first; for what no request carries any more (F), one more than the last.
    `step` is the last step that is held, `tick` the tick of the repository's state, `edits` the
    number of edit steps so far. `burst` are the steps that the needed side is anchored on (P: the
    imminent burst; T: the next one; F: None). `missing` is the sum of the regions' own.
    """

    index: int
    family: Family
    reading: Reading
    request: int
    step: int
    tick: Tick
    edits: int
    burst: Steps | None
    held: tuple[Held, ...]
    needed: tuple[Gold, ...]
    missing: int


class Labelled(Struct, frozen=True):
    """One session. `skipped_bursts` are the shell's and touch no definition: no points."""

    id: str
    agent: str
    points: tuple[Point, ...]
    skipped_bursts: int
    problems: tuple[str, ...] = ()


class Source(Struct, frozen=True):
    """A session of the benchmark: its file as given, and what it was labelled with.

    `repo` (as given) and `base` (a commit) are where its files were from, `patch` is the digest of
    the reference patch; None: there was none.
    """

    id: str
    file: str
    sha256: str
    repo: str | None = None
    base: str | None = None
    patch: str | None = None


class Manifest(Struct, frozen=True):
    """What a benchmark was built from: equal manifests, equal bytes.

    `version` is that of statetape; `prompt_version`: None where no judge was asked.
    """

    version: str
    tokenizer: str
    labels: Labels
    label_version: str
    prompt_version: str | None
    seed: int
    sessions: tuple[Source, ...]
    judge: str | None = None
    """The judge's model; None where there was none."""
    engine: str = ""
    """What said what names refer to, and the Python that it ran in, with their versions."""
