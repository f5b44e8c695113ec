"""Symbols as a user names them."""

from collections.abc import Iterator

from statetape.code.graph import Graph
from statetape.errors import BadInput
from statetape.skills import naming
from statetape.skills.naming import close_to, is_named
from statetape.types import SymbolId


def all_symbols(graph: Graph) -> Iterator[SymbolId]:
    """Every symbol by path, residues included. The first question reads every file."""
    return graph.symbols()


def symbol_named(graph: Graph, name: str) -> SymbolId:
    """The symbol that `name` spells: `path::Class.method`, or an end of it, as `method`.

    As `statetape.skills.naming` has it, but that a full spelling may be of any file there is, and
    reads no other. BadInput where none or several fit.
    """
    path, separator, within = name.removeprefix("./").partition("::")
    if separator and graph.definition(SymbolId(path, within)):
        return SymbolId(path, within)
    return naming.symbol_named(graph, name, graph.symbols)


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
        raise BadInput(f"no symbol, file or folder {name!r}{close_to(name, known)}")
    return found
