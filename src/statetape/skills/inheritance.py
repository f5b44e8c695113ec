"""Skills of classes: what one derives from, what derives from it, and of its methods the same."""

from collections.abc import Callable, Iterable

from msgspec import Struct

from statetape.code import languages
from statetape.code.graph import Graph
from statetape.code.lookup import RecordingLookup
from statetape.context.repository import Code
from statetape.context.situation import Situation
from statetape.skills.naming import spelled, symbol_asked
from statetape.skills.skill import Arguments, Most, Rows, SymbolName, code_of, first, lookup_of
from statetape.types import SymbolId

_CLASSES = frozenset({"class", "interface", "struct", "enum", "trait", "module", "type"})
_FOLLOWED = 200  # classes on the way up or down; most of a repository derives from some


class Related(Arguments, frozen=True):
    """A class or a method."""

    symbol: SymbolName
    most: Most = 40


class Relative(Struct, frozen=True):
    """A class, or a method of it, `hops` steps of inheritance away; `through` is the class below.

    Of `overrides`, the class that it derives from; of `bases`, the class that derives from it.
    """

    symbol: str
    hops: int
    through: str


def bases(situation: Situation, asked: Related) -> Rows[Relative]:
    """The classes that a class derives from, or the methods of theirs that a method overrides.

    The nearest first, each as the resolution of its language verifies it; none outside of the
    repository. A look-up of names for each base.
    """
    found = inherited(symbol_asked(situation, asked.symbol), code_of(situation))
    return _rows(found, asked.most)


def overrides(situation: Situation, asked: Related) -> Rows[Relative]:
    """The classes that derive from a class, or the methods of theirs that override a method.

    The nearest first, each verified. Where types implement an interface without a word (Go), the
    methods that do. Costs a look-up of names for each class that states a base of such a name; the
    first question of all reads every file.
    """
    found = overriding(symbol_asked(situation, asked.symbol), code_of(situation))
    return _rows(found, asked.most)


_Found = dict[SymbolId, tuple[int, SymbolId]]


def inherited(symbol: SymbolId, code: Code) -> _Found:
    """What `bases` tells of a symbol: hops and the class below, by the relative, nearest first."""
    return _relatives(symbol, code, _above)


def overriding(symbol: SymbolId, code: Code) -> _Found:
    """What `overrides` tells of a symbol, as `inherited` has it."""
    return _relatives(symbol, code, _below)


def _rows(found: _Found, most: int) -> Rows[Relative]:
    rows = [Relative(spelled(s), hops, spelled(by)) for s, (hops, by) in found.items()]
    return first(rows, most)


def _relatives(
    symbol: SymbolId, code: Code, walk: Callable[[SymbolId, Graph, RecordingLookup], _Found]
) -> _Found:
    lookup = lookup_of(code)
    holder, name = _class_of(symbol, code.graph)
    found = walk(holder, code.graph, lookup)
    if name:
        members = {each: SymbolId(each.path, f"{each.name}.{name}") for each in found}
        found = {
            member: found[each]
            for each, member in members.items()
            if code.graph.definition(member) is not None
        }
        if walk is _below:
            for method in languages.implementations(symbol, lookup):
                found.setdefault(method, (1, holder))
    return found


def _class_of(symbol: SymbolId, graph: Graph) -> tuple[SymbolId, str]:
    """The class, and the name of the method in it, empty for the class itself."""
    outer, _, name = symbol.name.rpartition(".")
    definition = graph.definition(symbol)
    if outer and (definition is None or definition.kind not in _CLASSES):
        return SymbolId(symbol.path, outer), name
    return symbol, ""


def _above(start: SymbolId, _: Graph, lookup: RecordingLookup) -> _Found:
    return _walked(start, lambda each: languages.bases(each, lookup))


def _below(start: SymbolId, graph: Graph, lookup: RecordingLookup) -> _Found:
    def heirs(of: SymbolId) -> Iterable[SymbolId]:
        # What JavaScript exports as default may go by that name.
        names = (of.name.rpartition(".")[2], "default") if of.name else ()
        stated = dict.fromkeys(each for name in names for each in graph.heirs(name))
        return (each for each in stated if of in languages.bases(each, lookup))

    return _walked(start, heirs)


def _walked(start: SymbolId, step: Callable[[SymbolId], Iterable[SymbolId]]) -> _Found:
    """Whom steps lead to, with how many, and from whom: the nearest first, `start` left out."""
    found: _Found = {start: (0, start)}
    queue = [start]
    for each in queue:
        for near in step(each):
            if near not in found and len(found) <= _FOLLOWED:
                found[near] = (found[each][0] + 1, each)
                queue.append(near)
    del found[start]
    return found
