"""G1, the edit site, and G2, the definitions that its lines call, import or build on."""

from collections.abc import Iterator, Sequence

from statetape.bench.bounds import is_source
from statetape.bench.definitions import Definition, definitions, is_python, parsed
from statetape.bench.mentions import Mention, built_on, words
from statetape.bench.moment import Moment, Wanted, region
from statetape.types import Tick

_MOST = 120
"""Names of one burst that are looked up in one state."""


def sites(moment: Moment) -> Iterator[Wanted]:
    """G1: the definitions around the imminent hunks, or the lines around those in none."""
    for path, definition, lines in moment.sites:
        name = definition.name if definition is not None else ""
        if moment.stays(path):
            yield Wanted(path, lines, name, "G1", "edited")


def referenced(moment: Moment) -> Iterator[Wanted]:
    """G2: what the old and the new lines of the imminent hunks refer to."""
    paths = [path for path in dict.fromkeys(h.path for h in moment.hunks) if moment.stays(path)]
    yield from _of_python(moment, [path for path in paths if is_python(path)])
    for path in paths:
        if not is_python(path):
            yield from _of_other(moment, path)


def state_at(moment: Moment, tick: Tick) -> None:
    """Bring the references' files to the state of a tick."""
    chronicle = moment.story.chronicle
    moment.story.references.state({
        path: chronicle.at(path, tick).text if chronicle.exists(path, tick) else None
        for path in chronicle.writes
        if is_python(path)
    })  # fmt: skip


def _of_python(moment: Moment, paths: Sequence[str]) -> Iterator[Wanted]:
    if not paths:
        return
    references = moment.story.references
    for tick in (moment.tick, moment.end):
        state_at(moment, tick)
        asked = [(path, mention) for path in paths for mention in _mentions(moment, path, tick)]
        for path, mention in asked[:_MOST]:
            for target in references.targets(path, mention.line, mention.column):
                found = moment.definition(target.path, target.name)
                if found is not None and is_source(target.path):
                    yield region(target.path, found, "G2", f"{mention.name} in {path}")


def _mentions(moment: Moment, path: str, tick: Tick) -> Sequence[Mention]:
    """What the hunks' lines mention in a state before or after the burst, each name once."""
    hunks = [hunk for hunk in moment.hunks if hunk.path == path]
    if not moment.story.chronicle.exists(path, tick):
        return ()
    if tick == moment.tick:
        state = moment.state(path)
        lines = {line for hunk in hunks for line in hunk.places(state)}
    else:
        state = moment.after(path)
        lines = {line for hunk in hunks for line in moment.new_lines(hunk)}
    tree = parsed(state.text)
    found = built_on(tree, state.text, lines) if tree is not None else ()
    return tuple({mention.name: mention for mention in reversed(found)}.values())[::-1]


def _of_other(moment: Moment, path: str) -> Iterator[Wanted]:
    """By the names alone, among the definitions that the agent has read or goes to read."""
    texts = moment.story.chronicle.texts
    hunks = [hunk for hunk in moment.hunks if hunk.path == path]
    said = "\n".join(texts[line] for hunk in hunks for line in (*hunk.old, *hunk.new))
    for name in words(said)[:_MOST]:
        for where, found in read(moment, path, name):
            yield region(where, found, "G2", f"{name} in {path}")


def read(moment: Moment, path: str, name: str) -> Sequence[tuple[str, Definition]]:
    """The definition that a name in a file means among those that the agent reads; or none.

    The nearest: of the file itself, of its folder, else the only one there is.
    """
    ending = path.rpartition(".")[2]
    found = [
        (where, each)
        for where, lines in sorted(moment.reads.items())
        if is_source(where) and _alike(ending, where.rpartition(".")[2]) and moment.exists(where)
        for each in definitions(where, moment.state(where).text)
        if each.own == name and not lines.isdisjoint(_numbers(moment, where, each))
    ]
    folder = path.rpartition("/")[0]
    for nearest in (
        [each for each in found if each[0] == path],
        [each for each in found if each[0].rpartition("/")[0] == folder],
        found,
    ):
        if nearest:
            return nearest if len(nearest) == 1 else ()
    return ()


def _numbers(moment: Moment, path: str, found: Definition) -> Sequence[int]:
    return moment.state(path).numbers[found.first - 1 : found.last]


def _alike(one: str, other: str) -> bool:
    scripts = {"js", "jsx", "mjs", "cjs", "ts", "tsx", "mts", "cts", "vue", "svelte"}
    return one == other or {one, other} <= scripts
