"""What a stated type is in a repository: the classes that it names, with their type arguments."""

import re
from typing import TYPE_CHECKING

from statetape.code.resolve.javascript_types import Type, stated
from statetape.code.resolve.javascript_value import EXTERNAL, Bound, Several, Value, merged

if TYPE_CHECKING:
    from statetape.code.resolve.javascript_values import Values

_PATH = re.compile(r"[\w$.\s]+(?:<|\Z)")


def typed(path: str, scope: str, annotation: str, bound: Bound = ()) -> Value:
    """Something of a type as a file states it, where a name of that scope is read."""
    return Value("type", path, scope, bound=bound, type=stated(annotation))


def instances(values: "Values", of: Value) -> Several:
    """The classes of something of a stated type, as instances; types of other kinds themselves."""
    type_ = of.type
    match type_.kind:
        case "name":
            bound = dict(of.bound).get(type_.name)
            if bound is None:
                bound = _constraint(values, of)
            if bound is not None:
                return values.instances(bound)
            return merged(
                _named(values, of, value) for value in values.path_in(of.path, of.name, type_.name)
            )
        case "union":
            return merged(values.instances(of._replace(type=each)) for each in type_.of)
        case "typeof":
            return values.path_in(of.path, of.name, type_.name)
        case "member":
            inner = values.instances(of._replace(type=type_.of[0]))
            found = merged(values.member(value, type_.name) for value in inner)
            return merged(values.held(value) for value in found)
        case "other":
            return (EXTERNAL,)
        case _:
            return (of,)


def _constraint(values: "Values", of: Value) -> Value | None:
    """What a type parameter of a class around extends; None where it is no type parameter."""
    scope = of.name
    while scope:
        class_ = values.shape(of.path, scope).classes.get(scope)
        if class_ is not None and of.type.name in class_.parameters:
            outer = scope.rpartition(".")[0]
            return typed(of.path, outer, class_.parameters[of.type.name] or "unknown")
        scope = scope.rpartition(".")[0]
    return None


def _named(values: "Values", of: Value, value: Value) -> Several:
    kind = values.kind(value.path, value.name) if value.kind == "definition" else ""
    if kind in ("class", "interface"):
        return (_applied(values, value._replace(kind="instance"), of.type, of),)
    if kind == "type":
        alias = values.shape(value.path, value.name).values.get(value.name, "")
        return values.instances(typed(value.path, value.name, alias))
    return (of,) if value == EXTERNAL and of.type.of else (value,)


def member(values: "Values", of: Value, name: str) -> Several:
    """The member of something of a type that names no class."""
    match of.type.kind:
        case "object" if name in of.type.names:
            return (of._replace(type=of.type.of[of.type.names.index(name)]),)
        case "list" if name.isdigit():
            return values.instances(of._replace(type=of.type.of[0]))
        case "list" | "function":
            return (EXTERNAL,)
        case "object":
            return ()
        case _:
            return merged(values.member(each, name) for each in values.instances(of) if each != of)


def bases(values: "Values", path: str, name: str, bound: Bound) -> Several:
    """What a class or interface extends, then what it implements, with their type arguments."""
    class_ = values.shape(path, name).classes.get(name)
    scope = name.rpartition(".")[0]
    found: list[Value] = []
    for text in (*class_.extends, *class_.implements) if class_ else ():
        type_ = stated(text)
        if _PATH.match(text):
            named = values.path_in(path, scope, type_.name)
        else:
            named = values.expression(path, text)
        context = Value("type", path, scope, bound=bound)
        held = merged(values.held(value) for value in named)
        found += [_applied(values, each, type_, context) for each in held]
    return tuple(dict.fromkeys(found))


def _applied(values: "Values", of: Value, type_: Type, context: Value) -> Value:
    """A class with its type parameters bound to the arguments of a type, as `context` has it."""
    class_ = values.shape(of.path, of.name).classes.get(of.name) if of.name else None
    if class_ is None or not type_.of or not class_.parameters:
        return of._replace(bound=())
    arguments = zip(class_.parameters, type_.of, strict=False)
    return of._replace(bound=tuple((name, _argument(each, context)) for name, each in arguments))


def _argument(type_: Type, context: Value) -> Value:
    """A type argument; what it is bound to in its context, no deeper than one step."""
    bound = dict(context.bound)
    if type_.kind == "name" and type_.name in bound:
        return bound[type_.name]
    flat = tuple((name, each._replace(bound=())) for name, each in context.bound if name != "this")
    return Value("type", context.path, context.name, bound=flat, type=type_)
