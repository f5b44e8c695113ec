"""What names, members and calls mean across the files of a JavaScript repository."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from statetape.code.extract.javascript_shape import ALL, WHOLE, Shape, Source
from statetape.code.facts import Lookup
from statetape.code.resolve import javascript_typed as types
from statetape.code.resolve.javascript_files import ModuleFiles
from statetape.code.resolve.javascript_value import EXTERNAL, Several, Value, merged
from statetape.types import SymbolId

if TYPE_CHECKING:
    from statetape.code.resolve.javascript_meaning import Meaning

_DEEPEST = 40
_MODULE = ("module", "exports")
_SCOPES = ("namespace", "function", "method")
SELVES = ("call", "apply", "bind")
"""The members of a function that stand for itself."""


class Values:
    """Answers for the resolution of one symbol, each found once; circles end in nothing.

    `meanings` gives the places of a definition, or for `=` and an expression, that.
    """

    def __init__(
        self, lookup: Lookup, meanings: Callable[["Values", str, str], "list[Meaning]"]
    ) -> None:
        self.lookup = lookup
        self._files = ModuleFiles(lookup)
        self._meanings = meanings
        self._texts: dict[tuple[str, str], list[Meaning]] = {}
        self._known: dict[tuple[object, ...], Several] = {}
        self._depth = 0

    def once(self, find: Callable[..., Several], *asked: object) -> Several:
        """The answer to a question, found once; none while it is being found."""
        key = (find.__qualname__, *asked)
        if key not in self._known:
            self._known[key] = ()
            if self._depth < _DEEPEST:
                self._depth += 1
                self._known[key] = find(*asked)
                self._depth -= 1
        return self._known[key]

    def shape(self, path: str, name: str) -> Shape:
        """The shape of a file to look up one name in (see `javascript_visible`).

        An empty one where there is no such file.
        """
        facts = self.lookup.facts(path, name)
        return facts.detail.shape if facts and isinstance(facts.detail, Source) else Shape()

    def kind(self, path: str, name: str) -> str:
        """The kind of a definition, empty where there is none."""
        return self.shape(path, name).kinds.get(name, "")

    def symbol(self, of: Value) -> SymbolId | None:
        """The symbol that a value is, if it is one."""
        known = of.kind == "definition" and self.kind(of.path, of.name)
        return SymbolId(of.path, of.name) if known else None

    def meanings(self, path: str, name: str) -> "list[Meaning]":
        """The places of a definition."""
        if (path, name) not in self._texts:
            self._texts[path, name] = self._meanings(self, path, name)
        return self._texts[path, name]

    def expression(self, path: str, text: str) -> Several:
        """The values of an expression's text at the top level of a file."""
        return merged(each.stated("") for each in self.meanings(path, "=" + text))

    def module(self, importer: str, module: str, name: str = WHOLE) -> Several:
        """What a file gets when it imports `name` from a module."""
        path = self._files.path(importer, module)
        if path is None:
            return (EXTERNAL,)
        return (Value("module", path),) if name == ALL else self.exported(path, name)

    def exported(self, path: str, name: str) -> Several:
        """The values of a file's export, through barrels; the module itself for a whole one."""
        return self.once(self._exported, path, name)

    def _exported(self, path: str, name: str) -> Several:
        shape = self.shape(path, name)
        if name in shape.exports:
            module, local = shape.exports[name]
            return self.module(path, module, local) if module else self.top(path, local)
        if name == WHOLE:
            return (Value("module", path),)
        if name == "default":
            return self.exported(path, WHOLE)
        for module in self.shape(path, "").stars:
            found = self.module(path, module, name)
            if found and found != (EXTERNAL,):
                return found
        if WHOLE in self.shape(path, WHOLE).exports:
            whole = (each for each in self.exported(path, WHOLE) if each.kind != "module")
            return merged(self.member(each, name) for each in whole)
        return ()

    def top(self, path: str, name: str) -> Several:
        """The values of a name at the top level of a file: defined, imported, or a global."""
        return self.once(self._top, path, name)

    def _top(self, path: str, name: str) -> Several:
        shape = self.shape(path, name)
        if name in shape.kinds:
            return (Value("definition", path, name),)
        if name in shape.imports:
            module, imported = shape.imports[name]
            return self.module(path, module, imported)
        if name in shape.values:
            statement = shape.values[name]
            is_type = not statement.startswith("=")
            return (
                (types.typed(path, "", statement),)
                if is_type
                else self.expression(path, statement[1:])
            )
        if self.holds(path, name):
            return (Value("definition", path, name),)
        return (Value("module", path),) if name in _MODULE else (EXTERNAL,)

    def holds(self, path: str, name: str) -> bool:
        """Whether something is nested in a name."""
        prefix = name + "."
        return prefix in self.shape(path, prefix).holders

    def within(self, path: str, scope: str, name: str) -> Several:
        """The values of a name in the scope of a definition: nested in it, around it, on top."""
        while scope:
            seen = self.kind(path, scope) in _SCOPES
            if seen and self.kind(path, f"{scope}.{name}"):
                return (Value("definition", path, f"{scope}.{name}"),)
            scope = scope.rpartition(".")[0]
        return self.top(path, name)

    def path_in(self, path: str, scope: str, dotted: str) -> Several:
        """The values of `a.b.c` in the scope of a definition."""
        first, *rest = dotted.split(".")
        found = self.within(path, scope, first)
        for part in rest:
            found = merged(self.member(each, part) for each in found)
        return found

    def held(self, of: Value) -> Several:
        """What a variable, a field or something of a type holds; any other value itself."""
        if of.kind == "type":
            return self.instances(of)
        if of.kind != "definition" or self.kind(of.path, of.name) not in ("variable", "field"):
            return (of,)
        return self.once(self._held, of)

    def _held(self, of: Value) -> Several:
        shape = self.shape(of.path, of.name)
        is_field = shape.kinds[of.name] == "field"
        outer, _, own = of.name.rpartition(".")
        class_ = self.shape(of.path, outer).classes.get(outer) if is_field else None
        annotation = class_.fields.get(own, "") if class_ else shape.values.get(of.name, "")
        if annotation:
            found = self.instances(types.typed(of.path, outer, annotation, of.bound))
            if found and found != (EXTERNAL,):
                return found
        texts = self.meanings(of.path, of.name)[shape.settled.get(of.name, 0) :]
        values = [text.stated("" if is_field else of.name) for text in texts]
        for owner in shape.assigned.get(of.name, ()):
            values += [text.stated(of.name) for text in self.meanings(of.path, owner)]
        if is_field:
            values.append(self._written(of._replace(kind="instance", name=outer), own))
        return merged(self.held(value) for value in merged(values))

    def member(self, of: Value, name: str) -> Several:
        """The values of `of.name`: exports, own and inherited members, typed fields."""
        return self.once(self._member, of, name)

    def _member(self, of: Value, name: str) -> Several:
        match of.kind:
            case "module":
                return self.exported(of.path, name) or ((of,) if name == "exports" else ())
            case "type":
                return types.member(self, of, name)
            case "term":
                return of.text.member(of.number, name) if of.text else ()
            case "definition":
                return self._of_definition(of, name)
            case "instance":
                return self._of_instance(of, name)
            case _:
                return (EXTERNAL,)

    def _of_definition(self, of: Value, name: str) -> Several:
        own = f"{of.name}.{name}"
        kind = self.kind(of.path, of.name)
        if self.kind(of.path, own):
            return (Value("definition", of.path, own, bound=(("this", of),)),)
        if name in SELVES and kind in ("function", "method"):
            return (of,)
        if name == "prototype":
            return (Value("instance", of.path, of.name),)
        inner = (Value("definition", of.path, own),) if self.holds(of.path, own) else ()
        if kind in ("variable", "field"):
            held = (self.member(each, name) for each in self.held(of) if each != of)
            return merged([inner, *held])
        if kind == "class":
            return merged(self.member(base, name) for base in self.bases(of))
        return inner or ((EXTERNAL,) if kind in ("enum", "function", "method") else ())

    def _of_instance(self, of: Value, name: str) -> Several:
        own = f"{of.name}.{name}"
        this = dict(of.bound).get("this", of)
        bound = (*(each for each in of.bound if each[0] != "this"), ("this", this))
        if of.text is not None and (found := of.text.member(of.number, name)):
            return found
        if self.kind(of.path, own):
            return (Value("definition", of.path, own, bound=bound),)
        class_ = self.shape(of.path, of.name).classes.get(of.name)
        if class_ is not None and name in class_.fields:
            return (types.typed(of.path, of.name, class_.fields[name], bound),)
        return self._written(of, name) or self.inherited(of, name)

    def _written(self, of: Value, name: str) -> Several:
        """What the methods of a class set a member to, or a function that makes instances."""
        class_ = self.shape(of.path, of.name).classes.get(of.name)
        by = class_.assigned.get(name, ()) if class_ else ()
        if class_ is None and self.kind(of.path, of.name) == "function":
            by = (of.name,)
        texts = (text for owner in by for text in self.meanings(of.path, owner))
        return merged(text.written(name) for text in texts)

    def inherited(self, of: Value, name: str) -> Several:
        """The member of what the class of an instance extends, the first that has it."""
        this = dict(of.bound).get("this", of)
        for base in self.bases(of):
            made = base
            if base.kind == "definition":
                bound = (*(each for each in base.bound if each[0] != "this"), ("this", this))
                made = base._replace(kind="instance", exact=of.exact, bound=bound)
            is_own = (made.path, made.name, made.text) == (of.path, of.name, of.text)
            if not is_own and (found := self.member(made, name)):
                return found
        return ()

    def bases(self, of: Value) -> Several:
        """What a class or interface extends, then what it implements."""
        bound = tuple(each for each in of.bound if each[0] != "this")
        return self.once(types.bases, self, of.path, of.name, bound)

    def instances(self, of: Value) -> Several:
        """The classes of something of a stated type, as instances; any other value itself."""
        return self.once(types.instances, self, of) if of.kind == "type" else (of,)

    def result(self, of: Value) -> Several:
        """What a call of a value returns."""
        return self.once(self._result, of)

    def _result(self, of: Value) -> Several:
        match of.kind:
            case "external":
                return (EXTERNAL,)
            case "term":
                return of.text.results(of.number) if of.text else ()
            case "type" if of.type.kind == "function":
                return self.instances(of._replace(type=of.type.of[0]))
            case "definition":
                annotation = self.shape(of.path, of.name).returns.get(of.name, "")
                if annotation:
                    return self.instances(types.typed(of.path, of.name, annotation, of.bound))
                return merged(text.own_results() for text in self.meanings(of.path, of.name))
            case _:
                return ()

    def is_getter(self, of: Value) -> bool:
        """Whether reading a member calls it."""
        outer, _, name = of.name.rpartition(".")
        class_ = self.shape(of.path, outer).classes.get(outer) if outer else None
        return of.kind == "definition" and class_ is not None and name in class_.getters
