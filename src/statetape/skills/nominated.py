"""Skills of nominations: which there are and why, and which a drift of a symbol would make."""

from typing import Annotated, Literal

from msgspec import Meta, Struct

from statetape.context.repository import Code
from statetape.context.situation import Situation
from statetape.context.wording import reaching, said, went
from statetape.skills.held import some_spelled, titled, views
from statetape.skills.naming import slot_name, symbol_asked
from statetape.skills.skill import Arguments, Most, Rows, SymbolName, code_of, first
from statetape.text import speakable
from statetape.types import Decision, Nomination, RepositoryState, SymbolId

_REASONS = 5  # of one nomination, in words


class ForNominations(Arguments, frozen=True):
    """How much to say."""

    characters: Annotated[
        int, Meta(ge=0, le=20_000, description="The most characters of each fresh text.")
    ] = 1000
    most: Most = 20


class ForFalsified(Arguments, frozen=True):
    """Of what."""

    symbol: SymbolName
    most: Most = 40


class Nominated(Struct, frozen=True):
    """A nomination: at most 20 symbols each of `body` and `dispatch`, the first reasons in words.

    `fresh` is the text that a refresh would put in place, cut to what was asked; None where there
    is nothing left to show: the default then gives way to a drop or a rerun. `tokens` are those of
    the record as it is.
    """

    slot: str
    title: str
    step: int
    tokens: int
    default: Decision
    reason: str
    body: tuple[str, ...]
    dispatch: tuple[str, ...]
    fresh: str | None


class Falsified(Struct, frozen=True):
    """A record that covers a symbol. `by` says which drift of the symbol nominates it.

    `body`: where the lines that it shows change; `body, dispatch`: or where the symbol calls or
    reads something else; `any write`: it is about the repository as a whole.
    """

    slot: str
    title: str
    step: int
    tokens: int
    by: Literal["body", "body, dispatch", "any write"]


def nominations(situation: Situation, asked: ForNominations) -> Rows[Nominated]:
    """The nominated records in order, with reasons, defaults, and what a refresh would inject.

    Costs what makes each fresh text, once for as long as it is true; none for `characters` 0.
    """
    code = code_of(situation)
    shown = situation.nominations[: asked.most]
    rows = tuple(_nominated(each, situation, code, asked.characters) for each in shown)
    return Rows(rows, len(situation.nominations) - len(rows))


def falsified(situation: Situation, asked: ForFalsified) -> Rows[Falsified]:
    """The held records that a drift of a symbol would nominate, in order.

    Linear in the records. A write may also add matches to a search, which no symbol tells.
    """
    symbol = symbol_asked(situation, asked.symbol)
    found = []
    for record in situation.held.values():
        view = views(record).get(symbol)
        by: Literal["body", "body, dispatch", "any write"]
        if isinstance(record.referent, RepositoryState):
            by = "any write"
        elif view is None:
            continue
        else:
            by = "body" if view.edges is None else "body, dispatch"
        place = slot_name(record.slot), titled(record, situation), record.step, record.tokens
        found.append(Falsified(*place, by))
    return first(found, asked.most)


def _nominated(
    nominated: Nomination, situation: Situation, code: Code, characters: int
) -> Nominated:
    record = nominated.record
    fresh = situation.fresh(nominated) if characters else None
    return Nominated(
        slot_name(record.slot),
        titled(record, situation),
        record.step,
        record.tokens,
        nominated.default,
        speakable("; ".join(_reasons(nominated, situation, code))),
        some_spelled(nominated.body),
        some_spelled(nominated.dispatch),
        None if fresh is None else speakable(fresh.text[:characters]),
    )


def _reasons(nominated: Nomination, situation: Situation, code: Code) -> list[str]:
    if isinstance(nominated.record.referent, RepositoryState):
        return ["files were written since"]
    if not nominated.body and not nominated.dispatch:
        return ["writes added matches since"]
    moved = situation.moved(nominated)
    born = views(nominated.record)
    found = []
    for symbol in sorted(nominated.body)[:_REASONS]:
        gone = code.digest(symbol) is None
        found.append(_said(symbol, went(moved.get(symbol)) if gone else "changed", code))
    for symbol in sorted(nominated.dispatch)[: _REASONS - len(found)]:
        view = code.view(symbol)
        old, new = born[symbol].edges, view.edges if view else None
        words = reaching(old, new) if old is not None and new is not None else ""
        found.append(_said(symbol, words or "calls or reads something else", code))
    rest = len(nominated.body) + len(nominated.dispatch) - len(found)
    return [*found, f"and {rest} more"] if rest else found


def _said(symbol: SymbolId, words: str, code: Code) -> str:
    definition = code.graph.definition(symbol)
    lines = definition.lines[0] if definition and symbol.name else None
    return said(symbol.name, lines, words)
