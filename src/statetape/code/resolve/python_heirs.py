"""The overrides of Python methods in classes that derive from one. Rule 11."""

from collections.abc import Iterator

from statetape.code.resolve.python_expressions import Expressions
from statetape.code.resolve.python_places import Places
from statetape.code.resolve.python_questions import Questions
from statetape.code.resolve.python_values import Class, Function, Instance, Value, ordered
from statetape.types import SymbolId

_SUFFIXES = (".py", ".pyi")
_MOST = 200


class Heirs:
    """Who overrides what."""

    def __init__(self, questions: Questions, places: Places, meaning: Expressions) -> None:
        self._questions = questions
        self._places = places
        self._meaning = meaning

    def overrides(self, value: Value, name: str, *, missing: bool = False) -> tuple[Function, ...]:
        """The methods of a name in classes derived from an inexact value's.

        Where a name is `missing` in the class itself, also what the derived ones inherit from
        elsewhere or assign (a mixin relies on them). None for a class that most of a repository
        derives from: it would reach everything.
        """
        if not isinstance(value, Class | Instance) or value.exact:
            return ()
        key = ("overrides", value.symbol, name, missing)
        return self._questions.answer(key, (), self._overrides, value.symbol, name, missing)

    def _overrides(self, symbol: SymbolId, name: str, missing: bool) -> tuple[Function, ...]:  # noqa: FBT001
        return tuple(self._sought(symbol, name, missing))

    def _sought(self, symbol: SymbolId, name: str, missing: bool) -> Iterator[Function]:  # noqa: FBT001
        none: tuple[SymbolId, ...] = ()
        for heir in self._questions.answer(("below", symbol), none, self._possible, symbol):
            method = SymbolId(heir.path, f"{heir.name}.{name}")
            own = self._places.kind(method) == "method"
            if (own or missing) and symbol in self._meaning.order(heir):
                if own:
                    yield Function(method, bound=True)
                else:
                    members = self._meaning.attribute(Instance(heir, exact=True), name)
                    yield from (each for each in ordered(members) if isinstance(each, Function))

    def _possible(self, symbol: SymbolId) -> tuple[SymbolId, ...]:
        """The classes that may derive from one: those that state its name, and so on."""
        found: dict[SymbolId, None] = {}
        names = [symbol.name.rpartition(".")[2]]
        for name in names:
            for heir in self._questions.heirs(name):
                if heir.path.endswith(_SUFFIXES) and heir != symbol:
                    found[heir] = None
                    last = heir.name.rpartition(".")[2]
                    if last not in names:
                        names.append(last)
            if len(found) > _MOST:
                return ()
        return tuple(found)
