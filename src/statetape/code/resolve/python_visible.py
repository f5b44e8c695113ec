"""What the resolution of Python symbols can see of a file, by name.

A name is the qualified one of a definition, the empty one of the module, and one of these behind:
nothing for its kind and star imports, `OWN` for the uses in its text, `METHODS`, `EXPORTS`,
`HEADER` and `RETURNED`, `BOUND` with a name that is bound; of a class, `ATTRIBUTE` with one that
its methods assign. `MENTIONED` with a word stands for the whole file: who calls or hands on what
goes by that word. Each is without positions: an expression stands for what it reads, with how many
bindings of that come before it.
"""

import ast
from collections.abc import Iterable, Iterator

from statetape.code.extract.python import VARIABLES, Text
from statetape.code.facts import Facts, differing
from statetape.code.resolve.python_mentions import mentions
from statetape.code.resolve.python_reader import scope
from statetape.code.resolve.python_scopes import Binding, Filling, Scope, Use
from statetape.code.resolve.python_segments import Segments
from statetape.code.resolve.python_syntax import last_name
from statetape.code.treesitter import Block

OWN, METHODS, EXPORTS, HEADER, RETURNED, BOUND, ATTRIBUTE = "=", ".", "*", "(", ")", ":", "@"
MENTIONED = "?"


def changed(before: Facts, after: Facts) -> set[str]:
    """The names under which two states of a file differ.

    Cost: reads the scope of each definition whose own text changed, in both states.
    """
    old, new = ({d.name: d.digest for d in facts.definitions} for facts in (before, after))
    names = differing(old, new)
    if not (isinstance(before.detail, Text) and isinstance(after.detail, Text)):
        names = {*old, *new}
    # Variables show in the text around them, and so does the blank space before a definition.
    names |= {name.rpartition(".")[0] for name in names}
    found: set[str] = set()
    for name in names:
        ours, theirs = _blocks(before, name), _blocks(after, name)
        if [(text, each.kind) for text, each in ours] != [(t, each.kind) for t, each in theirs]:
            found |= differing(_seen(name, ours), _seen(name, theirs))
    return found


def visible(facts: Facts) -> dict[str, object]:
    """What there is to see, by name. Cost: reads the scope of each definition."""
    found: dict[str, list[object]] = {}
    for definition in facts.definitions:
        for key, value in _seen(definition.name, _blocks(facts, definition.name)).items():
            found.setdefault(key, []).append((definition.name, value))
    return dict(found)


def methods(blocks: Iterable[Block]) -> list[str]:
    """The names of the methods that the places of a class define themselves."""
    nested = (child for block in blocks for child in block.children)
    return list(dict.fromkeys(child.name for child in nested if child.kind == "method"))


def _blocks(facts: Facts, name: str) -> list[tuple[str, Block]]:
    """The places of a definition with their own texts; not those of variables."""
    text = facts.detail
    blocks = text.blocks.get(name, ()) if isinstance(text, Text) else ()
    return [
        (text.own(block) if block.kind not in VARIABLES else "", block)
        for block in blocks
        if isinstance(text, Text)
    ]


def _seen(name: str, blocks: list[tuple[str, Block]]) -> dict[str, object]:
    found: dict[str, list[object]] = {}
    for place, (text, block) in enumerate(blocks):
        parts = [(name, "variable")] if block.kind in VARIABLES else _parts(name, text, block)
        for key, value in parts:
            found.setdefault(key, []).append((place, value))
    return dict(found)


