"""One session labelled: walked through once, then every point looked at with what came after it."""

from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from typing import NamedTuple, Protocol

from statetape.bench.chronicle import Chronicle
from statetape.bench.definitions import is_python
from statetape.bench.held import Context, Holding, Inventory, Needs
from statetape.bench.hunks import hunks
from statetape.bench.labels import Gold, Held, Labelled, Point
from statetape.bench.moment import Moment, Story, Wanted
from statetape.bench.needed import bounded, wanted
from statetape.bench.patch import patch_hunks
from statetape.bench.points import Cut, cuts, taken
from statetape.bench.references import References
from statetape.bench.uses import Uses
from statetape.replay.history import History
from statetape.replay.prepared import Prepared
from statetape.replay.walk import Asked, Walk, Wrote
from statetape.tokens import tokens
from statetape.types import Files, Tick


class Scene(NamedTuple):
    """A decision point with its context; `moment` None: no edit follows.

    `titles` are the steps so far in words, each with its number.
    """

    cut: Cut
    step: int
    tick: Tick
    context: tuple[Holding, ...]
    moment: Moment | None
    titles: tuple[tuple[int, str], ...] = ()


class Judge(Protocol):
    """Who says what is needed, and what the held records are, in place of the rules."""

    def wanted(self, moment: Moment) -> Iterable[Wanted]:
        """The regions that a burst needs, before the bounds."""

    def verdicts(
        self, scene: Scene, held: Sequence[Held], superseded: Sequence[bool], gold: Sequence[Gold]
    ) -> Sequence[Held]:
        """The held records with his verdicts; they come with those of the rules.

        `superseded`: of which of them a later record shows the same.
        """


class Session(NamedTuple):
    """A session walked to its end; `skipped` are the bursts that are no points."""

    agent: str
    story: Story
    inventory: Inventory
    scenes: tuple[Scene, ...]
    skipped: int


def labelled(
    session: Session, name: str, problems: Iterable[str] = (), judge: Judge | None = None
) -> Labelled:
    """The labels of all decision points of a session, by the rules, or by a judge.

    A judge labels the points before bursts; he has no say at others. What is wrong with his
    answers is raised as he does.
    """
    count = lru_cache(maxsize=65_536)(tokens)
    known: dict[object, tuple[Wanted, ...]] = {}
    points = tuple(
        _point(at, scene, session, known, count, judge) for at, scene in enumerate(session.scenes)
    )
    return Labelled(name, session.agent, points, session.skipped, tuple(problems))


def walked(
    ready: Prepared, seen: History, references: References, *, patch: str | None = None
) -> Session:
    """The session with its points: where they are, and what the context is there.

    Every file of Python of the repository is read. BadInput for a patch that does not fit.
    """
    walk = Walk(ready, seen)
    chronicle = Chronicle(walk.workspace)
    uses, context = Uses(chronicle), Context(chronicle)
    asked: dict[int, tuple[int, Tick, tuple[Holding, ...]]] = {}
    agents: dict[Tick, int] = {}
    found = cuts(taken(ready))
    requests = {cut.request for cut in found}
    for happening in walk:
        uses.follow(happening)
        context.follow(happening)
        if isinstance(happening, Wrote) and happening.hand == "agent" and not happening.doubted:
            agents[happening.entry.tick] = happening.step
        if isinstance(happening, Asked) and walk.request in requests:
            asked[walk.request] = walk.step, walk.workspace.now, context.now()
    end = walk.step, walk.workspace.now, context.now()
    made = hunks(chronicle, agents)
    outstanding = patch_hunks(patch, chronicle) if patch is not None else made
    references.state(_modules(seen.files))
    story = Story(chronicle, uses, made, outstanding, references, patch is not None)
    scenes = []
    skipped = 0
    for cut in found:
        step, tick, holdings = asked.get(cut.request, end)
        moment = Moment(story, cut.burst, tick) if cut.burst is not None else None
        if cut.shell and moment is not None and not _touches(moment):
            skipped += cut.reading != "strict"
            continue
        titles = tuple((at, walk.titles[at]) for at in sorted(walk.titles) if at <= step)
        scenes.append(Scene(cut, step, tick, holdings, moment, titles))
    return Session(ready.recording.agent, story, Inventory(chronicle, uses), tuple(scenes), skipped)


def _point(
    index: int,
    scene: Scene,
    session: Session,
    known: dict[object, tuple[Wanted, ...]],
    count: Callable[[str], int],
    judge: Judge | None,
) -> Point:
    cut, moment = scene.cut, scene.moment
    by = judge if cut.family == "P" else None
    gold: tuple[Gold, ...] = ()
    quoted: frozenset[int] = frozenset()
    if moment is not None:
        key = moment.burst, moment.tick
        if by is not None:
            named = tuple(by.wanted(moment))
        else:
            named = known[key] if key in known else known.setdefault(key, wanted(moment))
        fresh = session.inventory.fresh(scene.context, scene.tick)
        gold = bounded(named, moment, fresh, count)
        quoted = _quoted(session.story.uses, moment)
    lines: dict[str, set[int]] = {}
    for each in gold:
        lines.setdefault(each.path, set()).update(range(each.lines.first, each.lines.last + 1))
    needs = Needs({path: frozenset(every) for path, every in lines.items()}, quoted)
    held: Sequence[Held] = session.inventory.held(scene.context, scene.step, scene.tick, needs)
    if by is not None and moment is not None:
        flags = [
            session.inventory.is_superseded(each, scene.context[at + 1 :])
            for at, each in enumerate(scene.context)
        ]
        held = by.verdicts(scene, held, flags, gold)
    missing = sum(each.missing for each in gold)
    return Point(index, cut.family, cut.reading, cut.request, scene.step, scene.tick, cut.edits,
                 cut.burst, tuple(held), gold, missing)  # fmt: skip


def _quoted(uses: Uses, moment: Moment) -> frozenset[int]:
    """The lines that the burst's edits quote."""
    burst = moment.burst
    found = (
        use.lines
        for use in uses.all
        if use.how == "quote" and burst.first <= use.step <= burst.last
    )
    return frozenset().union(*found)


def _touches(moment: Moment) -> bool:
    """Whether a burst changes or makes a definition of a source file."""
    return bool(moment.edited or moment.made)


def _modules(files: Files) -> dict[str, str | None]:
    """The files of Python at the start."""
    found: dict[str, str | None] = {}
    for path in sorted(files.paths()):
        if is_python(path) and (data := files.read(path)) is not None:
            found[path] = data.decode("utf-8", "replace")
    return found
