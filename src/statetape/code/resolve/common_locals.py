"""Local variables: which of them a name means where it is read, and what they are given."""

from collections.abc import Sequence
from typing import NamedTuple

from tree_sitter import Node

from statetape.code.dialects import Dialect
from statetape.code.extract.common_types import type_text
from statetape.code.resolve.common_items import Item, Items
from statetape.code.treesitter import text

_INFERRED = ("var", "auto", "val", "let", "dynamic", "_")


class Given(NamedTuple):
    """What a variable is given: a stated type, or a value or an element of one (None: unknown)."""

    type: str = ""
    value: Node | None = None
    element: bool = False


class Locals(NamedTuple):
    """The variables in order with what each is given; the number of the one each node reads.

    `fields` are the ids of nodes that name what is assigned and not local.
    """

    variables: list[list[Given]]
    read: dict[int, int]
    fields: set[int]


class _Scope(dict[str, int]):
    """The numbers of the variables of a block that are visible so far; where it ends."""

    def __init__(self, end: int) -> None:
        super().__init__()
        self.end = end


class _Pending(NamedTuple):
    """A variable that is visible from a byte on, behind the value it is given."""

    since: int
    scope: _Scope
    name: str
    variable: int


def local_names(dialect: Dialect, data: bytes, found: Items) -> Locals:
    """The local variables of a text.

    A variable is visible from behind its first value to the end of its block; what is assigned to
    it anywhere there is all it can be. Where names are not declared, the first assignment does.
    """
    locals_ = Locals([], {}, set())
    made = {item.node.id for item in found.items if item.role == "new"}
    root = _Scope(len(data))
    scopes = [root]
    pending: list[_Pending] = []
    for item in found.items:
        at = item.node.start_byte
        while len(scopes) > 1 and scopes[-1].end <= at:
            scopes.pop()
        for each in [each for each in pending if each.since <= at]:
            each.scope[each.name] = each.variable
            pending.remove(each)
        name = item.first("name")
        if item.role == "block":
            scopes.append(_Scope(item.node.end_byte))
        elif item.role in ("bind", "each") and name:
            locals_.variables.append([_given(data, item, made)])
            scope, variable = scopes[-1], len(locals_.variables) - 1
            pending.append(_Pending(_end(item), scope, text(data, name), variable))
        elif item.role == "assign" and name:
            known = _variable(scopes, text(data, name))
            if known is not None:
                locals_.variables[known].append(Given(value=item.first("value")))
            elif dialect.declares:
                locals_.fields.add(name.id)
            else:
                locals_.variables.append([Given(value=item.first("value"))])
                variable = len(locals_.variables) - 1
                pending.append(_Pending(_end(item), root, text(data, name), variable))
        elif item.role in ("read", "call") and not item.first("receiver"):
            known = _variable(scopes, text(data, name or item.node).partition("::")[0])
            if known is not None:
                locals_.read[item.node.id] = known
    return locals_


def _given(data: bytes, item: Item, made: set[int]) -> Given:
    """What a declaration gives; a new object says its class better than the stated type does."""
    type_, value = item.first("type"), item.first("value")
    stated = type_text(data, type_) if type_ else ""
    new = value is not None and value.id in made and item.role == "bind"
    if stated and stated not in _INFERRED and not new:
        return Given(stated)
    return Given(value=value, element=item.role == "each")


def _end(item: Item) -> int:
    """Where what an item names, states and gives has ended."""
    roles = ("name", "type", "value")
    return max(node.end_byte for role in roles for node in item.captures.get(role, ()))


def _variable(scopes: Sequence[_Scope], name: str) -> int | None:
    return next((scope[name] for scope in reversed(scopes) if name in scope), None)
