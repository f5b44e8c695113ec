"""Symbols, files and slots as they are spelled in questions and answers."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from difflib import get_close_matches
from itertools import chain, islice

from statetape.code.graph import Graph
from statetape.context.situation import Situation
from statetape.context.titles import shortened
from statetape.errors import BadInput
from statetape.text import speakable
from statetape.types import Record, Slot, SymbolId

_SHOWN = 5
_WIDTH = 100  # characters of a name that is said again
_NEAR = 2000  # names among which a similar one is sought


def spelled(symbol: SymbolId) -> str:
    """`path::Class.method`; `path::` is the file's text outside every definition."""
    return speakable(str(symbol))


def slot_name(slot: Slot) -> str:
    """`id:side`."""
    return speakable(f"{slot.id}:{slot.side}")


def symbol_asked(situation: Situation, name: str) -> SymbolId:
    """The symbol of the repository that `name` spells, as `symbol_named`. BadInput without one."""
    if situation.code is None:
        raise BadInput("there is no repository to ask")
    graph = situation.code.graph
    path, separator, within = name.removeprefix("./").partition("::")
    if separator and _is_ours(path, situation) and graph.definition(SymbolId(path, within)):
        return SymbolId(path, within)
    return symbol_named(graph, name, lambda: _close_by(situation, path if separator else ""))


def symbol_named(graph: Graph, name: str, near: Callable[[], Iterable[SymbolId]]) -> SymbolId:
    """The symbol that ends in `name`, cut before whole names and folders.

    One with exactly this name goes before those that end in it. BadInput where none or several
    fit; it says what is similar among `near`. The first question of all reads every file, others
    are a look-up.
    """
    _, separator, within = name.removeprefix("./").partition("::")
    if within or not separator:
        last = (within if separator else name).rpartition(".")[2]
        known: Iterable[SymbolId] = graph.named(last) if last else ()
    else:
        known = (SymbolId(path, "") for path in graph.interfaces())
    found = [symbol for symbol in known if is_named(symbol, name)]
    exact = [symbol for symbol in found if symbol.name == (within if separator else name)]
    fitting = exact or found
    if len(fitting) == 1:
        return fitting[0]
    shown = shortened(speakable(name), _WIDTH)
    if fitting:
        raise BadInput(f"{shown!r} fits {len(fitting)} symbols: {_few(sorted(fitting))}")
    raise BadInput(f"no symbol {shown!r}{close_to(name, near())}")


def close_to(name: str, known: Iterable[SymbolId]) -> str:
    """Words that name a few of these symbols that have a similar name, empty where none has.

    Costs a comparison with each, of some 10 microseconds.
    """
    named: dict[str, list[SymbolId]] = {}
    for symbol in dict.fromkeys(known):
        if symbol.name:
            named.setdefault(symbol.name, []).append(symbol)
    wanted = name.partition("::")[2] or name
    similar = [symbol for n in get_close_matches(wanted, named, _SHOWN) for symbol in named[n]]
    return f"; close to it: {_few(similar)}" if similar else ""


def is_named(symbol: SymbolId, name: str) -> bool:
    """Whether `name` is the symbol's spelling or ends it, cut before whole names and folders."""
    path, separator, within = name.removeprefix("./").partition("::")
    if not separator:
        return bool(name) and f".{symbol.name}".endswith(f".{name}")
    named = f".{symbol.name}".endswith(f".{within}") if within else not symbol.name
    return named and f"/{symbol.path}".endswith(f"/{path}")


def path_asked(situation: Situation, name: str) -> str:
    """The path of the one file that `name` is, or ends the path of. BadInput otherwise.

    Nothing outside of the repository is read, unless the agent holds something of it. Costs a look
    at all paths where `name` is none.
    """
    if situation.code is None:
        raise BadInput("there is no repository to ask")
    path = name.removeprefix("./")
    if _is_ours(path, situation):
        return path
    found = sorted(p for p in situation.code.graph.paths() if f"/{p}".endswith(f"/{path}"))
    if len(found) == 1:
        return found[0]
    shown = shortened(speakable(name), _WIDTH)
    if found:
        raise BadInput(f"{shown!r} fits {len(found)} files: {_some(found)}")
    raise BadInput(f"no file {shown!r}")


def record_asked(situation: Situation, name: str) -> Record:
    """The held record in the slot that `name` spells; an id alone will do if it is of one slot."""
    found = [slot for slot in situation.held if name in (slot_name(slot), speakable(slot.id))]
    if len(found) == 1:
        return situation.held[found[0]]
    shown = shortened(speakable(name), _WIDTH)
    if found:
        names = _some([slot_name(slot) for slot in found])
        raise BadInput(f"{shown!r} fits {len(found)} slots: {names}")
    raise BadInput(f"no held slot {shown!r}; `held` lists them")


def _is_ours(path: str, situation: Situation) -> bool:
    """Whether a file is of the repository, or the agent holds something of it."""
    graph = situation.code.graph if situation.code is not None else None
    if graph is None:
        return False
    folder = path.rpartition("/")[0]
    if path in graph.folder(folder):
        return True
    return any(
        path in record.read or path in record.written for record in situation.held.values()
    ) and graph.exists(path)


def _close_by(situation: Situation, path: str) -> Iterator[SymbolId]:
    """The symbols of a file, and those that the agent holds something of."""
    if situation.code is not None and path and _is_ours(path, situation):
        yield from islice(situation.code.graph.symbols(path), _NEAR)
    views = (getattr(record.referent, "views", ()) for record in situation.held.values())
    yield from islice(chain.from_iterable(views), _NEAR)


def _few(symbols: Iterable[SymbolId]) -> str:
    return _some([spelled(symbol) for symbol in symbols])


def _some(names: Sequence[str]) -> str:
    rest = len(names) - _SHOWN
    said = ", ".join(shortened(speakable(each), _WIDTH) for each in names[:_SHOWN])
    return said + (f" and {rest} more" if rest > 0 else "")
