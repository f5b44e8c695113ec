"""By word, where a scope calls what goes by it, hands it over, or gives it another name."""

import ast
from collections.abc import Mapping, Sequence

from statetape.code.resolve.python_scopes import Binding, Scope, Use
from statetape.code.resolve.python_syntax import last_name

_Mentions = Mapping[str, Sequence[Use | Binding]]


def mentions(own: Scope) -> _Mentions:
    """The calls and bindings of a scope by the last names in them; a binding has its new name."""
    found: dict[str, list[Use | Binding]] = {}
    for use in (*own.uses, *own.outer):
        if use.call is not None:
            for word in _in_call(use.value, use.call):
                found.setdefault(word, []).append(use)
    for held in (own.bindings, own.attributes):
        for name, bindings in held.items():
            for binding in bindings:
                word = last_name(binding.value) if binding.kind == "value" else ""
                if word:
                    found.setdefault(word, []).append(binding._replace(name=name))
    return found


def _in_call(called: ast.expr, call: ast.Call) -> set[str]:
    """The last names of what is called and of what it is given."""
    given = (*call.args, *(keyword.value for keyword in call.keywords))
    return {last_name(called), *map(last_name, given)} - {""}
