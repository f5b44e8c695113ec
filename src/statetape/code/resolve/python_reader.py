"""Reads the own text of one Python definition into a `Scope`: a pure function of the text."""

import ast
from collections.abc import Mapping, Sequence
from functools import lru_cache

from statetape.code.resolve.python_scopes import NOTHING, Binding, Scope, Use
from statetape.code.resolve.python_syntax import (
    comprehended,
    expressions,
    position,
    targets,
    tree,
    trim,
)

_Function = ast.FunctionDef | ast.AsyncFunctionDef
_BLOCKS = ("body", "orelse", "finalbody")


@lru_cache(maxsize=4096)
def scope(text: str, *, module: bool) -> Scope:
    """The scope of a module's residue or of one place of a definition.

    Nested definitions must stand in `text` as one-line stubs. Lines that do not parse count as
    `pass`; a text that cannot be read at all has no names.
    """
    parsed = tree(text)
    if parsed is None:
        return NOTHING
    if module:
        return _Reader().module(parsed)
    node: ast.stmt | None = parsed.body[0] if parsed.body else None
    if isinstance(node, ast.If):  # the own text was indented
        node = node.body[0]
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
        return _Reader().function(node)
    return _Reader().of_class(node) if isinstance(node, ast.ClassDef) else NOTHING


