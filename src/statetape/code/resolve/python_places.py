"""Where the definitions of Python stand: their scopes, and what is around them.

Whatever is read of a scope other than the owner's uses is asked for here, so that the dependency
is on that part alone. The parts are those of `python_visible`.
"""

from collections.abc import Mapping
from typing import NamedTuple

from statetape.code.extract.python import Text
from statetape.code.facts import Lookup
from statetape.code.resolve.python_reader import scope
from statetape.code.resolve.python_scopes import Binding, Position, Scope
from statetape.code.resolve.python_visible import (
    ATTRIBUTE,
    BOUND,
    EXPORTS,
    HEADER,
    METHODS,
    OWN,
    RETURNED,
    methods,
)
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

    def own(self, symbol: SymbolId) -> tuple[Frame, ...]:
        """The places of a symbol with all that its own text says."""
        self._text(symbol, OWN)
        return self.frames(symbol)

    def frames(self, symbol: SymbolId) -> tuple[Frame, ...]:
        """The places of a symbol, none where it is not defined in Python.

        Of the scopes, only `stars` may be read without asking on.
        """
        if symbol not in self._frames:
            text = self._text(symbol)
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
        text = self._text(symbol)
        blocks = text.blocks.get(symbol.name) if text else None
        return blocks[0].kind if blocks else None

    def bindings(self, frame: Frame, name: str) -> tuple[Binding, ...]:
        """What a scope binds a name to."""
        self._text(frame.symbol, BOUND + name)
        return frame.scope.bindings.get(name, ())

    def is_above(self, frame: Frame, name: str) -> bool:
        """Whether a scope declares a name `global` or `nonlocal`."""
        self._text(frame.symbol, BOUND + name)
        return name in frame.scope.above

    def attributes(self, frame: Frame, name: str) -> tuple[Binding, ...]:
        """What a method assigns to an attribute of its first parameter."""
        self._text(frame.symbol, ATTRIBUTE + name)
        return frame.scope.attributes.get(name, ())

    def exports(self, frame: Frame) -> frozenset[str] | None:
        """The names in `__all__`, None where there is none."""
        self._text(frame.symbol, EXPORTS)
        return frame.scope.exports

    def header(self, frame: Frame) -> Scope:
        """A scope to read its bases, decorators and parameters."""
        self._text(frame.symbol, HEADER)
        return frame.scope

    def returned(self, frame: Frame) -> Scope:
        """A scope to read what a call returns and yields."""
        self._text(frame.symbol, RETURNED)
        return frame.scope

    def _text(self, symbol: SymbolId, part: str = "") -> Text | None:
        """The text of a Python file to read one part of a symbol in, None where there is none."""
        facts = self._lookup.facts(symbol.path, symbol.name + part)
        return facts.detail if facts is not None and isinstance(facts.detail, Text) else None

    def methods(self, symbol: SymbolId) -> list[SymbolId]:
        """The methods that a class itself defines."""
        text = self._text(symbol, METHODS)
        blocks = text.blocks.get(symbol.name, ()) if text else ()
        return [SymbolId(symbol.path, name) for name in methods(blocks)]
