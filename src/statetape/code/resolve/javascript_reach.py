"""Which definitions the text of a JavaScript symbol reaches, and how."""

from collections.abc import Iterator

from statetape.code.resolve.javascript_meaning import Meaning
from statetape.code.resolve.javascript_value import EXTERNAL, Several, Value, merged
from statetape.code.resolve.javascript_values import Values
from statetape.types import Mark, SymbolId

Reached = Iterator[tuple[SymbolId, Mark]]

_SUFFIXES = (".js", ".jsx", ".mjs", ".cjs", ".ts", ".tsx", ".mts", ".cts")
_READ = ("variable", "field", "type", "enum")
_CALLING = frozenset(
    [
        "map",
        "forEach",
        "filter",
        "reduce",
        "some",
        "every",
        "find",
        "findIndex",
        "sort",
        "then",
        "catch",
        "finally",
        "flatMap",
        "setTimeout",
        "setInterval",
        "nextTick",
        "setImmediate",
        "addEventListener",
        "on",
        "once",
        "from",
        "replace",
        "queueMicrotask",
    ]
)
"""What calls the functions that are handed to it, where it is none of the repository."""
_FAMOUS = _CALLING | frozenset(
    [
        "push",
        "pop",
        "shift",
        "unshift",
        "join",
        "slice",
        "splice",
        "concat",
        "toString",
        "valueOf",
        "keys",
        "values",
        "entries",
        "get",
        "set",
        "has",
        "add",
        "delete",
        "clear",
        "indexOf",
        "bind",
        "includes",
        "split",
        "test",
        "exec",
        "call",
        "apply",
        "log",
        "trim",
        "match",
        "emit",
        "end",
        "write",
        "close",
        "error",
        "warn",
        "info",
        "next",
        "send",
        "json",
        "status",
        "constructor",
    ]
)
"""Names that say nothing of the receiver."""
_MOST_GUESSES = 3


def calls_of(text: Meaning) -> Reached:
    """What the calls of a text reach: definitions, overrides of them, guesses."""
    for number in text.terms.calls:
        term = text.terms.terms[number]
        if term.kind == "element":
            yield from _iterated(text, term.of[0])
            continue
        callee = term.of[0]
        targets = text.held(callee)
        made = term.kind == "made"
        for value in targets:
            yield from _called(text.values, value, made=made)
        variable = text.terms.terms[callee]
        if variable.kind == "variable" and any(v.text is text for v in targets):
            yield SymbolId(text.owner.path, variable.name), "exact"
        if not made:
            yield from _overrides(text, callee)
        known = [value for value in targets if value != EXTERNAL]
        if not known and text.terms.terms[callee].name in _CALLING:
            handed = (v for each in term.of[1:] for v in text.held(each))
            yield from ((s, "exact") for v in handed if (s := _function(text.values, v)))
        elif not targets:
            yield from _guesses(text, callee)
    yield from _getters(text)


def mentions_of(text: Meaning) -> Reached:
    """What a text names: functions and classes, and what it reads of variables, fields, types."""
    values, terms = text.values, text.terms.terms
    taken = {
        terms[number].of[0]
        for number in text.terms.mentions
        if terms[number].kind == "member" and _in_literal(text, number)
    }
    for number in text.terms.mentions:
        term = terms[number]
        if term.kind == "variable":
            found: Several = values.top(text.owner.path, term.name)
        else:
            is_member = term.kind in ("member", "inherited", "element")
            found = text.found(number) if is_member else text.of(number)
        for value in found:
            symbol = values.symbol(value)
            if symbol is None:
                continue
            if values.kind(*symbol) not in _READ:
                yield symbol, "exact"
            elif number not in taken:
                yield symbol, "uses"
    for name in text.terms.types:
        for value in values.path_in(text.owner.path, text.owner.name, name):
            symbol = values.symbol(value)
            if symbol is not None and values.kind(*symbol) in _READ:
                yield symbol, "uses"


