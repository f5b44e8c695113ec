"""Where the definitions of Python stand: their scopes, and what is around them.

Whatever is read of a scope other than the owner's uses is asked for here, so that the dependency
is on that part alone. The parts are those of `python_visible`.
"""

from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import NamedTuple

from statetape.code.extract.python import VARIABLES, Text
from statetape.code.resolve.python_mentions import mentions
from statetape.code.resolve.python_questions import Questions
from statetape.code.resolve.python_reader import SCOPES, scope
from statetape.code.resolve.python_scopes import Binding, Filling, Position, Scope, Use
from statetape.code.resolve.python_visible import (
    ATTRIBUTE,
    BOUND,
    EXPORTS,
    HEADER,
    MENTIONED,
    METHODS,
    OWN,
    RETURNED,
    methods,
)
from statetape.code.treesitter import Block
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
    """The places of symbols in one state of the repository, as `questions` see it."""

    def __init__(self, questions: Questions) -> None:
        self._questions = questions
        self._frames: dict[SymbolId, tuple[Frame, ...]] = {}
        self._texts: dict[str, Text | None] = {}

    def own(self, symbol: SymbolId) -> Iterator[tuple[Frame, tuple[Use, ...]]]:
        """The places of a symbol with the uses in its own text.

        Of a variable, the places of what is around it with the uses in its statements.
        """
        text = self._text(symbol, OWN)
        blocks = text.blocks.get(symbol.name, ()) if text else ()
        for frame in self.frames(symbol):
            yield frame, tuple(use for use in frame.scope.uses if not use.holder)
        if any(block.kind in VARIABLES for block in blocks):
            container, _, name = symbol.name.rpartition(".")
            for frame in self.frames(SymbolId(symbol.path, container)):
                yield frame, tuple(use for use in frame.scope.uses if use.holder == name)

    def frames(self, symbol: SymbolId) -> tuple[Frame, ...]:
        """The places of a symbol, none where it is no module, function or class in Python.

        Of the scopes, only `stars` may be read without asking on.
        """
        text = self._text(symbol)
        if symbol not in self._frames:
            self._frames[symbol] = tuple(
                _frame(symbol, text, block) for block in self._blocks(symbol) if text
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
        """Whether a symbol is a class, a method or a function; None where it is none of these."""
        blocks = self._blocks(symbol)
        return blocks[0].kind if blocks else None

    def is_variable(self, symbol: SymbolId) -> bool:
        """Whether a symbol is a name of a module or class that a statement of its own binds."""
        text = self._text(symbol)
        blocks = text.blocks.get(symbol.name, ()) if text else ()
        return any(block.kind in VARIABLES for block in blocks)

    def bindings(self, frame: Frame, name: str) -> tuple[Binding, ...]:
        """What a scope binds a name to."""
        self._text(frame.symbol, BOUND + name)
        return frame.scope.bindings.get(name, ())

    def fillings(self, frame: Frame, name: str) -> tuple[Filling, ...]:
        """What a scope puts into the container under a name. `bindings` was asked before."""
        return frame.scope.fillings.get(name, ())

    def is_above(self, frame: Frame, name: str) -> bool:
        """Whether a scope declares a name `global` or `nonlocal`."""
        self._text(frame.symbol, BOUND + name)
        return name in frame.scope.above

    def attributes(
        self, symbol: SymbolId, name: str
    ) -> Iterator[tuple[Frame, tuple[Binding, ...], tuple[Filling, ...]]]:
        """What the methods of a class assign to and put into an attribute of their first parameter.

        Reads the methods that may do so alone.
        """
        text = self._text(symbol, ATTRIBUTE + name)
        for block in text.assigning(name) if text else ():
            if block.kind == "method" and block.owners[1] == symbol.name:
                method = SymbolId(symbol.path, block.name)
                frame = _frame(method, text, block) if text else None
                if frame is not None:
                    own = frame.scope
                    yield frame, own.attributes.get(name, ()), own.fillings.get(f".{name}", ())

    def mentioning(self, path: str, word: str) -> Iterator[tuple[Frame, Use | Binding]]:
        """Where a file calls, hands over or renames what goes by a word, decorators apart."""
        for frame in self._mentioning(path, word):
            for found in _mentions(frame.scope).get(word, ()):
                yield frame, found

    def decorated(self, path: str, word: str) -> Iterator[Frame]:
        """The definitions of a file that stand under a decorator and have a word in their text."""
        return self._mentioning(path, word, decorated=True)

    def _mentioning(self, path: str, word: str, *, decorated: bool = False) -> Iterator[Frame]:
        text = self._text(SymbolId(path, ""), MENTIONED + word)
        for block in text.handing(word) if text else ():
            if text and (not decorated or text.is_decorated(block)):
                yield _frame(SymbolId(path, block.name), text, block)

    def exports(self, frame: Frame) -> frozenset[str] | None:
        """The names in `__all__`, None where there is none."""
        self._text(frame.symbol, EXPORTS)
        return frame.scope.exports

    def header(self, frame: Frame) -> Scope:
        """A scope to read its bases, decorators and parameters."""
        self._text(frame.symbol, HEADER)
        return frame.scope

    def is_decorated(self, symbol: SymbolId) -> bool:
        """Whether decorators stand on a function or class; costs less than its `header`."""
        text = self._text(symbol, HEADER)
        return text is not None and any(map(text.is_decorated, self._blocks(symbol)))

    def returned(self, frame: Frame) -> Scope:
        """A scope to read what a call returns and yields."""
        self._text(frame.symbol, RETURNED)
        return frame.scope

    def methods(self, symbol: SymbolId) -> list[SymbolId]:
        """The methods that a class itself defines."""
        self._text(symbol, METHODS)
        return [SymbolId(symbol.path, name) for name in methods(self._blocks(symbol))]

    def _blocks(self, symbol: SymbolId) -> list[Block]:
        text = self._text(symbol)
        blocks = text.blocks.get(symbol.name, ()) if text else ()
        return [block for block in blocks if block.kind not in VARIABLES]

    def _text(self, symbol: SymbolId, part: str = "") -> Text | None:
        """The text of a Python file to read one part of a symbol in, None where there is none."""
        path = symbol.path
        self._questions.asked.add((path, symbol.name + part))
        if path not in self._texts:
            facts = self._questions.facts(path, symbol.name + part)
            detail = facts.detail if facts is not None else None
            self._texts[path] = detail if isinstance(detail, Text) else None
        return self._texts[path]


_mentions = lru_cache(SCOPES)(mentions)


def _frame(symbol: SymbolId, text: Text, block: Block) -> Frame:
    return Frame(symbol, block.owners, scope(text.own(block), module=not symbol.name))
