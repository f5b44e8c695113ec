"""The questions of a resolution in Python: each is answered once, if it can be for everybody.

A finding is pure where it follows from the state of the repository alone: no question below it was
still open (a circle), and nothing was cut off for being too deep. It is then the same for whoever
asks, whatever was asked before. What nesting cuts off is part of the question.
"""

from collections.abc import Callable, Hashable
from typing import TypeVar, TypeVarTuple, cast

from statetape.code.facts import Facts, Lookup
from statetape.code.findings import FOLDER, KEY, THERE, Finding, Ground
from statetape.code.names import defining, inheriting
from statetape.types import SymbolId

_DEPTH = 31
_NESTING = 3
_Value = TypeVar("_Value")
_Args = TypeVarTuple("_Args")


class Questions:
    """A repository that knows for which question something was looked at."""

    def __init__(self, lookup: Lookup) -> None:
        self._lookup = lookup
        self._findings = lookup.findings
        stores = lookup.findings.stores
        self._whole = stores["whole"]
        self._cut = [stores[f"cut at {level}"] for level in range(_NESTING + 1)]
        self._stores = stores
        self._own: list[dict[Hashable, Finding]] = [{} for _ in range(_NESTING + 1)]
        self.asked: set[Ground] = set()
        self._below: set[Finding] = set()
        self._pure = True
        self._is_cut = self._is_ended = False
        self._depth = self._deepest = 0
        self._nesting = self._nested = 0

    def answer(
        self,
        key: Hashable,
        meanwhile: _Value,
        find: Callable[[*_Args], _Value],
        *given: *_Args,
        shared: bool = True,
    ) -> _Value:
        """What `find` gives, asked once for each key; `meanwhile` where the question is open.

        What is not `shared` is found anew in each resolution.
        """
        level = self._nesting
        own = self._own[level]
        found = own.get(key) or own.get((self._depth, key))
        if found is None and shared:
            found = self._shared(key, level)
            if found is not None:
                own[(self._depth, key) if found.ended else key] = found
        if found is None:
            found = own[key] = Finding(key, meanwhile)
            self._find(found, find, given, shared=shared)
        self._note(found)
        return cast(_Value, found.value)

    def _find(
        self,
        made: Finding,
        find: Callable[[*_Args], object],
        given: tuple[*_Args],
        *,
        shared: bool,
    ) -> None:
        outer = self.asked, self._below, self._pure, self._is_cut, self._deepest, self._nested
        was_ended, self._is_ended = self._is_ended, False
        level, depth = self._nesting, self._depth
        self.asked, self._below, self._pure, self._is_cut = set(), set(), True, False
        self._deepest, self._nested = depth, level
        made.value = find(*given)
        made.grounds, made.below = self.asked, self._below
        made.depth, made.nesting = self._deepest - depth, self._nested - level
        made.pure, made.cut, made.ended = self._pure, self._is_cut, self._is_ended
        self._is_ended = was_ended
        if made.pure:
            store = self._cut[level] if made.cut else self._whole
            if made.ended:
                store = self._stores[f"ended at {level} {depth}"]
                own = self._own[level]
                own[depth, made.key] = own.pop(made.key)
            self._findings.keep(made, store if shared else {})
        self.asked, self._below, self._pure, self._is_cut, self._deepest, self._nested = outer

    def _shared(self, key: Hashable, level: int) -> Finding | None:
        found = self._whole.get(key)
        if found is None or found.nesting + level > _NESTING:
            found = self._cut[level].get(key)
        if found is not None and found.depth + self._depth <= _DEPTH:
            return found
        return self._stores[f"ended at {level} {self._depth}"].get(key)

    def _note(self, found: Finding) -> None:
        self._below.add(found)
        self._pure = self._pure and found.pure
        self._is_cut = self._is_cut or found.cut
        self._is_ended = self._is_ended or found.ended
        self._deepest = max(self._deepest, self._depth + found.depth)
        self._nested = max(self._nested, self._nesting + found.nesting)

    def deeper(self) -> bool:
        """Whether there is depth left; then one level of it is used."""
        if self._depth == _DEPTH:
            self._is_ended = True
            return False
        self._depth += 1
        self._deepest = max(self._deepest, self._depth)
        return True

    def back(self) -> None:
        """One level of depth is free again."""
        self._depth -= 1

    def nest(self) -> bool:
        """Whether one may ask for the callers of callers once more; then one level is used."""
        if self._nesting == _NESTING:
            self._is_cut = True
            return False
        self._nesting += 1
        self._nested = max(self._nested, self._nesting)
        return True

    def unnest(self) -> None:
        """One level of nesting is free again."""
        self._nesting -= 1

    def give_up(self) -> None:
        """What is being asked can not be answered in full here."""
        self._pure = False

    def record(self) -> None:
        """Tell the lookup what all that was asked rests on."""
        self._lookup.rest_on(self.asked, self._below)

    def facts(self, path: str, name: str) -> Facts | None:
        """The facts of a file to see one name in, None where there is none."""
        self.asked.add((path, name))
        return self._lookup.facts(path, name)

    def exists(self, path: str) -> bool:
        """Whether there is such a file."""
        self.asked.add((path, THERE))
        return self._lookup.exists(path)

    def folder(self, path: str) -> tuple[str, ...]:
        """The paths of the files directly in a folder, sorted ("" is the root)."""
        self.asked.add((path, FOLDER))
        return self._lookup.folder(path)

    def named(self, name: str) -> tuple[SymbolId, ...]:
        """Every definition whose last name is this, sorted."""
        self.asked.add((defining(name), KEY))
        return self._lookup.named(name)

    def heirs(self, name: str) -> tuple[SymbolId, ...]:
        """Every class that states a base of this last name, sorted."""
        self.asked.add((inheriting(name), KEY))
        return self._lookup.heirs(name)