def _in_literal(text: Meaning, number: int) -> bool:
    """Whether a member is what an object literal says it is: that of its variable is not read."""
    term, values = text.terms.terms[number], text.values
    for of in text.of(term.of[0]):
        if of.kind != "definition" or values.kind(of.path, of.name) != "variable":
            continue
        found = values.member(of, term.name)
        literal = any(h.kind == "term" for h in values.held(of)) or values.holds(of.path, of.name)
        if literal and any(values.symbol(each) for each in found):
            return True
    return False


def _called(values: Values, of: Value, *, made: bool) -> Reached:
    symbol = values.symbol(of)
    if symbol is None:
        if of.kind == "term" and made and of.text is not None:
            found = of.text.member(of.number, "constructor")
            yield from ((s, "exact") for each in found if (s := values.symbol(each)))
        elif of.kind == "term" and of.text is not None and of.text.owner.name:
            yield of.text.owner, "exact"
        return
    if values.kind(*symbol) not in _READ:
        yield symbol, "exact"
    if made:
        instance = of._replace(kind="instance", bound=())
        for each in values.member(instance, "constructor"):
            if constructor := values.symbol(each):
                yield constructor, "exact"


def _function(values: Values, of: Value) -> SymbolId | None:
    symbol = values.symbol(of)
    return symbol if symbol and values.kind(*symbol) in ("function", "method") else None


def _iterated(text: Meaning, number: int) -> Reached:
    for value in text.held(number):
        if value.kind == "instance":
            for each in text.values.member(value, "[Symbol.iterator]"):
                if symbol := text.values.symbol(each):
                    yield symbol, "exact"


def _getters(text: Meaning) -> Reached:
    for number in text.terms.mentions:
        if text.terms.terms[number].kind in ("member", "inherited"):
            for value in text.found(number):
                if text.values.is_getter(value) and (symbol := text.values.symbol(value)):
                    yield symbol, "exact"


def _overrides(text: Meaning, callee: int) -> Reached:
    """The overrides that a call on an inexact receiver may reach."""
    term, values = text.terms.terms[callee], text.values
    if term.kind != "member" or term.name.startswith("#") or term.name == "constructor":
        return
    for receiver in merged(values.held(each) for each in text.of(term.of[0])):
        if receiver.kind == "instance" and not receiver.exact and receiver.text is None:
            for heir in _heirs(values, SymbolId(receiver.path, receiver.name)):
                member = values.member(Value("instance", *heir), term.name)
                for value in merged(values.held(each) for each in member):
                    if symbol := _function(values, value):
                        yield symbol, "virtual"


def _heirs(values: Values, class_: SymbolId) -> list[SymbolId]:
    """All subclasses and implementations of a class or interface."""
    found: dict[SymbolId, None] = {}
    border = [class_]
    while border:
        base = border.pop()
        name = base.name.rpartition(".")[2]
        exports = values.shape(base.path, "default").exports
        names = [name, "default"] if exports.get("default") == ("", base.name) else [name]
        for heir in (each for name in names for each in values.lookup.heirs(name)):
            if heir in found or not heir.path.endswith(_SUFFIXES):
                continue
            bases = values.bases(Value("instance", *heir))
            if any((each.path, each.name) == base for each in bases):
                found[heir] = None
                border.append(heir)
    return list(found)


def _guesses(text: Meaning, callee: int) -> Reached:
    """The methods of that name, where nothing is known of the receiver and there are few."""
    term = text.terms.terms[callee]
    if term.kind != "member" or term.name in _FAMOUS or text.held(term.of[0]):
        return
    named = [
        symbol
        for symbol in text.values.lookup.named(term.name)
        if symbol.path.endswith(_SUFFIXES)
        and "." in symbol.name
        and text.values.kind(*symbol) in ("method", "function")
    ]
    if len(named) <= _MOST_GUESSES:
        yield from ((symbol, "guess") for symbol in named)