def _parts(name: str, text: str, block: Block) -> Iterator[tuple[str, object]]:
    own = scope(text, module=not name)
    seen = _Seen(own, Segments(own.text))
    yield name, (block.kind, [seen.bound(star) for star in own.stars])
    yield name + METHODS, methods([block])
    yield name + EXPORTS, own.exports
    header = (*own.bases, own.metaclass, *own.decorators)
    yield name + HEADER, (own.parameters, len(own.bases), [seen.text(each) for each in header])
    yielded = [[seen.use(e) for e in uses] for uses in (own.returns, own.yielded, own.delegated)]
    yield name + RETURNED, (yielded, own.generates, seen.text(own.returned))
    for bound in own.bindings.keys() | own.above | own.fillings.keys():
        yield name + BOUND + bound, (bound in own.above, *seen.name(bound))
    around = block.owners[1] if len(block.owners) > 1 else ""
    for attribute, bindings in own.attributes.items():
        yield around + ATTRIBUTE + attribute, (name, [seen.bound(each) for each in bindings])
    for filled, fillings in own.fillings.items():
        if filled.startswith("."):
            yield around + ATTRIBUTE + filled[1:], (name, [seen.filling(e) for e in fillings])
    if block.kind in ("file", "class"):
        yield from _own(name, own, seen)
    else:
        yield name + OWN, text
    yield from _mentioned(name, own, seen)


def _own(name: str, own: Scope, seen: "_Seen") -> Iterator[tuple[str, object]]:
    """The uses of a class or module itself, and of each variable in it."""
    held: dict[str, list[object]] = {"": [seen.text(each) for each in own.decorators]}
    for use in (*own.uses, *own.outer):
        held.setdefault(use.holder, []).append(seen.use(use))
    for holder, uses in held.items():
        yield f"{name}.{holder}".strip(".") + OWN, uses


def _mentioned(name: str, own: Scope, seen: "_Seen") -> Iterator[tuple[str, object]]:
    words: dict[str, list[object]] = {}
    for word, found in mentions(own).items():
        words[word] = [
            (each.name, seen.bound(each)) if isinstance(each, Binding) else seen.use(each)
            for each in found
        ]
    for decorator in own.decorators:
        words.setdefault(last_name(decorator), []).append(seen.text(decorator))
    if own.decorators:
        words.setdefault(name.rpartition(".")[2], []).append("decorated")
    words.pop("", None)
    for word, seen_of in words.items():
        yield MENTIONED + word, (name, seen_of)


class _Seen:
    """What the parts of one scope say, without positions."""

    def __init__(self, own: Scope, segments: Segments) -> None:
        self._own = own
        self._segments = segments

    def name(self, name: str) -> tuple[object, object]:
        """What is bound to a name, and what is put into it."""
        bound = [self.bound(each) for each in self._own.bindings.get(name, ())]
        return bound, [self.filling(each) for each in self._own.fillings.get(name, ())]

    def text(self, node: ast.expr | None) -> str | None:
        """The text of an expression."""
        return None if node is None else self._segments.of(node)

    def use(self, use: Use) -> object:
        """An expression, and what the names bound around it come from."""
        inner = [(name, self.text(each.value)) for name, each in sorted(use.inner.items())]
        return (use.kind, use.method, self._read(use.call or use.value, use.at), inner)

    def bound(self, binding: Binding) -> object:
        """A binding with the expressions it reads."""
        read = [self._read(value, binding.at) for value in (binding.value, binding.annotation)]
        stars = _before(self._own.stars, binding.at)
        return (read, stars, binding._replace(at=(0, 0), value=None, annotation=None))

    def filling(self, filling: Filling) -> object:
        """What is put where, and after how many bindings."""
        keys = [self.text(key) for key in filling.keys]
        return (keys, self._read(filling.value, filling.at), filling.merged, self._all(filling.at))

    def _all(self, at: tuple[int, int]) -> int:
        return sum(_before(bindings, at) for bindings in self._own.bindings.values())

    def _read(self, value: ast.expr | None, at: tuple[int, int]) -> object:
        """An expression with how many bindings of the names in it (quoted ones too) come before."""
        if value is None:
            return None
        text = self._segments.of(value)
        own = self._own
        names = sorted((own.bindings.keys() | own.fillings.keys()) & self._segments.words(text))
        earlier = [
            (name, _before(own.bindings.get(name, ()), at), _before(own.fillings.get(name, ()), at))
            for name in names
        ]
        return (text, earlier, _before(own.stars, at))


def _before(found: Iterable[Binding | Filling], at: tuple[int, int]) -> int:
    return sum(each.at < at for each in found)
