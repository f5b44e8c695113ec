"""What names, members and types mean across the files of a JavaScript repository."""

import re
from collections.abc import Callable
from typing import Literal, NamedTuple

from statetape.code.extract.javascript_shape import ALL, WHOLE, Shape, Source
from statetape.code.facts import Lookup
from statetape.code.resolve.javascript_files import ModuleFiles
from statetape.types import SymbolId

_DEEPEST = 60
_WRAPPERS = re.compile(
    r"^(?:Promise|Readonly|Partial|Required|Awaited|NonNullable)<(.*)>$", re.DOTALL
)
_ARRAY = re.compile(r"^(?:readonly\s+)?(?:(.*)\[\]|(?:Readonly)?(?:Array|Set)<(.*)>)$", re.DOTALL)
_TYPE_NAME = re.compile(r"^[A-Za-z_$][\w$.]*")


class Value(NamedTuple):
    """What an expression is, as far as it matters for edges.

    A `definition` of that name in the file; an `instance` of the class of that name; an `object`
    literal of that name; a `module`; or something of a `type`, the name then being the type as
    the file states it.
    """

    kind: Literal["definition", "instance", "object", "module", "type"]
    path: str
    name: str = ""


class Values:
    """Answers for the resolution of one symbol.

    `evaluated` gives the value of an expression's text at the top level of a file.
    """

    def __init__(self, lookup: Lookup, evaluated: Callable[[str, str, int], Value | None]) -> None:
        self._lookup = lookup
        self._files = ModuleFiles(lookup)
        self._evaluated = evaluated
        self._known: dict[tuple[object, ...], Value | None] = {}

    def _once(self, find: Callable[..., Value | None], *asked: object, depth: int) -> Value | None:
        """The answer to a question, found once; none while it is being found: circles end."""
        key = (find.__name__, *asked)
        if key not in self._known and depth <= _DEEPEST:
            self._known[key] = None
            self._known[key] = find(*asked, depth + 1)
        return self._known.get(key)

    def shape(self, path: str, name: str | None = None) -> Shape:
        """The shape of a file to look up one name in (see `javascript_visible`; None: any).

        An empty one where there is no such file.
        """
        facts = self._lookup.facts(path, name)
        return facts.detail.shape if facts and isinstance(facts.detail, Source) else Shape()

    def module(self, importer: str, module: str, name: str = WHOLE, depth: int = 0) -> Value | None:
        """What a file gets when it imports `name` from a module."""
        path = self._files.path(importer, module)
        if path is None:
            return None
        return Value("module", path) if name == ALL else self.exported(path, name, depth)

    def exported(self, path: str, name: str, depth: int = 0) -> Value | None:
        """The value of a file's export, through barrels; the module itself for a whole one."""
        return self._once(self._exported, path, name, depth=depth)

    def _exported(self, path: str, name: str, depth: int) -> Value | None:
        shape = self.shape(path, name)
        if name in shape.exports:
            module, local = shape.exports[name]
            if module:
                return self.module(path, module, local, depth + 1)
            return self.top(path, local, depth + 1)
        if name == WHOLE:
            return Value("module", path)
        if name == "default":
            return self.exported(path, WHOLE, depth + 1)
        for module in self.shape(path, "").stars:
            found = self.module(path, module, name, depth + 1)
            if found:
                return found
        if WHOLE in self.shape(path, WHOLE).exports:
            whole = self.exported(path, WHOLE, depth + 1)
            if whole and whole != Value("module", path):
                return self.member(whole, name, depth + 1)
        return None

    def top(self, path: str, name: str, depth: int = 0) -> Value | None:
        """The value of a name at the top level of a file: defined, imported, or assigned."""
        return self._once(self._top, path, name, depth=depth)

    def _top(self, path: str, name: str, depth: int) -> Value | None:
        shape = self.shape(path, name)
        if name in shape.kinds:
            return Value("definition", path, name)
        if name in shape.imports:
            module, imported = shape.imports[name]
            return self.module(path, module, imported, depth + 1)
        if name in shape.values:
            return self.stated(path, shape.values[name], depth + 1)
        return Value("object", path, name) if self._holds(path, name) else None

    def _holds(self, path: str, name: str) -> bool:
        prefix = name + "."
        return prefix in self.shape(path, prefix).holders

    def stated(self, path: str, statement: str, depth: int = 0) -> Value | None:
        """The value that a statement of a shape stands for."""
        if not statement or depth > _DEEPEST:
            return None
        if statement.startswith("="):
            return self._evaluated(path, statement[1:], depth + 1)
        return Value("type", path, statement)

    def member(self, of: Value, name: str, depth: int = 0) -> Value | None:
        """The value of `of.name`: exports, own and inherited members, typed fields."""
        return self._once(self._member, of, name, depth=depth)

    def _member(self, of: Value, name: str, depth: int) -> Value | None:
        if of.kind == "module":
            return self.exported(of.path, name, depth + 1)
        if of.kind == "type":
            declared = self.declared(of, depth + 1)
            return self.member(declared, name, depth + 1) if declared else None
        own = f"{of.name}.{name}"
        shape = self.shape(of.path, own)
        if own in shape.kinds:
            return Value("definition", of.path, own)
        if own in shape.values:
            return self.stated(of.path, shape.values[own], depth + 1)
        class_ = self.shape(of.path, of.name).classes.get(of.name)
        if class_ is None:
            return Value("object", of.path, own) if self._holds(of.path, own) else None
        if name in class_.fields:
            return self.stated(of.path, class_.fields[name], depth + 1)
        return self.inherited(of, name, depth + 1)

    def inherited(self, of: Value, name: str, depth: int = 0) -> Value | None:
        """The member of what a class or interface extends."""
        class_ = self.shape(of.path, of.name).classes.get(of.name)
        for base in class_.extends if class_ else ():
            value = self._evaluated(of.path, base, depth + 1)
            found = self.member(value, name, depth + 1) if value and value != of else None
            if found:
                return found
        return None

    def result(self, of: Value, depth: int = 0) -> Value | None:
        """What a call of a value returns, where its definition states it."""
        if of.kind != "definition":
            return None
        stated = self.shape(of.path, of.name).returns.get(of.name, "")
        if stated == "this":
            return Value("instance", of.path, of.name.rpartition(".")[0])
        return self.stated(of.path, stated, depth + 1)

    def declared(self, of: Value, depth: int = 0) -> Value | None:
        """The class or interface of something with a stated type, as an instance of it."""
        text = unwrapped(of.name)
        found = _TYPE_NAME.match(text)
        if found is None or depth > _DEEPEST or _ARRAY.match(text):
            return None
        first, *rest = found[0].split(".")
        value = self.top(of.path, first, depth + 1)
        for part in rest:
            value = self.member(value, part, depth + 1) if value else None
        if value is None or value.kind != "definition":
            return value
        shape = self.shape(value.path, value.name)
        if value.name in shape.classes:
            return Value("instance", value.path, value.name)
        alias = shape.values.get(value.name, "") if shape.kinds[value.name] == "type" else ""
        return self.declared(Value("type", value.path, alias), depth + 1) if alias else None

    def element(self, of: Value | None) -> Value | None:
        """What a loop over, or an index into, something of an array type gives."""
        if of is None or of.kind != "type":
            return None
        found = _ARRAY.match(unwrapped(of.name))
        return of._replace(name=found[1] or found[2]) if found else None

    def symbol(self, of: Value | None) -> SymbolId | None:
        """The symbol that a value is, if it is one."""
        return SymbolId(of.path, of.name) if of and of.kind == "definition" else None


def unwrapped(type_: str) -> str:
    """A type without `null` and `undefined`, and without the wrappers that keep its members."""
    parts = [part.strip() for part in type_.split("|")]
    named = [part for part in parts if part not in ("null", "undefined", "")]
    text = named[0] if len(named) == 1 else type_.strip()
    while found := _WRAPPERS.match(text):
        text = found[1].strip()
    return text.strip("()")
