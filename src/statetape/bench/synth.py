"""Commits written as session files of a scripted agent, with the exact truth beside each."""

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from pathlib import Path
from random import Random

from msgspec import json

from statetape.bench.synth_commits import Commit, commits, hits, plain_text
from statetape.bench.synth_hand import Done, Hand
from statetape.bench.synth_log import Log
from statetape.bench.synth_script import Script
from statetape.bench.synth_truth import Known, Spell, Truth
from statetape.bench.truth import Claim, Ground, Verdict
from statetape.errors import BadInput
from statetape.files import GitCommit

MOST_CHANGES = 120
"""Files and hunks: a commit of more of them is more than a session of an agent, and passed over."""

TRUTH = ".truth.json"
BASES = "bases.json"
# Clients, and whether after an edit they show the lines around it (or only say that it is done),
# and whether their log has the text before it.
_CLIENTS = (("2.0.67", True, True), ("2.1.41", False, True), ("2.1.179", False, False))


def written(
    repo: Path, span: str, out: Path, *, seed: int, most: int | None = None, each: int = 1
) -> Iterator[Truth]:
    """The truth of each session, as soon as its files are there: one for `each` commits in a row.

    `out`/NAME.jsonl is the session and `out`/NAME.truth.json the truth, NAME being its last
    commit; `out`/bases.json says of which commit the files at the start are. The same commits and
    seed give the same bytes. BadInput where the repository or the range is none, or `out` cannot
    be written.
    """
    try:
        out.mkdir(parents=True, exist_ok=True)
        bases: dict[str, dict[str, str]] = {}
        for run in _runs(commits(repo, span, most), each):
            log, truth = session(repo, run, seed)
            (out / f"{truth.session}.jsonl").write_text(log, "utf-8", newline="")
            (out / (truth.session + TRUTH)).write_bytes(json.encode(truth) + b"\n")
            bases[truth.session] = {"repo": str(repo), "base": truth.base}
            yield truth
        (out / BASES).write_bytes(json.format(json.encode(bases, order="sorted")) + b"\n")
    except OSError as error:
        raise BadInput(f"{out}: {error.strerror or error}") from None


def _runs(found: Iterable[Commit], each: int) -> Iterator[Sequence[Commit]]:
    """The commits in runs; one that cannot be made in full ends its run, and so does a big one."""
    run: list[Commit] = []
    for commit in found:
        big = sum(1 + len(change.hunks) for change in commit.changes) > MOST_CHANGES
        run += [commit] if commit.changes and not big else []
        if run and (big or commit.left_out or len(run) == each):
            yield run
            run = []
    if run:
        yield run


def session(repo: Path, run: Sequence[Commit], seed: int) -> tuple[str, Truth]:
    """The log of the session that makes these commits, one after another, and its truth."""
    base, name = run[0].parent, run[-1].id[:12]
    chance = Random(f"{seed}:{run[-1].id}")  # noqa: S311 (a seeded choice)
    version, snippets, originals = chance.choice(_CLIENTS)
    with GitCommit(repo, base) as start:
        ground = Ground(lru_cache(maxsize=None)(lambda path: plain_text(start.read(path))))
        hand = Hand(ground, snippets=snippets, originals=originals)
        found = lru_cache(maxsize=None)(lambda word: hits(repo, base, word))
        script = Script(ground, hand, found, start.paths(), chance)
        log, watched = Log(name, version), _Watched(ground)
        watched.look()
        for turn in script.turns(run):
            if not turn.user:
                watched.leaves(log.requests + 1)
            for slot, step, call in log.turn(turn):
                watched.hold(slot, step, call)
            watched.look()
        watched.leaves(log.requests + 1)
    commits_made = tuple(commit.id for commit in run)
    left_out = sum(commit.left_out for commit in run)
    requests = log.requests + 1
    truth = Truth(name, base, commits_made, requests, log.steps, left_out, watched.known())
    return str(log), truth


class _Watched:
    """The records of a session and what was true of each when each request left."""

    def __init__(self, ground: Ground) -> None:
        self._ground = ground
        self._claims: list[tuple[Known, Sequence[Claim]]] = []
        self._spells: list[list[Spell]] = []
        self._now: list[Verdict] = []
        self._seen = -1

    def hold(self, slot: str, step: int, call: Done) -> None:
        """The records of a call that claim anything."""
        if call.held:
            self._add(Known(slot, "input", call.kind, step, call.path, ()), call.held)
        if call.shown:
            self._add(Known(slot, "result", call.kind, step, call.path, ()), call.shown)

    def _add(self, known: Known, claims: Sequence[Claim]) -> None:
        self._claims.append((known, claims))
        self._spells.append([])
        self._now.append("fresh")

    def look(self) -> None:
        """Take note of what is true now; the next turn is yet to be done."""
        if self._seen != self._ground.now:
            self._seen = self._ground.now
            self._now = [self._ground.verdict(claims) for _, claims in self._claims]

    def leaves(self, request: int) -> None:
        """A request leaves with what was true at the last look."""
        for spells, verdict in zip(self._spells, self._now, strict=True):
            if not spells or spells[-1].verdict != verdict:
                spells.append(Spell(request, verdict))

    def known(self) -> tuple[Known, ...]:
        return tuple(
            Known(known.id, known.side, known.kind, known.step, known.path, tuple(spells))
            for (known, _), spells in zip(self._claims, self._spells, strict=True)
        )
