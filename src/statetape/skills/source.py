"""Skills of the files as they are now: the text of a symbol or of lines, and who imports a file."""

from typing import Annotated

from msgspec import Meta, Struct

from statetape.code import languages
from statetape.context.repository import Code
from statetape.context.situation import Situation
from statetape.context.titles import shortened
from statetape.errors import BadInput
from statetape.skills.naming import path_asked, symbol_asked
from statetape.skills.skill import (
    Arguments,
    Most,
    PathName,
    Rows,
    SymbolName,
    code_of,
    first,
    lookup_of,
)
from statetape.text import lines_of, speakable
from statetape.types import Lines

_SAID = 120  # characters of one statement

Line = Annotated[int, Meta(ge=1, description="A line, counted from 1.")]


class ForSource(Arguments, frozen=True):
    """A symbol; or a file and, if not all of it, lines."""

    symbol: SymbolName | None = None
    path: PathName | None = None
    first: Line | None = None
    last: Line | None = None
    most: Annotated[int, Meta(ge=1, le=5000, description="The most lines.")] = 400


class ForImporters(Arguments, frozen=True):
    """Of what."""

    path: PathName
    most: Most = 40


class Passage(Struct, frozen=True):
    """Whole lines of a file as they are now, 1-based and inclusive."""

    path: str
    first: int
    last: int
    text: str


class Importer(Struct, frozen=True):
    """A file, and the first statement, or what it names, by which it imports the one asked for."""

    path: str
    states: str


def source(situation: Situation, asked: ForSource) -> Rows[Passage]:
    """The text of a symbol, of lines, or of a file, now: a row for each place of a symbol.

    The lines beyond `most` are counted as left out. Costs a look at the file.
    """
    code = code_of(situation)
    if (asked.symbol is None) == (asked.path is None):
        raise BadInput("source: either symbol or path, and one of them")
    if asked.symbol is not None:
        if asked.first is not None or asked.last is not None:
            raise BadInput("source: lines are of a path, not of a symbol")
        symbol = symbol_asked(situation, asked.symbol)
        definition = code.graph.definition(symbol)
        return _passages(symbol.path, definition.lines if definition else (), code, asked.most)
    path = path_asked(situation, asked.path or "")
    last = asked.last or _length(path, code)
    return _passages(path, (Lines(asked.first or 1, last),), code, asked.most)


def importers(situation: Situation, asked: ForImporters) -> Rows[Importer]:
    """The files that state an import of a file, verified as the resolution of their language does.

    Files of one package that see each other without a word are none: ask for callers. Looks into
    the files that mention the module's name; the first question of all reads every file.
    """
    code = code_of(situation)
    path = path_asked(situation, asked.path)
    lookup = lookup_of(code)
    words = languages.importing(path, lookup)
    mentioning = {each for word in words for each in code.graph.mentioning(word)}
    found = []
    for each in sorted(mentioning - {path}):
        stated = languages.imports(each, path, lookup)
        if stated:
            found.append(Importer(speakable(each), speakable(shortened(stated[0], _SAID))))
    return first(found, asked.most)


def _passages(path: str, places: tuple[Lines, ...], code: Code, most: int) -> Rows[Passage]:
    text = code.text(path)
    if text is None:
        raise BadInput(f"source: nobody knows what {shortened(speakable(path), _SAID)} holds now")
    lines, length = lines_of(text), _length(path, code)
    rows = []
    left, left_out = most, 0
    for place in places:
        if place.first > place.last or place.first > length:
            raise BadInput(f"source: no lines {place.first} to {place.last} of {length}")
        shown = lines[place.first - 1 : min(place.last, length)]
        kept, left_out = shown[:left], left_out + max(0, len(shown) - left)
        left -= len(kept)
        if kept:
            end = place.first + len(kept) - 1
            rows.append(Passage(speakable(path), place.first, end, speakable("\n".join(kept))))
    return Rows(tuple(rows), left_out)


def _length(path: str, code: Code) -> int:
    text = code.text(path) or ""
    return text.count("\n") + (not text.endswith("\n"))
