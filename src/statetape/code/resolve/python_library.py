"""What callables outside of the repository give of their arguments, and which of these they run.

Rule 14. What is not named here gives something external.
"""

import ast
from collections.abc import Callable

from statetape.code.resolve.python_expressions import Expressions, Given
from statetape.code.resolve.python_places import Frame
from statetape.code.resolve.python_values import (
    ANYTHING,
    NONE,
    Class,
    Constant,
    Container,
    External,
    Function,
    Prefix,
    Values,
    containers,
    elements,
    held,
    item,
    many,
    ordered,
    sequence,
    table,
    union,
)

_RUN = frozenset(("map", "filter", "functools.partial", "functools.reduce", "reduce"))
_RUN_AS_KEY = frozenset(("sorted", "min", "max"))
_OF_ELEMENTS = frozenset(
    ("list", "tuple", "set", "frozenset", "sorted", "reversed", "iter", "collections.deque")
)
_ELEMENT = frozenset(("next", "min", "max", "random.choice"))
_SAME = {"copy.copy": 0, "copy.deepcopy": 0, "typing.cast": 1, "functools.partial": 0}
_HELD = frozenset(("get", "pop", "setdefault", "popleft"))
_COPIES = frozenset(("copy", "union", "difference", "intersection"))


class Arguments:
    """The positional arguments of a call."""

    def __init__(self, given: Given, meaning: Expressions) -> None:
        self._frame = given.frame
        self._meaning = meaning
        self._nodes = [
            node.value if isinstance(node, ast.Starred) else node
            for node in (given.call.args if given.call is not None else ())
        ]

    def at(self, position: int) -> Values:
        """What an argument can be, nothing where there is none."""
        if position >= len(self._nodes):
            return NONE
        return self._meaning.of(self._nodes[position], self._frame)

    def all(self) -> list[Values]:
        """What each argument can be."""
        return [self._meaning.of(node, self._frame) for node in self._nodes]


def run(name: str, call: ast.Call, frame: Frame, meaning: Expressions) -> Values:
    """The arguments that a callable of the library calls."""
    found: list[Values] = []
    if name in _RUN:
        found = Arguments(Given(frame, call), meaning).all()
    elif name in _RUN_AS_KEY:
        found = [meaning.of(k.value, frame) for k in call.keywords if k.arg == "key"]
    return frozenset(v for v in union(found) if isinstance(v, Function | Class))


def given_back(name: str, given: Given | None, meaning: Expressions) -> Values:
    """What a callable of the library gives of its arguments."""
    if given is None or given.call is None:
        return given.value if given is not None and given.value else ANYTHING
    arguments = Arguments(given, meaning)
    if name in _SAME:
        return arguments.at(_SAME[name]) or ANYTHING
    made = _MADE.get(name)
    if made is not None:
        return made(arguments, meaning)
    if name in _OF_ELEMENTS:
        return many(elements(arguments.at(0)))
    if name in _ELEMENT:
        every = arguments.all()
        return elements(every[0]) if len(every) == 1 else union(every)
    if name == "dict":
        named = table((k.arg, meaning.of(k.value, given.frame)) for k in given.call.keywords)
        copied = (c for c in containers(arguments.at(0)) if c.mapping)
        return union((named, *(frozenset([each]) for each in copied)))
    return frozenset([External(f"{name}()")]) if name else ANYTHING


def _mapped(arguments: Arguments, meaning: Expressions) -> Values:
    functions = (v for each in arguments.all() for v in ordered(each) if isinstance(v, Function))
    return many(union(meaning.result(each) for each in functions))


def _filtered(arguments: Arguments, meaning: Expressions) -> Values:  # noqa: ARG001
    return many(elements(arguments.at(1)))


def _enumerated(arguments: Arguments, meaning: Expressions) -> Values:  # noqa: ARG001
    return many(sequence([ANYTHING, elements(arguments.at(0))]))


def _zipped(arguments: Arguments, meaning: Expressions) -> Values:  # noqa: ARG001
    return many(sequence([elements(each) for each in arguments.all()]))


_MADE: dict[str, Callable[[Arguments, Expressions], Values]] = {
    "map": _mapped,
    "filter": _filtered,
    "enumerate": _enumerated,
    "zip": _zipped,
}


def of_builtin(
    name: str, receiver: Values, call: ast.Call, frame: Frame, meaning: Expressions
) -> Values:
    """What the methods of lists, dictionaries and texts give of what these hold."""
    own = [value for value in ordered(receiver) if isinstance(value, Container | Constant)]
    values: Values = frozenset(own)
    if not own:
        return NONE
    if name in _HELD:
        given = [meaning.of(each, frame) for each in call.args]
        return union((item(values, given[0] if given else NONE), *given[1:]))
    if name == "values":
        return many(held(values))
    if name == "items":
        return many(sequence([elements(values), held(values)]))
    if name == "format":
        texts = (v.value for v in own if isinstance(v, Constant) and isinstance(v.value, str))
        return frozenset(Prefix(text.partition("{")[0]) for text in texts)
    return values if name in _COPIES else NONE
