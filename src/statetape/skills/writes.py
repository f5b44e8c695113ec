"""Skills of what happened: the drift of writes, and the symbols that the last steps touched."""

from collections.abc import Iterable, Iterator
from typing import Annotated, Literal

from msgspec import Meta, Struct

from statetape.context.repository import Code
from statetape.context.situation import Situation
from statetape.errors import BadInput
from statetape.skills.naming import spelled
from statetape.skills.skill import Arguments, Most, Rows, code_of, first
from statetape.tape import Entry
from statetape.text import speakable
from statetape.types import Query, Record, SymbolId, Symbols, Tick

_NAMED = 20  # symbols of one part of a drift

How = Literal["write", "read", "search"]


class ForDrift(Arguments, frozen=True):
    """Of which writes; without either, of the last one."""

    tick: Annotated[int, Meta(ge=1, description="The write of this number.")] | None = None
    since: Annotated[int, Meta(ge=0, description="All writes after this one.")] | None = None
    most: Most = 20


class ForFocus(Arguments, frozen=True):
    """How far back."""

    steps: Annotated[int, Meta(ge=1, le=1000, description="The last steps to look at.")] = 10
    most: Most = 40


class Wrote(Struct, frozen=True):
    """The drift of one write: at most 20 symbols of each part, `more` counts the others.

    `body`: own text changed, or gone; `dispatch`: what it calls or reads is another now.
    """

    tick: Tick
    path: str
    body: tuple[str, ...]
    dispatch: tuple[str, ...]
    created: tuple[str, ...]
    more: int


class Touched(Struct, frozen=True):
    """A symbol that there is now, the last step that touched it, and how that did."""

    symbol: str
    step: int
    how: How


def drift(situation: Situation, asked: ForDrift) -> Rows[Wrote]:
    """The symbols that writes moved, newest write first. A look at the tape."""
    tape = code_of(situation).tape
    if asked.tick is not None and asked.since is not None:
        raise BadInput("drift: either tick or since, not both")
    if tape.now == 0:
        return Rows(())
    tick = tape.now if asked.tick is None else asked.tick
    if max(tick, asked.since or 0) > tape.now:
        raise BadInput(f"drift: no write {max(tick, asked.since or 0)}; there are {tape.now}")
    entries = tape.since(tick - 1)[:1] if asked.since is None else tape.since(asked.since)
    shown = entries[::-1][: asked.most]
    return Rows(tuple(map(_wrote, shown)), len(entries) - len(shown))


def focus(situation: Situation, asked: ForFocus) -> Rows[Touched]:
    """The symbols that the last steps touched, newest first, of one step the written ones first.

    The text outside definitions counts where a step touched nothing else of the file. What a
    policy or the client took away touches nothing any more. Linear in the records of these steps
    and what they show.
    """
    code = code_of(situation)
    records = list(situation.held.values())
    last = max((record.step for record in records), default=0)
    recent = [record for record in records if record.step > last - asked.steps]
    order: tuple[How, ...] = ("write", "read", "search")
    found: dict[SymbolId, tuple[int, How]] = {}
    for record in sorted(recent, key=lambda record: -record.step):
        for symbol, how in _touched(record, code):
            step, known = found.get(symbol, (record.step, "search"))
            if step == record.step:
                found[symbol] = step, min(known, how, key=order.index)
    named = {(symbol.path, step) for symbol, (step, _) in found.items() if symbol.name}
    there = [
        symbol
        for symbol, (step, _) in found.items()
        if (symbol.name or (symbol.path, step) not in named)
        and code.graph.definition(symbol) is not None
    ]
    there.sort(key=lambda symbol: (-found[symbol][0], order.index(found[symbol][1])))
    return first([Touched(spelled(symbol), *found[symbol]) for symbol in there], asked.most)


def _wrote(entry: Entry) -> Wrote:
    parts = [sorted(p) for p in (entry.drift.body, entry.drift.dispatch, entry.drift.created)]
    body, dispatch, created = (_spelled(part[:_NAMED]) for part in parts)
    more = sum(max(0, len(part) - _NAMED) for part in parts)
    return Wrote(entry.tick, speakable(entry.write.path), body, dispatch, created, more)


def _spelled(symbols: Iterable[SymbolId]) -> tuple[str, ...]:
    return tuple(spelled(symbol) for symbol in symbols)


def _touched(record: Record, code: Code) -> Iterator[tuple[SymbolId, How]]:
    """What a record's step wrote, then what the record shows."""
    for path in record.written:
        for symbol in _written(path, record.born, code):
            yield symbol, "write"
    referent = record.referent
    if isinstance(referent, Symbols | Query):
        for symbol, view in referent.views.items():
            own = record.slot.side == "input"
            yield symbol, "write" if own else "search" if view.edges is None else "read"


def _written(path: str, born: Tick, code: Code) -> Iterable[SymbolId]:
    """What the last write of a file moved in it, up to a tick."""
    for entry in reversed(code.tape.since(0)[:born]):
        if entry.write.path == path:
            moved = entry.drift.body | entry.drift.created
            return sorted(symbol for symbol in moved if symbol.path == path)
    return ()
