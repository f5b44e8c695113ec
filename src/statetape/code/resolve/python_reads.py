"""Which names of modules and classes an expression in Python reads."""

import ast
from collections.abc import Iterator

from statetape.code.resolve.python_meaning import Meaning
from statetape.code.resolve.python_modules import Module
from statetape.code.resolve.python_places import Frame
from statetape.code.resolve.python_scopes import Binding
from statetape.code.resolve.python_values import Parent, ordered
from statetape.types import SymbolId

_RELAYS = 20


class Reads:
    """The variables that expressions read: those that a statement of their own binds."""

    def __init__(self, meaning: Meaning) -> None:
        self._meaning = meaning
        self._places = meaning.places

    def variables(self, node: ast.expr, frame: Frame) -> Iterator[SymbolId]:
        """The variables that a name or attribute means, wherever they were imported from."""
        match node:
            case ast.Name(id=name):
                yield from self._named(name, frame)
            case ast.Attribute(value=value, attr=attr):
                for each in ordered(self._meaning.of(value, frame)):
                    if isinstance(each, Module):
                        yield from self._relayed(each, attr, _RELAYS)
                    elif not isinstance(each, Parent):
                        holder = self._meaning.members.holder(each, attr)
                        symbol = holder and holder._replace(name=f"{holder.name}.{attr}")
                        if symbol and self._places.is_variable(symbol):
                            yield symbol

    def _named(self, name: str, frame: Frame) -> Iterator[SymbolId]:
        if name in frame.inner:
            return
        if not self._places.is_above(frame, name):
            found = self._meaning.names.chosen(name, frame)
            if found:
                for binding in found:
                    yield from self._bound(name, binding, frame, _RELAYS)
                return
        for container in frame.owners[1:]:
            symbol = SymbolId(frame.symbol.path, container)
            if not container or self._places.kind(symbol) != "class":
                read = self._within(symbol, name, _RELAYS)
                if read is not None:
                    yield from read
                    return

    def _within(self, symbol: SymbolId, name: str, relays: int) -> tuple[SymbolId, ...] | None:
        """The variables that a name of a module or function means, None where it binds none."""
        key = ("read", symbol, name, relays)
        return self._meaning.questions.answer(key, None, self._sought, symbol, name, relays)

    def _sought(self, symbol: SymbolId, name: str, relays: int) -> tuple[SymbolId, ...] | None:
        chosen = self._meaning.names.chosen
        places = self._places.frames(symbol)
        found = [(place, each) for place in places for each in chosen(name, place)]
        bound = (self._bound(name, binding, place, relays) for place, binding in found)
        return tuple(each for one in bound for each in one) if found else None

    def _bound(self, name: str, binding: Binding, place: Frame, relays: int) -> Iterator[SymbolId]:
        if binding.sole:
            container = place.symbol
            yield container._replace(name=f"{container.name}.{name}".lstrip("."))
        elif binding.kind == "import" and binding.name is not None and relays:
            module = self._meaning.imported(binding, place)
            if module is not None:
                origin = name if binding.name == "*" else binding.name
                yield from self._relayed(module, origin, relays - 1)

    def _relayed(self, module: Module, name: str, relays: int) -> tuple[SymbolId, ...]:
        return self._within(SymbolId(str(module), ""), name, relays) or ()
