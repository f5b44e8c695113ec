"""What the terms of a JavaScript text mean in a repository."""

from collections.abc import Sequence

from statetape.code.resolve.javascript_flow import arguments, handed
from statetape.code.resolve.javascript_terms import Term, Terms
from statetape.code.resolve.javascript_typed import typed
from statetape.code.resolve.javascript_value import EXTERNAL, Several, Value, merged
from statetape.code.resolve.javascript_values import SELVES, Values
from statetape.types import SymbolId

_ELEMENT = ("find", "pop", "shift", "at", "findLast", "get")
_SAME = ("filter", "slice", "concat", "reverse", "sort", "splice", "values", "flat")


class Meaning:
    """The terms of one text of `owner`; `around` are those of what it is nested in.

    `around` is outermost first.
    """

    def __init__(
        self, values: Values, owner: SymbolId, terms: Terms, around: Sequence["Meaning"] = ()
    ) -> None:
        self.values = values
        self.owner = owner
        self.terms = terms
        self.around = around

    def of(self, number: int) -> Several:
        """The values of a term."""
        return self.values.once(Meaning.evaluated, self, number)

    def all(self, numbers: Sequence[int]) -> Several:
        """The values of several terms."""
        return merged(self.of(number) for number in numbers)

    def held(self, number: int) -> Several:
        """The values of a term, variables being what they hold."""
        return merged(self.values.held(value) for value in self.of(number))

    def stated(self, name: str) -> Several:
        """What the text gives to a name outside it; in a namespace, to its last part."""
        given = self.terms.stated
        return self.all(given.get(name) or given.get(name.rpartition(".")[2], ()))

    def written(self, name: str) -> Several:
        """What the text sets a member of `this` to."""
        terms = self.terms.terms
        return self.all(
            [w.value for w in self.terms.written if w.name == name and terms[w.of].kind == "this"]
        )

    def own_results(self) -> Several:
        """What the function that the text is returns."""
        return self._results(self.terms.own) if self.terms.own >= 0 else ()

    def results(self, number: int) -> Several:
        """What a function in the text, a term, returns."""
        term = self.terms.terms[number]
        return self._results(int(term.name)) if term.kind == "function" else ()

    def _results(self, index: int) -> Several:
        function = self.terms.functions[index]
        if function.stated:
            return self.values.instances(typed(*self.owner, function.stated))
        return self.all(function.results)

    def member(self, number: int, name: str) -> Several:
        """The member of an object or a class without a name, a term."""
        term = self.terms.terms[number]
        if term.kind in ("function", "called"):
            return (Value("term", text=self, number=number),) if name in SELVES else (EXTERNAL,)
        if term.kind == "class":
            owner = self.owner
            if self.values.kind(owner.path, f"{owner.name}.{name}"):
                return (Value("definition", owner.path, f"{owner.name}.{name}"),)
            made = (base._replace(kind="instance") for base in self.all(term.of) if base.path)
            return merged(self.values.member(base, name) for base in made)
        found = [at for key, at in zip(term.keys, term.of, strict=False) if key == name]
        if found:
            return self.of(found[-1])
        spread = [at for key, at in zip(term.keys, term.of, strict=False) if key == "..."]
        return merged(self.values.member(v, name) for at in spread for v in self.held(at))

    def evaluated(self, number: int) -> Several:
        """The values of a term, found anew."""
        term, values = self.terms.terms[number], self.values
        match term.kind:
            case "local":
                return self.all(self.terms.locals_[int(term.name)])
            case "either":
                return self.all(term.of)
            case "constant":
                return (Value("constant", name=term.name),)
            case "object" | "function" | "class":
                return (Value("term", *self.owner, text=self, number=number),)
            case "parameter":
                return self._parameter(int(term.name), int(term.keys[0]))
            case "member" | "inherited" | "element":
                return merged(
                    values.result(found) if values.is_getter(found) else (found,)
                    for found in self.found(number)
                )
            case "called":
                return self._called(number)
            case "made":
                return merged(self._made(value) for value in self.held(term.of[0]))
            case _:
                return self._named(term)

    def _named(self, term: Term) -> Several:
        """The values of what is outside the text, or nested in it, by its name."""
        values, (path, owner) = self.values, self.owner
        match term.kind:
            case "free":
                return self.free(term.name)
            case "nested":
                full = f"{owner}.{term.name}" if owner else term.name
                known = values.kind(path, full)
                return (Value("definition", path, full),) if known else self.all(term.of)
            case "variable":
                return self.all(term.of) or values.top(path, term.name)
            case "this":
                return self._this()
            case "typed":
                return values.instances(typed(path, owner, term.name))
            case "required":
                return values.module(path, term.name)
            case _:
                return ()

    def free(self, name: str) -> Several:
        """The values of a name that the text does not declare."""
        inner = self.owner.name
        for text in reversed(self.around):
            number = text.terms.named.get(inner, {}).get(name)
            if number is not None:
                return text.of(number)
            inner = text.owner.name
        return self.values.within(self.owner.path, self.owner.name.rpartition(".")[0], name)

    def found(self, number: int) -> Several:
        """The definitions, or values, that a member or an element is."""
        term, values = self.terms.terms[number], self.values
        receivers = self.of(term.of[0])
        if term.kind == "element":
            return self._element(receivers, term)
        if term.kind == "inherited":
            return merged(values.inherited(each, term.name) for each in receivers)
        return merged(values.member(each, term.name) for each in receivers)

    def _element(self, receivers: Several, term: Term) -> Several:
        keys = [v.name for at in term.of[1:] for v in self.held(at) if v.kind == "constant"]
        if keys:
            found = merged(self.values.member(each, key) for each in receivers for key in keys)
            if found and found != (EXTERNAL,):
                return found
        return merged(self.element(h) for each in receivers for h in self.values.held(each))

    def element(self, of: Value) -> Several:
        """What a loop over a value, or an index into it, gives."""
        if of.kind == "type" and of.type.kind == "list":
            return self.values.instances(of._replace(type=of.type.of[0]))
        if of.kind == "type" and of.type.kind == "object" and "[]" in of.type.names:
            at = of.type.names.index("[]")
            return self.values.instances(of._replace(type=of.type.of[at]))
        if of.kind == "type" and of.type.name in ("Map", "Record") and len(of.type.of) > 1:
            return self.values.instances(of._replace(type=of.type.of[1]))
        if of.kind == "term" and of.text:
            term = of.text.terms.terms[of.number]
            if term.kind == "called":
                functions = merged(of.text.held(each) for each in term.of[1:2])
                return merged(self.values.result(each) for each in functions)
            return of.text.all(term.of) if term.kind == "object" else of.text.results(of.number)
        return (of,) if of.kind == "definition" or of == EXTERNAL else ()

    def _called(self, number: int) -> Several:
        term = self.terms.terms[number]
        callee = self.terms.terms[term.of[0]]
        if callee.kind == "member":
            for receiver in self.held(callee.of[0]):
                listed = receiver.kind == "type" and receiver.type.kind in ("list", "name")
                plain = receiver.kind == "term" and not self.held(term.of[0])
                if (listed or plain) and callee.name in _ELEMENT:
                    return self.element(receiver)
                if (listed or plain) and callee.name in _SAME:
                    return (receiver,)
                if (listed or plain) and callee.name == "map":
                    return (Value("term", text=self, number=number),)
        return merged(self._returned(value, term.of[1:]) for value in self.held(term.of[0]))

    def _returned(self, of: Value, handed: Sequence[int]) -> Several:
        """What a call returns; a parameter or `this` that is handed back is what this call has."""
        values = self.values
        if of.kind != "definition" or of.name in values.shape(of.path, of.name).returns:
            return values.result(of)
        found: list[Several] = []
        for text in values.meanings(of.path, of.name):
            own = text.terms.own
            for result in text.terms.functions[own].results if own >= 0 else ():
                term = text.terms.terms[result]
                if term.kind == "this" and "this" in dict(of.bound):
                    found.append((dict(of.bound)["this"],))
                elif term.kind == "parameter" and term.name == str(own):
                    position = int(term.keys[0])
                    found += [self.of(handed[position])] if position < len(handed) else []
                else:
                    found.append(text.of(result))
        return merged(found)

    def _made(self, of: Value) -> Several:
        if of.kind == "type" and of.type.kind == "new":
            return self.values.instances(of._replace(type=of.type.of[0]))
        if of.kind == "definition":
            return (of._replace(kind="instance", exact=True, bound=()),)
        if of.kind == "instance" or (of.kind == "term" and of.text):
            return (of,)
        return (EXTERNAL,) if of == EXTERNAL else ()

    def _this(self) -> Several:
        path, name = self.owner
        around = name.rpartition(".")[0]
        while name:
            if name in self.values.shape(path, name).classes:
                return (Value("instance", path, name),)
            name = name.rpartition(".")[0]
        if self.values.kind(path, around) == "function":
            return (Value("instance", path, around),)
        return (Value("definition", path, around),) if around else ()

    def _parameter(self, index: int, position: int) -> Several:
        function = self.terms.functions[index]
        annotation = function.parameters[position] if position < len(function.parameters) else ""
        if annotation:
            found = self.values.instances(typed(*self.owner, annotation))
            if any(each != EXTERNAL for each in found):
                return found
        if index == self.terms.own:
            return arguments(self.values, self.owner, position)
        return handed(self, function, position) if function.passed else ()
