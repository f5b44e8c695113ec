"""Members of classes: own, from other files where types are open, inherited, overridden."""

from collections.abc import Iterator

from statetape.code.extract.common_shape import CLASSES, FUNCTIONS
from statetape.code.resolve.common_names import Names, Outside, Symbols, container
from statetape.types import SymbolId

_MOST = 300
"""How many heirs of one class are followed."""
_SIGNS = {"^": 0, "+": 1}
_FIXED = frozenset(("private", "fileprivate", "static", "final"))


class Classes:
    """Answers about classes, for the resolution of one symbol in the file `path`."""

    def __init__(self, names: Names, outside: Outside, path: str) -> None:
        self._names = names
        self._outside = outside
        self._path = path
        self._orders: dict[SymbolId, Symbols] = {}
        self._members: dict[tuple[SymbolId, str], Symbols] = {}
        self._heirs: dict[SymbolId, Symbols] = {}
        self._wholes: dict[SymbolId, Symbols] = {}
        names.members = self.member

    def member(self, class_: SymbolId, name: str) -> Symbols:
        """What `x.name` is for an instance of exactly this class; several where several define it.

        The first class in the order of look-up that has it, else an extension in sight.
        """
        key = class_, name
        if key not in self._members:
            self._members[key] = ()
            self._members[key] = self._first(self.order(class_), name)
        return self._members[key]

    def inherited(self, class_: SymbolId, name: str) -> Symbols:
        """What `super.name` is for an instance of this class.

        In what is mixed in, that is what comes behind it in the classes that do so.
        """
        found = self._first(self._behind(class_, class_), name)
        if found or not self._names.dialect.mixes:
            return found
        heirs = self.heirs(class_)
        above = (m for heir in heirs for m in self._first(self._behind(heir, class_), name))
        return tuple(dict.fromkeys(above))

    def _behind(self, class_: SymbolId, one: SymbolId) -> Symbols:
        order = self.order(class_)
        return order[order.index(one) + 1 :] if one in order else ()

    def order(self, class_: SymbolId) -> Symbols:
        """The class and its bases, in the order in which they are asked for a member."""
        if class_ not in self._orders:
            self._orders[class_] = (class_,)  # while it is being found: circles end
            bases = sorted(self._bases(class_), key=lambda base: _SIGNS.get(base[0], 2))
            before = [each for sign, base in bases if sign == "^" for each in self.order(base)]
            behind = [each for sign, base in bases if sign != "^" for each in self.order(base)]
            order = dict.fromkeys((*before, class_, *behind))
            self._orders[class_] = tuple(order)
        return self._orders[class_]

    def _bases(self, class_: SymbolId) -> Iterator[tuple[str, SymbolId]]:
        """The direct bases of a class, all its parts', with the sign before each."""
        for part in self._parts(class_):
            declared = self._names.declared(part)
            for base in declared.bases if declared else ():
                for each in self._names.classes(part.path, container(part.name), base):
                    if each != class_:
                        yield base[:1], each

    def overriding(self, class_: SymbolId, name: str, found: Symbols) -> Symbols:
        """What else a member is for instances of the heirs of a class, if it can be overridden."""
        if found and not self._overridable(class_, name, found):
            return ()
        heirs = (m for heir in self.heirs(class_) for m in self.member(heir, name))
        return tuple(each for each in dict.fromkeys(heirs) if each not in found)

    def heirs(self, class_: SymbolId) -> Symbols:
        """The classes of the repository that inherit from this one, directly or not."""
        if class_ not in self._heirs:
            found: dict[SymbolId, None] = {}
            queue = [class_]
            for base in queue:
                for heir in self._direct_heirs(base):
                    if heir not in found and heir != class_ and len(found) < _MOST:
                        found[heir] = None
                        queue.append(heir)
            self._heirs[class_] = tuple(found)
        return self._heirs[class_]

    def constructors(self, class_: SymbolId) -> Symbols:
        """The constructors that `new C()` calls."""
        name = self._names.dialect.constructor or class_.name.rpartition(".")[2]
        found = self.member(class_, name)
        return tuple(each for each in found if self._names.kind(each) in FUNCTIONS)

    def attribute(self, class_: SymbolId, name: str) -> Iterator[SymbolId]:
        """The symbols that give values to an attribute of the instances of a class."""
        for each in self.order(class_):
            for part in self._parts(each):
                attribute = f"{part.name}.{name}"
                shape = self._names.shape(part.path, "@" + attribute)
                for owner in shape.attributes.get(attribute, ()):
                    yield SymbolId(part.path, owner)

    def _first(self, order: Symbols, name: str) -> Symbols:
        for each in order:
            if found := self._own(each, name):
                return found
        for each in order:
            if found := self._extensions(each, name):
                return found
        return ()

    def _own(self, class_: SymbolId, name: str) -> Symbols:
        """What a class itself has under a name; a prototype only where nothing defines it."""
        own = SymbolId(class_.path, f"{class_.name}.{name}")
        declared = self._names.declared(own)
        if declared is not None and "prototype" not in declared.marks:
            return (own,)
        if not self._names.dialect.open:
            return (own,) if declared is not None else ()
        elsewhere = tuple(
            each
            for each in self._elsewhere(class_, name)
            if each != own and self._in_sight(class_, each)
        )
        return elsewhere or ((own,) if declared is not None else ())

    def _elsewhere(self, class_: SymbolId, name: str) -> Iterator[SymbolId]:
        """The members that other parts of a class have, wherever these are."""
        last = class_.name.rpartition(".")[2]
        for each in self._names.known(name):
            outer = container(each.name)
            if outer.rpartition(".")[2] != last:
                continue
            declared = self._names.declared(each)
            if declared is None or "prototype" in declared.marks:
                continue
            part = SymbolId(each.path, outer)
            if part != class_ and class_ in self._classes_of(part):
                yield each

    def _classes_of(self, part: SymbolId) -> Symbols:
        """The classes that a part of one belongs to."""
        if part not in self._wholes:
            self._wholes[part] = self._whole(part)
        return self._wholes[part]

    def _whole(self, part: SymbolId) -> Symbols:
        if self._names.declared(part) is not None:
            found = self._names.real(part)
            if part not in found:
                return found
        outer, _, last = part.name.rpartition(".")
        return self._names.classes(part.path, outer, last) + self._outside.absolute(
            part.path, self._full(part)
        )

    def _full(self, part: SymbolId) -> str:
        package = self._names.package(part)
        return f"{package}.{part.name}" if package else part.name

    def _in_sight(self, class_: SymbolId, member: SymbolId) -> bool:
        """A Kotlin extension has to be imported; the other languages know no such thing."""
        if self._names.dialect.name != "kotlin":
            return True
        stated = SymbolId(member.path, container(member.name))
        return stated == class_ or self._outside.visible(self._path, member)

    def _extensions(self, class_: SymbolId, name: str) -> Symbols:
        """The methods elsewhere that say they extend the class (C#)."""
        if self._names.dialect.name != "csharp":
            return ()
        found = []
        for each in self._names.known(name):
            declared = self._names.declared(each)
            if declared is None or not declared.receiver:
                continue
            extended = self._names.classes(each.path, container(each.name), declared.receiver)
            if class_ in extended and self._outside.visible(self._path, self._outermost(each)):
                found.append(each)
        return tuple(found)

    @staticmethod
    def _outermost(symbol: SymbolId) -> SymbolId:
        return SymbolId(symbol.path, symbol.name.partition(".")[0])

    def _parts(self, class_: SymbolId) -> Symbols:
        """The places where a class is stated: its own, and extensions of it in any file."""
        dialect = self._names.dialect
        if not dialect.open or dialect.name in ("cpp", "kotlin"):
            return (class_,)
        last = class_.name.rpartition(".")[2]
        others = (
            each
            for each in self._names.known(last)
            if each != class_
            and self._names.kind(each) in CLASSES
            and class_ in self._classes_of(each)
        )
        return (class_, *others)

    def _direct_heirs(self, class_: SymbolId) -> Iterator[SymbolId]:
        last = class_.name.rpartition(".")[2]
        for heir in self._names.lookup.heirs(last):
            if not self._names.speaks(heir.path):
                continue
            declared = self._names.declared(heir)
            outer = container(heir.name)
            if declared is not None and any(
                class_ in self._names.classes(heir.path, outer, base) for base in declared.bases
            ):
                yield from self._names.real(heir)

    def _overridable(self, class_: SymbolId, name: str, found: Symbols) -> bool:
        """Whether a member is virtual: where it is defined, or where a class only states it."""
        stated = (SymbolId(each.path, f"{each.name}.{name}") for each in self.order(class_))
        return any(self._virtual(symbol) for symbol in (*found, *stated))

    def _virtual(self, symbol: SymbolId) -> bool:
        declared = self._names.declared(symbol)
        if declared is None or declared.marks & _FIXED:
            return False
        virtual = self._names.dialect.virtual
        if not virtual or declared.marks & virtual:
            return True
        outer = SymbolId(symbol.path, container(symbol.name))
        return self._names.kind(outer) == "interface"
