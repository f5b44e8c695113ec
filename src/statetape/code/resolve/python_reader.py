"""Reads the own text of one Python definition into a `Scope`: a pure function of the text."""

import ast
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache

from statetape.code.resolve.python_bindings import Bindings
from statetape.code.resolve.python_lenient import read
from statetape.code.resolve.python_scopes import NOTHING, Binding, Scope, Use
from statetape.code.resolve.python_syntax import (
    COMPREHENSIONS,
    OPERATIONS,
    Comprehension,
    comprehended,
    expression,
    expressions,
    inside,
    operands,
    parameter_names,
    position,
    trim,
)

_Function = ast.FunctionDef | ast.AsyncFunctionDef
SCOPES = 4096
"""How many scopes are remembered."""

_BLOCKS = ("body", "orelse", "finalbody")


@lru_cache(SCOPES)
def scope(text: str, *, module: bool) -> Scope:
    """The scope of a module's residue or of one place of a definition.

    Nested definitions must stand in `text` as one-line stubs. It is read leniently; one that
    cannot be read at all has no names.
    """
    parsed = read(text)
    if parsed is None:
        return NOTHING
    if module:
        return _Reader(parsed.text, outside=True).module(parsed.tree)
    node: ast.stmt | None = parsed.tree.body[0] if parsed.tree.body else None
    if isinstance(node, ast.If):  # the own text was indented
        node = node.body[0]
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
        return _Reader(parsed.text, outside=False).function(node)
    if isinstance(node, ast.ClassDef):
        return _Reader(parsed.text, outside=True).of_class(node)
    return NOTHING


