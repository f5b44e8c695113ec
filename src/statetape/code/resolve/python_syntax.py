"""Python's own syntax trees: read leniently, and taken apart."""

import ast
import warnings

from statetape.code.resolve.python_scopes import Binding, Position

_ATTEMPTS = 8
_LONG = 64
_Comprehension = ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp


def expression(text: str) -> ast.expr | None:
    """A quoted annotation as an expression, None where it is none."""
    parsed = tree(f"({text})", attempts=1)
    node = parsed.body[0] if parsed and parsed.body else None
    return node.value if isinstance(node, ast.Expr) else None


def tree(text: str, attempts: int = _ATTEMPTS) -> ast.Module | None:
    """The syntax tree of a text, None where it cannot be read.

    A line that does not parse counts as `pass`, as long as there are few of them.
    """
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


def position(node: ast.stmt | ast.expr | ast.excepthandler | ast.pattern) -> Position:
    """Where a node starts."""
    return node.lineno, node.col_offset


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
            starred = any(isinstance(each, ast.Starred) for each in node.elts)
            for i, each in enumerate(node.elts):
                part = (*bound.part, None if starred else i)
                inner = each.value if isinstance(each, ast.Starred) else each
                stack.append((inner, bound._replace(part=part)))
        else:
            found.append((node, bound))
    return found


def comprehended(node: _Comprehension) -> dict[str, Binding]:
    """The names that a comprehension binds for itself."""
    return {
        target.id: binding
        for generator in node.generators
        for target, binding in targets(
            generator.target, Binding("element", (0, 0), value=generator.iter)
        )
        if isinstance(target, ast.Name)
    }


def trim(node: ast.AST) -> None:
    """Let go of what no resolution reads, once it was seen: scopes are kept by the thousand."""
    if isinstance(node, ast.Call):
        node.args, node.keywords = [], []
    elif isinstance(node, ast.List | ast.Tuple | ast.Set) and len(node.elts) > _LONG:
        node.elts = []
    elif isinstance(node, ast.Dict) and len(node.values) > _LONG:
        node.keys, node.values = [], []
