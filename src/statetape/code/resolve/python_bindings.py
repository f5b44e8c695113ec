"""The names that the statements of one Python scope bind, and what is put into containers."""

import ast
from collections.abc import Iterable, Mapping
from typing import Protocol, TypeGuard, TypeVar

from statetape.code.resolve.python_scopes import Binding, Filling, Position, Use
from statetape.code.resolve.python_syntax import position, targets

_PUT = {"append": 1, "add": 1, "appendleft": 1, "insert": 2, "setdefault": 2}
_MERGED = ("update", "extend")


class _Placed(Protocol):
    @property
    def at(self) -> Position: ...


_Found = TypeVar("_Found", bound=_Placed)


class Bindings:
    """Collects the bindings of one scope; `outside` of functions, statements may be symbols."""

    def __init__(self, *, outside: bool) -> None:
        self.outside = outside
        self.names: dict[str, list[Binding]] = {}
        self.attributes: dict[str, list[Binding]] = {}
        self.fillings: dict[str, list[Filling]] = {}
        self.stars: list[Binding] = []
        self.above: set[str] = set()
        self.exports: set[str] | None = None
        self.first: str | None = None

    def add(self, name: str, binding: Binding) -> None:
        """One more binding of a name."""
        self.names.setdefault(name, []).append(binding)

    def local(self, use: Use) -> bool:
        """Whether a name that is read is one of this scope."""
        name = use.value.id if isinstance(use.value, ast.Name) else ""
        return name in self.names and name not in self.above

    @staticmethod
    def ordered(found: Mapping[str, Iterable[_Found]]) -> dict[str, tuple[_Found, ...]]:
        """What was found of each name, in the order of the text."""
        return {name: tuple(sorted(each, key=lambda one: one.at)) for name, each in found.items()}

    def parameters(self, listed: ast.arguments) -> list[ast.expr]:
        """Bind the parameters of a function; its defaults are returned."""
        positional = [*listed.posonlyargs, *listed.args]
        defaults: dict[str, ast.expr | None] = {
            arg.arg: value
            for arg, value in zip(reversed(positional), reversed(listed.defaults), strict=False)
        }
        defaults |= {a.arg: v for a, v in zip(listed.kwonlyargs, listed.kw_defaults, strict=True)}
        self.first = positional[0].arg if positional else None
        for arg in (*positional, *listed.kwonlyargs):
            value = defaults.get(arg.arg)
            self.add(arg.arg, Binding("parameter", (0, 0), value=value, annotation=arg.annotation))
        if listed.vararg is not None:
            self.add(listed.vararg.arg, Binding("rest", (0, 0)))
        if listed.kwarg is not None:
            self.add(listed.kwarg.arg, Binding("named", (0, 0)))
        return [value for value in defaults.values() if value is not None]

    def bind(self, node: ast.stmt, *, conditional: bool) -> str:
        """Bind what a statement binds. Returns the name of the symbol that it is, if any."""
        at = position(node)
        match node:
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
                self.add(node.name, Binding("definition", at, conditional))
            case ast.Import() | ast.ImportFrom():
                self._import(node, conditional=conditional)
            case ast.Global(names=names) | ast.Nonlocal(names=names):
                self.above.update(names)
            case ast.Assign(targets=assigned, value=value):
                sole = self.outside and len(assigned) == 1 and isinstance(assigned[0], ast.Name)
                for target in assigned:
                    self._target(target, Binding("value", at, conditional, value, sole=sole))
                return assigned[0].id if sole and isinstance(assigned[0], ast.Name) else ""
            case ast.AnnAssign(target=target, annotation=annotation, value=assigned):
                sole = self.outside and isinstance(target, ast.Name)
                bound = Binding("value", at, conditional, assigned, annotation, sole=sole)
                self._target(target, bound)
                return target.id if sole and isinstance(target, ast.Name) else ""
            case ast.AugAssign(target=ast.Name(id=name), value=value):
                if name == "__all__":
                    self._export(value)
                self._fill(node.target, Filling(at, (), value, merged=True))
                return name if self.outside else ""
            case _:
                self._header(node, conditional=conditional)
        return ""

    def _header(self, node: ast.stmt, *, conditional: bool) -> None:
        at = position(node)
        match node:
            case ast.For(target=target, iter=value) | ast.AsyncFor(target=target, iter=value):
                self._target(target, Binding("element", at, conditional=True, value=value))
            case ast.With(items=items) | ast.AsyncWith(items=items):
                for item in items:
                    if item.optional_vars is not None:
                        entered = Binding("entered", at, conditional, item.context_expr)
                        self._target(item.optional_vars, entered)

    def branch(self, branch: ast.excepthandler | ast.match_case) -> None:
        """The names that a handler or a case binds."""
        if isinstance(branch, ast.match_case):
            for node in ast.walk(branch.pattern):
                name = getattr(node, "name", None) or getattr(node, "rest", None)
                if isinstance(name, str):
                    at = position(branch.pattern)
                    self.add(name, Binding("unknown", at, conditional=True))
        elif isinstance(branch, ast.ExceptHandler) and branch.name:
            at = position(branch)
            self.add(branch.name, Binding("caught", at, conditional=True, value=branch.type))

    def fill(self, call: ast.Call) -> None:
        """Note a call that puts something into a container, or tests what a name is.

        Such as `names.append(name)`, and `isinstance(name, Name)` of a name bound before.
        """
        function, given = call.func, call.args
        match call:
            case ast.Call(func=ast.Name(id="isinstance"), args=[ast.Name(id=name), classes]):
                if name in self.names:
                    tested = Binding("tested", position(call), conditional=True, value=classes)
                    self.add(name, tested)
        if not isinstance(function, ast.Attribute):
            return
        if function.attr in _MERGED and len(given) == 1:
            self._fill(function.value, Filling(position(call), (), given[0], merged=True))
        elif _PUT.get(function.attr) == len(given):
            key = given[0] if function.attr == "setdefault" else None
            self._fill(function.value, Filling(position(call), (key,), given[-1]))

    def _fill(self, target: ast.expr, filling: Filling) -> None:
        keys = filling.keys
        while isinstance(target, ast.Subscript):
            keys = (target.slice, *keys)
            target = target.value
        filling = filling._replace(keys=keys)
        if isinstance(target, ast.Name):
            self.fillings.setdefault(target.id, []).append(filling)
        elif self._is_own(target):
            self.fillings.setdefault(f".{target.attr}", []).append(filling)

    def _is_own(self, target: ast.expr) -> TypeGuard[ast.Attribute]:
        return (
            isinstance(target, ast.Attribute)
            and isinstance(target.value, ast.Name)
            and target.value.id == self.first
        )

    def _target(self, target: ast.expr, binding: Binding) -> None:
        for node, bound in targets(target, binding):
            if isinstance(node, ast.Name):
                self.add(node.id, bound)
                if node.id == "__all__" and bound.value is not None:
                    self._export(bound.value)
            elif isinstance(node, ast.Subscript):
                if bound.kind == "value" and bound.value is not None and not bound.part:
                    self._fill(node, Filling(bound.at, (), bound.value))
            elif self._is_own(node):
                self.attributes.setdefault(node.attr, []).append(bound)

    def _export(self, value: ast.expr) -> None:
        if isinstance(value, ast.List | ast.Tuple | ast.Set):
            names = (e.value for e in value.elts if isinstance(e, ast.Constant))
            self.exports = (self.exports or set()) | {n for n in names if isinstance(n, str)}

    def _import(self, node: ast.Import | ast.ImportFrom, *, conditional: bool) -> None:
        at = position(node)
        for alias in node.names:
            if isinstance(node, ast.Import):
                module = alias.name if alias.asname else alias.name.partition(".")[0]
                binding = Binding("import", at, conditional, module=module)
                self.add(alias.asname or module, binding)
                continue
            binding = Binding(
                "import",
                at,
                conditional,
                module=node.module or "",
                level=node.level,
                name=alias.name,
            )
            if alias.name == "*":
                self.stars.append(binding)
            else:
                self.add(alias.asname or alias.name, binding)
