"""The needed side: the regions of a point by rules G1 to G4, within the bounds."""

from collections.abc import Callable, Iterable

from statetape.bench.bounds import is_boilerplate, is_source, runs
from statetape.bench.labels import Gold
from statetape.bench.moment import Moment, Wanted
from statetape.bench.needed_contract import contracts
from statetape.bench.needed_radius import radius
from statetape.bench.needed_site import referenced, sites
from statetape.types import Lines


def wanted(moment: Moment) -> tuple[Wanted, ...]:
    """What the rules name for a burst, in their order, before the bounds."""
    return (*sites(moment), *referenced(moment), *radius(moment), *contracts(moment))


def bounded(
    found: Iterable[Wanted],
    moment: Moment,
    fresh: frozenset[int],
    tokens: Callable[[str], int],
) -> tuple[Gold, ...]:
    """The regions that are gold: no tests, nothing outside, no boilerplate, each line once.

    `fresh` are the lines (by number) that are held as they are: they are no part of what is
    missing. A region of which others have every line is left out.
    """
    taken: dict[str, set[int]] = {}
    gold = []
    for each in found:
        state = moment.state(each.path)
        last = len(state.numbers) - (not state.lines[-1])
        lines = Lines(max(1, each.lines.first), min(last, each.lines.last))
        if not is_source(each.path) or not moment.exists(each.path) or lines.first > lines.last:
            continue
        if is_boilerplate(each.path, state.lines, lines):
            continue
        had = taken.setdefault(each.path, set())
        own = [line for line in range(lines.first, lines.last + 1) if line not in had]
        if not own:
            continue
        had.update(own)
        cost = {line: tokens(state.lines[line - 1] + "\n") for line in own}
        absent = [line for line in own if state.numbers[line - 1] not in fresh]
        gold.append(
            Gold(
                each.path,
                lines,
                each.symbol,
                each.rule,
                sum(cost.values()),
                sum(cost[line] for line in absent),
                runs(absent),
                each.reason,
            )
        )
    return tuple(gold)
