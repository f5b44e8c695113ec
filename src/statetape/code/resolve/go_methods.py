"""Which methods a call through a Go interface may reach: those of the types that implement it."""

from collections.abc import Iterable

from statetape.code.extract.go_shape import Function
from statetape.code.resolve.go_members import Members, Typed
from statetape.types import SymbolId

_DEEPEST = 8
"""How many interfaces within an interface, and structs around a type, are followed."""


def implementations(members: Members, interface: Typed, name: str) -> frozenset[SymbolId]:
    """The methods of that name of the types that implement an interface, promoted ones included.

    A type has a method if it has one of that name with as many parameters and results: their
    types are not compared, so a type may be taken for an implementation that is none. Methods
    that an interface has from outside the repository are not asked for. Costs a question to the
    whole repository for each method of the interface.
    """
    wanted = _methods(members, interface)
    if name not in wanted:
        return frozenset()
    stated = {method: _stated(members, method, interface.path) for method in wanted}
    found: set[SymbolId] = set()
    for receiver, methods in stated[name].items():
        if all(receiver in stated[method] for method in wanted):
            fits = all(
                _fits(members, stated[method][receiver], function)
                for method, function in wanted.items()
            )
        else:
            fits = any(
                _implements(members, type_, wanted) and _reaches(members, type_, name, methods)
                for type_ in _around(members, receiver)
            )
        if fits:
            found.update(methods)
    return frozenset(found)


def _methods(members: Members, interface: Typed) -> dict[str, Function]:
    """The methods that an interface asks for, as far as the repository says."""
    found: dict[str, Function] = {}
    level = [interface]
    for _ in range(_DEEPEST):
        inner = []
        for each in level:
            declared = members.declared(each)
            if declared is not None:
                path, type_ = declared
                for name, function in type_.methods.items():
                    found.setdefault(name, function)
                inner += [Typed(path, text) for text in (*type_.embeds, type_.of) if text]
        level = list(dict.fromkeys(inner))
    return found


_Receiver = tuple[str, str]
"""Folder and name of a type."""


def _stated(members: Members, method: str, path: str) -> dict[_Receiver, list[SymbolId]]:
    """The methods of that name that types state, by type; of a private one, beside `path` alone."""
    folder = path.rpartition("/")[0]
    private = not method[:1].isupper()
    found: dict[_Receiver, list[SymbolId]] = {}
    for symbol in members.packages.lookup.named(method):
        receiver, _, _ = symbol.name.rpartition(".")
        place = symbol.path.rpartition("/")[0]
        if receiver and symbol.path.endswith(".go") and (place == folder or not private):
            found.setdefault((place, receiver), []).append(symbol)
    return found


def _fits(members: Members, methods: Iterable[SymbolId], wanted: Function) -> bool:
    """Whether one of these is a method, not an interface's, with so many parameters and results."""
    return any(
        (len(own.parameters), len(own.results)) == (len(wanted.parameters), len(wanted.results))
        for symbol in methods
        if (own := members.packages.shape(symbol.path, symbol.name).functions.get(symbol.name))
    )


def _around(members: Members, receiver: _Receiver) -> list[Typed]:
    """A type, if it embeds others, and the structs around it that do."""
    lookup = members.packages.lookup
    folder, name = receiver
    paths = (path for path in lookup.folder(folder) if path.endswith(".go"))
    own = next((p for p in paths if name in members.packages.shape(p, name).types), None)
    if own is None:
        return []
    found = {SymbolId(own, name): None}
    level = [name]
    for _ in range(_DEEPEST):
        heirs = (heir for each in level for heir in lookup.heirs(each))
        new = [heir for heir in heirs if heir.path.endswith(".go") and heir not in found]
        found.update(dict.fromkeys(new))
        level = list(dict.fromkeys(heir.name for heir in new))
    return [Typed(symbol.path, symbol.name) for symbol in found]


def _implements(members: Members, type_: Typed, wanted: dict[str, Function]) -> bool:
    declared = members.declared(type_)
    if declared is None or declared[1].kind == "interface" or not declared[1].embeds:
        return False
    for name, function in wanted.items():
        member = members.member(type_, name)
        if member is None or (member.takes, len(member.results)) != (
            len(function.parameters),
            len(function.results),
        ):
            return False
    return True


def _reaches(members: Members, type_: Typed, name: str, methods: Iterable[SymbolId]) -> bool:
    member = members.member(type_, name)
    return member is not None and any((symbol, "exact") in member.edges for symbol in methods)
