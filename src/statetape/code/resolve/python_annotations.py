"""What Python annotations admit."""

import ast

from statetape.code.resolve.python_expressions import Expressions
from statetape.code.resolve.python_places import Frame
from statetape.code.resolve.python_syntax import expression, last_name
from statetape.code.resolve.python_values import (
    ANYTHING,
    NONE,
    Class,
    Values,
    instances,
    many,
    sequence,
    union,
)

_TRANSPARENT = frozenset(
    {"Optional", "Union", "Annotated", "Final", "ClassVar", "Awaitable", "Required", "NotRequired"}
)
_SEQUENCES = frozenset(
    ("list", "List", "set", "Set", "frozenset", "FrozenSet", "Sequence", "MutableSequence")
) | {"Iterable", "Iterator", "Collection", "deque", "Deque", "AsyncIterator", "AsyncIterable"}
_GENERATORS = frozenset({"Generator", "AsyncGenerator"})
_MAPPINGS = frozenset(("dict", "Dict", "Mapping", "MutableMapping", "defaultdict", "OrderedDict"))
_UNKNOWN = frozenset(("Any", "object", "Callable"))


def annotated(node: ast.expr | None, frame: Frame, meaning: Expressions) -> Values:
    """The objects that an annotation admits; none where it says nothing of use."""
    match node:
        case ast.Constant(value=str(quoted)):
            return meaning.annotated(expression(quoted), frame)
        case ast.BinOp(left=left, right=right):
            return union((meaning.annotated(left, frame), meaning.annotated(right, frame)))
        case ast.Subscript(value=value, slice=inside):
            given = inside.elts if isinstance(inside, ast.Tuple) else [inside]
            return _generic(last_name(value), given, value, frame, meaning)
        case ast.Name() | ast.Attribute():
            if last_name(node) in _UNKNOWN:
                return NONE
            found = meaning.of(node, frame)
            classes = frozenset(value for value in found if isinstance(value, Class))
            aliased = NONE if classes else _alias(node, frame, meaning)
            return union((instances(found), aliased)) if classes or not aliased else aliased
    return NONE


def _alias(node: ast.expr, frame: Frame, meaning: Expressions) -> Values:
    """What a name for another annotation admits: `Both = A | B`."""
    if not isinstance(node, ast.Name):
        return NONE
    return union(
        meaning.annotated(binding.value, place)
        for place in meaning.places.frames(frame.symbol._replace(name=""))
        for binding in meaning.places.bindings(place, node.id)
        if isinstance(binding.value, ast.BinOp | ast.Subscript)
    )


def _generic(
    name: str, given: list[ast.expr], value: ast.expr, frame: Frame, meaning: Expressions
) -> Values:
    if not given:
        return NONE
    if name in _TRANSPARENT:
        return union(meaning.annotated(each, frame) for each in given)
    if name in ("type", "Type"):
        found = union(meaning.of(each, frame) for each in given)
        return frozenset(v._replace(exact=False) if isinstance(v, Class) else v for v in found)
    if name in _SEQUENCES:
        return many(meaning.annotated(given[-1], frame))
    if name in _GENERATORS:
        return many(meaning.annotated(given[0], frame))
    if name in _MAPPINGS:
        return many(meaning.annotated(given[-1], frame), mapping=True)
    if name in ("tuple", "Tuple"):
        parts = [meaning.annotated(each, frame) for each in given]
        some = isinstance(given[-1], ast.Constant) and given[-1].value is ...
        return many(parts[0]) if some else sequence(parts)
    if name in _UNKNOWN:
        return NONE
    return meaning.annotated(value, frame) or ANYTHING
