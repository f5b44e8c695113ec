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
                        yield from self._of_module(each, attr, _RELAYS)
                    elif not isinstance(each, Parent):
                        holder = self._meaning.members.holder(each, attr)
                        symbol = holder and holder._replace(name=f"{holder.name}.{attr}")
                        if symbol and self._places.is_variable(symbol):
                            yield symbol

    def _named(self, name: str, frame: Frame) -> Iterator[SymbolId]:
        if name in frame.inner:
            return
        path = frame.symbol.path
        scopes: list[tuple[Frame, ...]] = []
        if not self._places.is_above(frame, name):
            scopes.append((frame,))
        scopes += [
            self._places.frames(SymbolId(path, container))
            for container in frame.owners[1:]
            if not container or self._places.kind(SymbolId(path, container)) != "class"
        ]
        for places in scopes:
            found = [(place, b) for place in places for b in self._chosen(name, place)]
            if found:
                for place, binding in found:
                    yield from self._bound(name, binding, place, _RELAYS)
                return

    def _chosen(self, name: str, place: Frame) -> list[Binding]:
        return self._meaning.names.chosen(name, place)

    def _bound(self, name: str, binding: Binding, place: Frame, relays: int) -> Iterator[SymbolId]:
        if binding.sole:
            container = place.symbol
            yield container._replace(name=f"{container.name}.{name}".lstrip("."))
        elif binding.kind == "import" and binding.name is not None and relays:
            module = self._meaning.imported(binding, place)
            if module is not None:
                origin = name if binding.name == "*" else binding.name
                yield from self._of_module(module, origin, relays - 1)

    def _of_module(self, module: Module, name: str, relays: int) -> Iterator[SymbolId]:
        for place in self._places.frames(SymbolId(str(module), "")):
            for binding in self._chosen(name, place):
                yield from self._bound(name, binding, place, relays)
