"""Python's own syntax trees, taken apart."""

import ast
from collections.abc import Iterator

from statetape.code.resolve.python_lenient import read
from statetape.code.resolve.python_scopes import Binding, Part, Position

_IN = (ast.In, ast.NotIn)
_SUBSCRIPTS: dict[type[ast.expr_context], str] = {
    ast.Load: "__getitem__",
    ast.Store: "__setitem__",
    ast.Del: "__delitem__",
}
_OPERATORS: dict[type[ast.operator], str] = {
    ast.Add: "__add__",
    ast.Sub: "__sub__",
    ast.Mult: "__mul__",
    ast.Div: "__truediv__",
    ast.FloorDiv: "__floordiv__",
    ast.Mod: "__mod__",
    ast.Pow: "__pow__",
    ast.MatMult: "__matmul__",
    ast.BitOr: "__or__",
    ast.BitAnd: "__and__",
    ast.BitXor: "__xor__",
    ast.LShift: "__lshift__",
    ast.RShift: "__rshift__",
}
_BARE = frozenset(("ctx", "op", "ops", "id", "attr", "arg", "kind", "conversion", "is_async"))
_LONG = 64
_TEXT = 200
Comprehension = ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp
OPERATIONS = (ast.Subscript, ast.BinOp, ast.Compare, ast.FormattedValue)
COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


def expression(text: str) -> ast.expr | None:
    """A quoted annotation as an expression, None where it is none."""
    parsed = read(f"({text})", attempts=1)
    node = parsed.tree.body[0] if parsed and parsed.tree.body else None
    return node.value if isinstance(node, ast.Expr) else None


def position(node: ast.stmt | ast.expr | ast.excepthandler | ast.pattern) -> Position:
    """Where a node starts."""
    return node.lineno, node.col_offset


def last_name(node: ast.expr | None) -> str:
    """The last name of a dotted name, or of what a call calls; empty for anything else."""
    if isinstance(node, ast.Call):
        node = node.func
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else ""


def expressions(node: ast.stmt) -> list[ast.expr]:
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


def targets(target: ast.expr, binding: Binding) -> list[tuple[ast.expr, Binding]]:
    """The single targets in an unpacking, each with the positions to take of the value."""
    found = []
    stack = [(target, binding)]
    while stack:
        node, bound = stack.pop()
        if isinstance(node, ast.Tuple | ast.List):
            for each, part in zip(node.elts, _parts(node.elts), strict=True):
                inner = each.value if isinstance(each, ast.Starred) else each
                stack.append((inner, bound._replace(part=(*bound.part, part))))
        else:
            found.append((node, bound))
    return found


def _parts(elements: list[ast.expr]) -> Iterator[Part]:
    star = next((i for i, each in enumerate(elements) if isinstance(each, ast.Starred)), None)
    for i in range(len(elements)):
        if star is None or i < star:
            yield i
        else:
            yield (i, len(elements) - 1 - i) if i == star else i - len(elements)


def comprehended(node: Comprehension) -> dict[str, Binding]:
    """The names that a comprehension binds for itself."""
    return {
        target.id: binding
        for generator in node.generators
        for target, binding in targets(
            generator.target, Binding("element", (0, 0), value=generator.iter)
        )
        if isinstance(target, ast.Name)
    }


def operands(node: ast.expr) -> list[tuple[ast.expr, str]]:
    """The operands of an operation, each with the method that it runs on this one."""
    match node:
        case ast.Subscript(value=value, ctx=context):
            return [(value, _SUBSCRIPTS[type(context)])]
        case ast.BinOp(left=left, op=operator):
            return [(left, _OPERATORS[type(operator)])]
        case ast.Compare(ops=operators, comparators=compared):
            pairs = zip(operators, compared, strict=True)
            return [(each, "__contains__") for op, each in pairs if isinstance(op, _IN)]
        case ast.FormattedValue(value=value):
            return [(value, "__str__")]
    return []


def inside(node: ast.AST) -> list[ast.AST]:
    """The nodes directly in a node, without contexts and operators."""
    found: list[ast.AST] = []
    for field in node._fields:
        if field not in _BARE:
            value = getattr(node, field, None)
            if isinstance(value, list):
                found += [each for each in value if isinstance(each, ast.AST)]
            elif isinstance(value, ast.AST):
                found.append(value)
    return found


def parameter_names(listed: ast.arguments) -> list[str]:
    """The names of all parameters."""
    named = [a.arg for a in (*listed.posonlyargs, *listed.args, *listed.kwonlyargs)]
    return named + [a.arg for a in (listed.vararg, listed.kwarg) if a is not None]


def trim(node: ast.AST) -> None:
    """Let go of what no resolution reads, once it was seen: scopes are kept by the thousand."""
    if isinstance(node, ast.Constant):
        if isinstance(node.value, str | bytes) and len(node.value) > _TEXT:
            node.value = b""
    elif isinstance(node, ast.List | ast.Tuple | ast.Set):
        del node.elts[_LONG:]
    elif isinstance(node, ast.Dict):
        del node.keys[_LONG:], node.values[_LONG:]
