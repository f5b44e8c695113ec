"""What the parameters of JavaScript functions may be: what calls in their own file hand over."""

import re
from typing import TYPE_CHECKING

from statetape.code.extract.javascript_shape import Source
from statetape.code.recent import Recent
from statetape.code.resolve.javascript_terms import Function, Term
from statetape.code.resolve.javascript_typed import typed
from statetape.code.resolve.javascript_value import Several, Value, merged
from statetape.code.resolve.javascript_values import Values
from statetape.types import SymbolId

if TYPE_CHECKING:
    from statetape.code.resolve.javascript_meaning import Meaning

# Read backwards, from its sign: what stands before an opening parenthesis.
_CALLED = re.compile(rb"\(\s*(?:>[^<>()]*<\s*)?([\w$]*[A-Za-z_$])")
_OF_ELEMENTS = ("forEach", "map", "filter", "find", "some", "every", "flatMap", "findIndex", "sort")
_OF_RESULT = ("then", "finally")
_MOST_CALLERS = 50
"""What more definitions of a file call than these gets anything: nothing is known of it."""

Callers = dict[str, tuple[str, ...]]

_callers: Recent[bytes, Callers] = Recent(5_000_000)


def called(text: bytes) -> set[str]:
    """The names that stand before an opening parenthesis in a text."""
    return {name[::-1].decode() for name in _CALLED.findall(text[::-1])}


def own_texts(source: Source) -> dict[str, bytes]:
    """The own text of each definition of a file."""
    return {name: own_text(source, name) for name in source.blocks}


def own_text(source: Source, name: str) -> bytes:
    """The own text of a definition in all its places, nothing where there is none."""
    found = b""
    for block in source.blocks.get(name, ()):
        at, parts = block.span.start, []
        for child in block.children:
            parts.append(source.data[at : child.span.start])
            at = child.span.end
        parts.append(source.data[at : block.span.end])
        found += b"\n".join(parts)
    return found


def callers(source: Source) -> Callers:
    """The definitions whose own text calls something of a name. Cost: one scan, remembered."""

    def scanned() -> Callers:
        found: dict[str, list[str]] = {}
        for owner, text in own_texts(source).items():
            for name in called(text):
                found.setdefault(name, []).append(owner)
        return {name: tuple(owners) for name, owners in found.items()}

    return _callers.get(source.data, len(source.data), scanned)


def arguments(values: Values, owner: SymbolId, position: int) -> Several:
    """What the calls in the file of a function hand over at a position."""
    return values.once(_arguments, values, owner, position)


def _arguments(values: Values, owner: SymbolId, position: int) -> Several:
    outer, _, name = owner.name.rpartition(".")
    names = (outer.rpartition(".")[2], "super") if name == "constructor" else (name,)
    found: list[Several] = []
    for each in names:
        facts = values.lookup.facts(owner.path, f"{each}()")
        if facts is None or not isinstance(facts.detail, Source):
            continue
        known = callers(facts.detail).get(each, ())
        for caller in known if len(known) <= _MOST_CALLERS else ():
            for text in values.meanings(owner.path, caller):
                found += _handed_by(text, each, owner, position)
    return merged(found)


def _handed_by(text: "Meaning", name: str, owner: SymbolId, position: int) -> list[Several]:
    terms = text.terms.terms
    found = []
    for number in text.terms.calls:
        call = terms[number]
        if len(call.of) <= position + 1 or call.kind == "element":
            continue
        callee = terms[call.of[0]]
        is_super = callee.kind == "inherited" and callee.name == "constructor"
        named = name == "super" if is_super else callee.name == name
        shift = 0
        if callee.kind == "member" and callee.name in ("call", "bind"):
            named, shift = terms[callee.of[0]].name == name, 1
        reached = named or callee.kind in ("local", "either", "parameter", "nested")
        at = position + 1 + shift
        if reached and at < len(call.of) and owner in _targets(text, call):
            found.append(text.of(call.of[at]))
    return found


def _targets(text: "Meaning", call: Term) -> set[SymbolId]:
    values = text.values
    targets = text.held(call.of[0])
    if call.kind == "made":
        instances = (v._replace(kind="instance", bound=()) for v in targets if v.path and v.name)
        found = merged(values.member(each, "constructor") for each in instances)
        targets = (*targets, *found)
    return {SymbolId(v.path, v.name) for v in targets if v.kind == "definition"}


def handed(text: "Meaning", function: Function, position: int) -> Several:
    """What a function without a name gets from the call that it is an argument of."""
    if function.passed is None:
        return ()
    number, at = function.passed
    call = text.terms.terms[number]
    callee = text.terms.terms[call.of[0]]
    if at < 0:
        return text.of(call.of[position + 1]) if len(call.of) > position + 1 else ()
    if callee.kind == "member" and callee.name in _OF_ELEMENTS and position == 0:
        found = merged(text.element(each) for each in text.held(callee.of[0]))
        if found:
            return found
    if callee.kind == "member" and callee.name in _OF_RESULT and position == 0:
        return text.held(callee.of[0])
    return merged(_expected(text, value, at, position) for value in text.held(call.of[0]))


def _expected(text: "Meaning", callee: Value, at: int, position: int) -> Several:
    """What a function says of the parameters of one that it takes."""
    values = text.values
    if callee.kind == "type" and callee.type.kind == "function" and len(callee.type.of) > at + 1:
        return _parameter_of(values, callee._replace(type=callee.type.of[at + 1]), position)
    found: list[Several] = []
    for each in values.meanings(callee.path, callee.name) if callee.kind == "definition" else ():
        own = each.terms.own
        parameters = each.terms.functions[own].parameters if own >= 0 else ()
        if at < len(parameters) and parameters[at]:
            taken = typed(callee.path, callee.name, parameters[at], callee.bound)
            found.append(_parameter_of(values, taken, position))
    return merged(found)


def _parameter_of(values: Values, of: Value, position: int) -> Several:
    functions = [
        each
        for each in values.instances(of)
        if each.kind == "type" and each.type.kind == "function"
    ]
    return merged(
        values.instances(each._replace(type=each.type.of[position + 1]))
        for each in functions
        if len(each.type.of) > position + 1
    )
