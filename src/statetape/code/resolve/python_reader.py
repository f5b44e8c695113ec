"""Reads the own text of one Python definition into a `Scope`: a pure function of the text."""

import ast
import warnings
from collections.abc import Mapping, Sequence
from functools import lru_cache

from statetape.code.resolve.python_scopes import NOTHING, Binding, Position, Scope, Use

_ATTEMPTS = 8
_LONG = 64
_Function = ast.FunctionDef | ast.AsyncFunctionDef
_Comprehension = ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp
_BLOCKS = ("body", "orelse", "finalbody")


@lru_cache(maxsize=4096)
def scope(text: str, *, module: bool) -> Scope:
    """The scope of a module's residue or of one place of a definition.

    Nested definitions must stand in `text` as one-line stubs. Lines that do not parse count as
    `pass`; a text that cannot be read at all has no names.
    """
    tree = _tree(text)
    if tree is None:
        return NOTHING
    if module:
        return _Reader().module(tree)
    node: ast.stmt | None = tree.body[0] if tree.body else None
    if isinstance(node, ast.If):  # the own text was indented
        node = node.body[0]
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
        return _Reader().function(node)
    return _Reader().of_class(node) if isinstance(node, ast.ClassDef) else NOTHING


def expression(text: str) -> ast.expr | None:
    """A quoted annotation as an expression, None where it is none."""
    tree = _tree(f"({text})", attempts=1)
    node = tree.body[0] if tree and tree.body else None
    return node.value if isinstance(node, ast.Expr) else None


def _tree(text: str, attempts: int = _ATTEMPTS) -> ast.Module | None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for _ in range(attempts):
            try:
                return ast.parse(text)
            except SyntaxError as error:
                lines = text.split("\n")
                line = (
                    lines[error.lineno - 1] if error.lineno and error.lineno <= len(lines) else ""
                )
                if not error.lineno or line.strip() in ("", "pass"):
                    return None
                lines[error.lineno - 1] = line[: len(line) - len(line.lstrip())] + "pass"
                text = "\n".join(lines)
            except (ValueError, RecursionError, MemoryError):
                return None
    return None


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
                for part in (*getattr(node, "handlers", ()), *getattr(node, "cases", ())):
                    nested += part.body
            inside = conditional or not isinstance(node, ast.With | ast.AsyncWith)
            stack += [(each, inside) for each in reversed(nested)]

    def _statement(self, node: ast.stmt, conditional: bool) -> None:  # noqa: FBT001
        at = _position(node)
        match node:
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
                self._bind(name, Binding("definition", at, conditional))
                return
            case ast.ClassDef(name=name):
                self._bind(name, Binding("definition", at, conditional))
                return
            case ast.Import() | ast.ImportFrom():
                self._import(node, conditional)
                return
            case ast.Global(names=names) | ast.Nonlocal(names=names):
                self.above.update(names)
                return
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
            case ast.Return(value=ast.expr() as value):
                self.returns.append(Use(value, at, {}))
            case ast.Raise(exc=ast.Name() as value) | ast.Raise(exc=ast.Attribute() as value):
                self.uses.append(Use(value, at, {}))
            case ast.Try(handlers=handlers):
                for handler in handlers:
                    if handler.name:
                        caught = Binding(
                            "caught", _position(handler), conditional=True, value=handler.type
                        )
                        self._bind(handler.name, caught)
            case ast.Match(cases=cases):
                for case in cases:
                    self._pattern(case.pattern)
        for value in _expressions(node):
            self._expression(value, {}, conditional=conditional)

    def _expression(
        self, value: ast.expr, inner: Mapping[str, Binding], *, conditional: bool = False
    ) -> None:
        stack: list[tuple[ast.AST, Mapping[str, Binding]]] = [(value, inner)]
        while stack:
            node, inner = stack.pop()
            match node:
                case ast.Call(func=function):
                    self.uses.append(Use(function, _position(node), inner))
                case ast.Attribute(ctx=ast.Load()):
                    self.uses.append(Use(node, _position(node), inner, called=False))
                case ast.NamedExpr(target=ast.Name(id=name), value=assigned):
                    binding = Binding("value", _position(node), conditional, assigned)
                    self._bind(name, binding)
                case ast.Yield() | ast.YieldFrom():
                    self.yields = True
                case ast.Lambda(args=args):
                    names = [a.arg for a in (*args.posonlyargs, *args.args, *args.kwonlyargs)]
                    names += [a.arg for a in (args.vararg, args.kwarg) if a is not None]
                    inner = {**inner, **{n: Binding("parameter", (0, 0)) for n in names}}
                case ast.ListComp() | ast.SetComp() | ast.DictComp() | ast.GeneratorExp():
                    inner = {**inner, **_comprehended(node)}
            stack += [(child, inner) for child in ast.iter_child_nodes(node)]
            _trim(node)

    def _bind(self, name: str, binding: Binding) -> None:
        self.bindings.setdefault(name, []).append(binding)

    def _target(self, target: ast.expr, binding: Binding) -> None:
        for node, bound in _targets(target, binding):
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
                self._bind(name, Binding("parameter", _position(pattern), conditional=True))

    def _export(self, value: ast.expr) -> None:
        if isinstance(value, ast.List | ast.Tuple | ast.Set):
            names = (e.value for e in value.elts if isinstance(e, ast.Constant))
            self.exports = (self.exports or set()) | {n for n in names if isinstance(n, str)}

    def _import(self, node: ast.Import | ast.ImportFrom, conditional: bool) -> None:  # noqa: FBT001
        at = _position(node)
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


def _position(node: ast.stmt | ast.expr | ast.excepthandler | ast.pattern) -> Position:
    return node.lineno, node.col_offset


def _expressions(node: ast.stmt) -> list[ast.expr]:
    """The expressions of a statement itself, not of the statements nested in it."""
    found: list[ast.expr] = []
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.expr):
            found.append(child)
        elif isinstance(child, ast.withitem):
            found.append(child.context_expr)
        elif isinstance(child, ast.ExceptHandler) and child.type is not None:
            found.append(child.type)
        elif isinstance(child, ast.match_case) and child.guard is not None:
            found.append(child.guard)
    return found


def _targets(target: ast.expr, binding: Binding) -> list[tuple[ast.expr, Binding]]:
    """The single targets in an unpacking, each with the positions to take of the value."""
    found = []
    stack = [(target, binding)]
    while stack:
        node, bound = stack.pop()
        if isinstance(node, ast.Tuple | ast.List):
            starred = any(isinstance(each, ast.Starred) for each in node.elts)
            for i, each in enumerate(node.elts):
                part = (*bound.part, None if starred else i)
                inner = each.value if isinstance(each, ast.Starred) else each
                stack.append((inner, bound._replace(part=part)))
        else:
            found.append((node, bound))
    return found


def _comprehended(node: _Comprehension) -> dict[str, Binding]:
    return {
        target.id: binding
        for generator in node.generators
        for target, binding in _targets(
            generator.target, Binding("element", (0, 0), value=generator.iter)
        )
        if isinstance(target, ast.Name)
    }


def _trim(node: ast.AST) -> None:
    """Let go of what no resolution reads, once it was seen: scopes are kept by the thousand."""
    if isinstance(node, ast.Call):
        node.args, node.keywords = [], []
    elif isinstance(node, ast.List | ast.Tuple | ast.Set) and len(node.elts) > _LONG:
        node.elts = []
    elif isinstance(node, ast.Dict) and len(node.values) > _LONG:
        node.keys, node.values = [], []