class _Reader:
    """Collects one scope, without recursion: nesting in the text may be deep."""

    def __init__(self) -> None:
        self.bindings: dict[str, list[Binding]] = {}
        self.attributes: dict[str, list[Binding]] = {}
        self.stars: list[Binding] = []
        self.uses: list[Use] = []
        self.returns: list[Use] = []
        self.above: set[str] = set()
        self.exports: set[str] | None = None
        self.yields = False
        self.first: str | None = None

    def module(self, tree: ast.Module) -> Scope:
        self._statements(tree.body)
        return self._scope()

    def of_class(self, node: ast.ClassDef) -> Scope:
        self._statements(node.body)
        outer = self._outer([*node.decorator_list, *node.bases, *(k.value for k in node.keywords)])
        return self._scope(
            outer=outer, bases=tuple(node.bases), decorators=tuple(node.decorator_list)
        )

    def function(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> Scope:
        listed = node.args
        names = [*listed.posonlyargs, *listed.args, *listed.kwonlyargs]
        positional = [*listed.posonlyargs, *listed.args]
        defaults: dict[str, ast.expr | None] = {
            arg.arg: value
            for arg, value in zip(reversed(positional), reversed(listed.defaults), strict=False)
        }
        defaults |= {a.arg: v for a, v in zip(listed.kwonlyargs, listed.kw_defaults, strict=True)}
        self.first = positional[0].arg if positional else None
        for arg in names:
            self._bind(
                arg.arg,
                Binding(
                    "parameter", (0, 0), value=defaults.get(arg.arg), annotation=arg.annotation
                ),
            )
        for rest in (listed.vararg, listed.kwarg):
            if rest is not None:
                self._bind(rest.arg, Binding("parameter", (0, 0)))
        self._statements(node.body)
        values = [value for value in defaults.values() if value is not None]
        return self._scope(
            outer=self._outer([*node.decorator_list, *values]),
            returned=node.returns,
            parameters=tuple(arg.arg for arg in positional),
            decorators=tuple(node.decorator_list),
        )

    def _scope(self, **fields: object) -> Scope:
        def ordered(found: dict[str, list[Binding]]) -> dict[str, tuple[Binding, ...]]:
            return {
                name: tuple(sorted(each, key=lambda binding: binding.at))
                for name, each in found.items()
            }

        return Scope(
            bindings=ordered(self.bindings),
            stars=tuple(sorted(self.stars, key=lambda binding: binding.at)),
            uses=tuple(sorted(self.uses, key=lambda use: use.at)),
            returns=tuple(sorted(self.returns, key=lambda use: use.at)),
            yields=self.yields,
            attributes=ordered(self.attributes),
            above=frozenset(self.above),
            exports=None if self.exports is None else frozenset(self.exports),
            **fields,  # type: ignore[arg-type]
        )

    def _outer(self, values: Sequence[ast.expr]) -> tuple[Use, ...]:
        """The uses in expressions that are evaluated around the definition, not in it."""
        kept, self.uses = self.uses, []
        for value in values:
            self._expression(value, {})
        outer, self.uses = tuple(self.uses), kept
        return outer

    def _statements(self, body: Sequence[ast.stmt]) -> None:
        stack = [(node, False) for node in reversed(body)]
        while stack:
            node, conditional = stack.pop()
            self._statement(node, conditional)
            nested: list[ast.stmt] = []
            if not isinstance(node, _Function | ast.ClassDef):
                for block in _BLOCKS:
                    nested += getattr(node, block, ())
                for branch in (*getattr(node, "handlers", ()), *getattr(node, "cases", ())):
                    self._branch(branch)
                    nested += branch.body
            inside = conditional or not isinstance(node, ast.With | ast.AsyncWith)
            stack += [(each, inside) for each in reversed(nested)]

    def _statement(self, node: ast.stmt, conditional: bool) -> None:  # noqa: FBT001
        at = position(node)
        match node:
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
                self._bind(node.name, Binding("definition", at, conditional))
                return
            case ast.Import() | ast.ImportFrom():
                self._import(node, conditional)
                return
            case ast.Global(names=names) | ast.Nonlocal(names=names):
                self.above.update(names)
                return
            case ast.Return(value=ast.expr() as value):
                self.returns.append(Use(value, at, {}))
            case ast.Raise(exc=ast.Name() | ast.Attribute() as value):
                self.uses.append(Use(value, at, {}))
        self._assignment(node, conditional=conditional)
        for value in expressions(node):
            self._expression(value, {}, conditional=conditional)

    def _branch(self, branch: ast.excepthandler | ast.match_case) -> None:
        """The names that a handler or a case binds."""
        if isinstance(branch, ast.match_case):
            self._pattern(branch.pattern)
        elif isinstance(branch, ast.ExceptHandler) and branch.name:
            at = position(branch)
            self._bind(branch.name, Binding("caught", at, conditional=True, value=branch.type))

    def _assignment(self, node: ast.stmt, *, conditional: bool) -> None:
        at = position(node)
        match node:
            case ast.Assign(targets=targets, value=value):
                for target in targets:
                    self._target(target, Binding("value", at, conditional, value))
            case ast.AnnAssign(target=target, annotation=annotation, value=assigned):
                self._target(target, Binding("value", at, conditional, assigned, annotation))
            case ast.AugAssign(target=ast.Name(id="__all__"), value=value):
                self._export(value)
            case ast.For(target=target, iter=value) | ast.AsyncFor(target=target, iter=value):
                self._target(target, Binding("element", at, conditional=True, value=value))
            case ast.With(items=items) | ast.AsyncWith(items=items):
                for item in items:
                    if item.optional_vars is not None:
                        entered = Binding("entered", at, conditional, item.context_expr)
                        self._target(item.optional_vars, entered)

    def _expression(
        self, value: ast.expr, inner: Mapping[str, Binding], *, conditional: bool = False
    ) -> None:
        stack: list[tuple[ast.AST, Mapping[str, Binding]]] = [(value, inner)]
        while stack:
            node, inner = stack.pop()
            match node:
                case ast.Call(func=function):
                    self.uses.append(Use(function, position(node), inner))
                case ast.Attribute(ctx=ast.Load()):
                    self.uses.append(Use(node, position(node), inner, called=False))
                case ast.NamedExpr(target=ast.Name(id=name), value=assigned):
                    binding = Binding("value", position(node), conditional, assigned)
                    self._bind(name, binding)
                case ast.Yield() | ast.YieldFrom():
                    self.yields = True
                case ast.Lambda(args=args):
                    names = [a.arg for a in (*args.posonlyargs, *args.args, *args.kwonlyargs)]
                    names += [a.arg for a in (args.vararg, args.kwarg) if a is not None]
                    inner = {**inner, **{n: Binding("parameter", (0, 0)) for n in names}}
                case ast.ListComp() | ast.SetComp() | ast.DictComp() | ast.GeneratorExp():
                    inner = {**inner, **comprehended(node)}
            stack += [(child, inner) for child in ast.iter_child_nodes(node)]
            trim(node)

    def _bind(self, name: str, binding: Binding) -> None:
        self.bindings.setdefault(name, []).append(binding)

    def _target(self, target: ast.expr, binding: Binding) -> None:
        for node, bound in targets(target, binding):
            if isinstance(node, ast.Name):
                self._bind(node.id, bound)
                if node.id == "__all__" and bound.value is not None:
                    self._export(bound.value)
            elif isinstance(node, ast.Attribute) and (
                isinstance(node.value, ast.Name) and node.value.id == self.first
            ):
                self.attributes.setdefault(node.attr, []).append(bound)

    def _pattern(self, pattern: ast.pattern) -> None:
        for node in ast.walk(pattern):
            name = getattr(node, "name", None) or getattr(node, "rest", None)
            if isinstance(name, str):
                self._bind(name, Binding("parameter", position(pattern), conditional=True))

    def _export(self, value: ast.expr) -> None:
        if isinstance(value, ast.List | ast.Tuple | ast.Set):
            names = (e.value for e in value.elts if isinstance(e, ast.Constant))
            self.exports = (self.exports or set()) | {n for n in names if isinstance(n, str)}

    def _import(self, node: ast.Import | ast.ImportFrom, conditional: bool) -> None:  # noqa: FBT001
        at = position(node)
        for alias in node.names:
            if isinstance(node, ast.Import):
                module = alias.name if alias.asname else alias.name.partition(".")[0]
                binding = Binding("import", at, conditional, module=module)
                self._bind(alias.asname or module, binding)
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
                self._bind(alias.asname or alias.name, binding)
