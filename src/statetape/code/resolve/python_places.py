"""Where the definitions of Python stand: their scopes, and what is around them."""

from collections.abc import Mapping
from typing import NamedTuple

from statetape.code.extract.python import Text
from statetape.code.facts import Lookup
from statetape.code.resolve.python_reader import scope
from statetape.code.resolve.python_scopes import Binding, Position, Scope
from statetape.types import SymbolId


class Frame(NamedTuple):
    """Where an expression stands: a place of a symbol, a position in it, names bound inside.

    `at` None: seen from elsewhere, after the scope has run.
    """

    symbol: SymbolId
    owners: tuple[str, ...]
    scope: Scope
    at: Position | None = None
    inner: Mapping[str, Binding] = {}


class Places:
    """The places of symbols in one state of the repository, seen through `lookup`."""

    def __init__(self, lookup: Lookup) -> None:
        self._lookup = lookup
        self._frames: dict[SymbolId, tuple[Frame, ...]] = {}

    def frames(self, symbol: SymbolId) -> tuple[Frame, ...]:
        """The places of a symbol, none where it is not defined in Python."""
        if symbol not in self._frames:
            text = self.text(symbol.path)
            blocks = text.blocks.get(symbol.name, ()) if text else ()
            self._frames[symbol] = tuple(
                Frame(symbol, block.owners, scope(text.own(block), module=not symbol.name))
                for block in blocks
                if text
            )
        return self._frames[symbol]

    def around(self, frame: Frame) -> tuple[Frame, ...]:
        """The places whose names a definition's header sees first: those of its container."""
        if len(frame.owners) < 2:
            return ()
        return self.frames(SymbolId(frame.symbol.path, frame.owners[1]))

    def class_of(self, frame: Frame) -> SymbolId | None:
        """The class whose method a frame is, None where it is none."""
        if len(frame.owners) < 2 or not frame.owners[1]:
            return None
        symbol = SymbolId(frame.symbol.path, frame.owners[1])
        return symbol if self.kind(symbol) == "class" else None

    def class_around(self, frame: Frame) -> SymbolId | None:
        """The innermost class around a frame."""
        for name in frame.owners[1:-1]:
            symbol = SymbolId(frame.symbol.path, name)
            if self.kind(symbol) == "class":
                return symbol
        return None

    def kind(self, symbol: SymbolId) -> str | None:
        """Whether a symbol is a class, a method or a function; None where it is not defined."""
        text = self.text(symbol.path)
        blocks = text.blocks.get(symbol.name) if text else None
        return blocks[0].kind if blocks else None

    def text(self, path: str) -> Text | None:
        """The text of a Python file, None where there is none."""
        facts = self._lookup.facts(path)
        return facts.detail if facts is not None and isinstance(facts.detail, Text) else None

    def methods(self, symbol: SymbolId) -> list[SymbolId]:
        """The methods that a class itself defines."""
        text = self.text(symbol.path)
        blocks = text.blocks.get(symbol.name, ()) if text else ()
        names = dict.fromkeys(c.name for b in blocks for c in b.children if c.kind == "method")
        return [SymbolId(symbol.path, name) for name in names]
