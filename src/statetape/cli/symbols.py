"""Symbols as a user names them."""

from collections.abc import Iterable, Iterator, Sequence
from difflib import get_close_matches

from statetape.code.graph import Graph
from statetape.errors import BadInput
from statetape.types import SymbolId

_SHOWN = 5


def all_symbols(graph: Graph) -> Iterator[SymbolId]:
    """Every symbol by path, residues included. The first question reads every file."""
    return graph.symbols()


def symbol_named(graph: Graph, name: str) -> SymbolId:
    """The symbol that `name` spells: `path::Class.method`, or an end of it, as `method`.

    A symbol with exactly this name goes before those that end in it. BadInput where none or
    several fit. A full spelling reads one file, anything else all of them.
    """
    path, separator, within = name.removeprefix("./").partition("::")
    if separator and graph.definition(SymbolId(path, within)):
        return SymbolId(path, within)
    known = list(all_symbols(graph))
    found = [symbol for symbol in known if is_named(symbol, name)]
    exact = [symbol for symbol in found if symbol.name == (within if separator else name)]
    fitting = exact or found
    if len(fitting) == 1:
        return fitting[0]
    if fitting:
        raise BadInput(f"{name!r} fits {len(fitting)} symbols: {_few(fitting)}")
    raise BadInput(f"no symbol {name!r}{_close(name, known)}")


def symbols_named(graph: Graph, name: str) -> list[SymbolId]:
    """The symbols of the file or below the folder `name`, and those it spells or ends.

    The folder may be `.`: all of them. BadInput where there are none. Reads every file.
    """
    known = list(all_symbols(graph))
    below = name.removeprefix("./").rstrip("/")
    found = [
        symbol
        for symbol in known
        if below in {"", "."} or f"{symbol.path}/".startswith(f"{below}/") or is_named(symbol, name)
    ]
    if not found:
        raise BadInput(f"no symbol, file or folder {name!r}{_close(name, known)}")
    return found


def is_named(symbol: SymbolId, name: str) -> bool:
    """Whether `name` is the symbol's spelling or ends it, cut before whole names and folders."""
    path, separator, within = name.removeprefix("./").partition("::")
    if not separator:
        return bool(name) and f".{symbol.name}".endswith(f".{name}")
    named = f".{symbol.name}".endswith(f".{within}") if within else not symbol.name
    return named and f"/{symbol.path}".endswith(f"/{path}")


def _close(name: str, known: Sequence[SymbolId]) -> str:
    near = get_close_matches(name, {symbol.name for symbol in known if symbol.name}, _SHOWN)
    close = [symbol for each in near for symbol in known if symbol.name == each]
    return f"; close to it: {_few(close)}" if close else ""


def _few(symbols: Iterable[SymbolId]) -> str:
    spelled = [str(symbol) for symbol in symbols]
    rest = len(spelled) - _SHOWN
    return ", ".join(spelled[:_SHOWN]) + (f" and {rest} more" if rest > 0 else "")