class _Reader:
    """Collects one scope, without recursion: nesting in the text may be deep.

    Outside of functions, a statement that binds one name is a symbol, and holds its uses.
    """

    def __init__(self, text: str, *, outside: bool) -> None:
        self.text = text
        self.bindings = Bindings(outside=outside)
        self.uses: list[Use] = []
        self.reads: dict[tuple[str, str], Use] = {}
        self.returns: list[Use] = []
        self.yielded: list[Use] = []
        self.delegated: list[Use] = []
        self.generates = False
        self.holder = ""

    def module(self, tree: ast.Module) -> Scope:
        self._statements(tree.body)
        return self._scope()

    def of_class(self, node: ast.ClassDef) -> Scope:
        self._statements(node.body)
        named = {keyword.arg: keyword.value for keyword in node.keywords}
        return self._scope(
            outer=self._outer([*node.decorator_list, *node.bases, *named.values()]),
            bases=tuple(node.bases),
            metaclass=named.get("metaclass"),
            decorators=tuple(node.decorator_list),
        )

    def function(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> Scope:
        listed = node.args
        positional = [*listed.posonlyargs, *listed.args]
        around = [*node.decorator_list, *self.bindings.parameters(listed)]
        every = [*positional, *listed.kwonlyargs, listed.vararg, listed.kwarg]
        stated = [each.annotation for each in every if each is not None]
        self._statements(node.body)
        around += [each for each in (*stated, node.returns) if each is not None]
        return self._scope(
            outer=self._outer(around),
            returned=node.returns,
            parameters=tuple(each.arg for each in positional),
            decorators=tuple(node.decorator_list),
        )

    def _scope(self, **fields: object) -> Scope:
        found = self.bindings
        reads = [use for use in self.reads.values() if found.outside or not found.local(use)]
        return Scope(
            text=self.text,
            bindings=found.ordered(found.names),
            stars=tuple(sorted(found.stars, key=lambda binding: binding.at)),
            uses=tuple(sorted((*self.uses, *reads), key=lambda use: use.at)),
            returns=tuple(sorted(self.returns, key=lambda use: use.at)),
            yielded=tuple(self.yielded),
            delegated=tuple(self.delegated),
            generates=self.generates,
            attributes=found.ordered(found.attributes),
            fillings=found.ordered(found.fillings),
            above=frozenset(found.above),
            exports=None if found.exports is None else frozenset(found.exports),
            **fields,  # type: ignore[arg-type]
        )

    def _outer(self, values: Sequence[ast.expr]) -> tuple[Use, ...]:
        """The uses in expressions that are evaluated around the definition, not in it."""
        kept = self.uses, self.reads
        self.uses, self.reads = [], {}
        for value in values:
            quoted = value.value if isinstance(value, ast.Constant) else None
            stated = expression(quoted) if isinstance(quoted, str) and quoted else value
            if stated is not None:
                self._expression(stated, {})
        outer = (*self.uses, *self.reads.values())
        self.uses, self.reads = kept
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
                    self.bindings.branch(branch)
                    nested += branch.body
            inside = conditional or not isinstance(node, ast.With | ast.AsyncWith)
            stack += [(each, inside) for each in reversed(nested)]

    def _statement(self, node: ast.stmt, conditional: bool) -> None:  # noqa: FBT001
        at = position(node)
        self.holder = self.bindings.bind(node, conditional=conditional)
        match node:
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
                return
            case ast.Return(value=ast.expr() as value):
                self.returns.append(Use("read", value, at))
            case ast.Raise(exc=ast.Name() | ast.Attribute() as value):
                self.uses.append(Use("called", value, at))
            case ast.For(iter=value) | ast.AsyncFor(iter=value):
                self.uses.append(Use("iterated", value, at, holder=self.holder))
            case ast.With(items=items) | ast.AsyncWith(items=items):
                self.uses += [Use("entered", item.context_expr, at) for item in items]
        for value in expressions(node):
            self._expression(value, {}, conditional=conditional)

    def _expression(
        self, value: ast.expr, inner: Mapping[str, Binding], *, conditional: bool = False
    ) -> None:
        stack: list[tuple[ast.AST, Mapping[str, Binding]]] = [(value, inner)]
        called: set[int] = set()
        while stack:
            node, inner = stack.pop()
            kind = type(node)
            if kind is ast.Name or kind is ast.Constant:
                if isinstance(node, ast.Name) and id(node) not in called:
                    self._name(node, inner)
            else:
                if kind in _USES and id(node) not in called:
                    _USES[kind](self, node, inner, called)
                if kind in _BINDING:
                    inner = self._bound(node, inner, conditional=conditional)
                stack += [(child, inner) for child in inside(node)]
            trim(node)

    def _bound(
        self, node: ast.AST, inner: Mapping[str, Binding], *, conditional: bool
    ) -> Mapping[str, Binding]:
        """The names that an expression binds for what is in it; a walrus binds one around it."""
        match node:
            case ast.NamedExpr(target=ast.Name(id=name), value=assigned):
                binding = Binding("value", position(node), conditional, assigned)
                self.bindings.add(name, binding)
            case ast.Lambda(args=args):
                unknown = Binding("unknown", (0, 0))
                return {**inner, **dict.fromkeys(parameter_names(args), unknown)}
            case ast.ListComp() | ast.SetComp() | ast.DictComp() | ast.GeneratorExp():
                return {**inner, **comprehended(node)}
        return inner

    def _name(self, node: ast.Name, inner: Mapping[str, Binding]) -> None:
        key = (node.id, self.holder)
        if node.id not in inner and key not in self.reads and isinstance(node.ctx, ast.Load):
            self.reads[key] = Use("read", node, position(node), holder=self.holder)

    def on_call(self, node: ast.Call, inner: Mapping[str, Binding], called: set[int]) -> None:
        if isinstance(node.func, ast.Name | ast.Attribute):
            called.add(id(node.func))
        self.uses.append(Use("called", node.func, position(node), inner, node, self.holder))
        self.bindings.fill(node)

    def on_attribute(
        self, node: ast.Attribute, inner: Mapping[str, Binding], called: set[int]
    ) -> None:
        del called
        read = isinstance(node.ctx, ast.Load)
        self.uses.append(
            Use("read" if read else "written", node, position(node), inner, holder=self.holder)
        )

    def on_yield(
        self, node: ast.Yield | ast.YieldFrom, inner: Mapping[str, Binding], called: set[int]
    ) -> None:
        del called
        self.generates = True
        if node.value is not None:
            held = self.yielded if isinstance(node, ast.Yield) else self.delegated
            held.append(Use("read", node.value, position(node), inner))

    def on_comprehension(
        self, node: Comprehension, inner: Mapping[str, Binding], called: set[int]
    ) -> None:
        del called
        within = {**inner, **comprehended(node)}
        self.uses += [
            Use("iterated", each.iter, position(node), within, holder=self.holder)
            for each in node.generators
        ]

    def on_operation(self, node: ast.expr, inner: Mapping[str, Binding], called: set[int]) -> None:
        del called
        at = position(node)
        self.uses += [
            Use("operand", operand, at, inner, holder=self.holder, method=method)
            for operand, method in operands(node)
        ]


_USES: dict[type[ast.AST], Callable[..., None]] = {
    ast.Call: _Reader.on_call,
    ast.Attribute: _Reader.on_attribute,
    ast.Yield: _Reader.on_yield,
    ast.YieldFrom: _Reader.on_yield,
    **dict.fromkeys(COMPREHENSIONS, _Reader.on_comprehension),
    **dict.fromkeys(OPERATIONS, _Reader.on_operation),
}
_BINDING = frozenset((ast.NamedExpr, ast.Lambda, *COMPREHENSIONS))
