"""What the resolution of Python symbols can see of a file, by name.

A name is the qualified one of a definition, the empty one of the module, and one of these behind:
nothing for its kind and star imports, `OWN` for its text, `METHODS`, `EXPORTS`, `HEADER` and
`RETURNED`, `BOUND` and `ATTRIBUTE` with the name that is bound. Each is without positions: an
expression stands for what it reads, with how many bindings of that come before it.
"""

import ast
import re
from collections.abc import Iterable, Iterator

from statetape.code.extract.python import Text
from statetape.code.facts import Facts, differing
from statetape.code.resolve.python_reader import scope
from statetape.code.resolve.python_scopes import Binding, Position, Scope
from statetape.code.treesitter import Block

OWN, METHODS, EXPORTS, HEADER, RETURNED, BOUND, ATTRIBUTE = "=", ".", "*", "(", ")", ":", "@"
_WORD = re.compile(r"\w+")


def changed(before: Facts, after: Facts) -> set[str]:
    """The names under which two states of a file differ.

    Cost: reads the scope of each definition whose own text changed, in both states.
    """
    old, new = ({d.name: d.digest for d in facts.definitions} for facts in (before, after))
    names = differing(old, new)
    if not (isinstance(before.detail, Text) and isinstance(after.detail, Text)):
        names = {*old, *new}
    # The blank space before a nested definition shows in the text around it, not in its digest.
    names |= {name.rpartition(".")[0] for name in names}
    found: set[str] = set()
    for name in names:
        ours, theirs = _blocks(before, name), _blocks(after, name)
        if [text for text, _ in ours] != [text for text, _ in theirs]:
            found |= differing(_seen(name, ours), _seen(name, theirs))
    return found


def methods(blocks: Iterable[Block]) -> list[str]:
    """The names of the methods that the places of a class define themselves."""
    nested = (child for block in blocks for child in block.children)
    return list(dict.fromkeys(child.name for child in nested if child.kind == "method"))


def _blocks(facts: Facts, name: str) -> list[tuple[str, Block]]:
    """The places of a definition with their own texts."""
    text = facts.detail
    blocks = text.blocks.get(name, ()) if isinstance(text, Text) else ()
    return [(text.own(block), block) for block in blocks]


def _seen(name: str, blocks: list[tuple[str, Block]]) -> dict[str, object]:
    found: dict[str, list[object]] = {}
    for place, (text, block) in enumerate(blocks):
        for part, value in _parts(text, block):
            found.setdefault(name + part, []).append((place, value))
    return dict(found)


def _parts(text: str, block: Block) -> Iterator[tuple[str, object]]:
    own = scope(text, module=not block.name)
    yield "", (block.kind == "class", [_bound(star, own) for star in own.stars])
    yield OWN, text
    yield METHODS, methods([block])
    yield EXPORTS, own.exports
    yield (
        HEADER,
        (own.parameters, *([ast.dump(e) for e in es] for es in (own.bases, own.decorators))),
    )
    yield (
        RETURNED,
        (
            [_read(each.value, each.at, own) for each in own.returns],
            own.yields,
            own.returned and ast.dump(own.returned),
        ),
    )
    for name in own.bindings.keys() | own.above:
        bound = [_bound(binding, own) for binding in own.bindings.get(name, ())]
        yield BOUND + name, (name in own.above, bound)
    for name, bindings in own.attributes.items():
        yield ATTRIBUTE + name, [_bound(binding, own) for binding in bindings]


def _bound(binding: Binding, own: Scope) -> object:
    read = [_read(value, binding.at, own) for value in (binding.value, binding.annotation)]
    stars = _before(own.stars, binding.at)
    return (read, stars, binding._replace(at=(0, 0), value=None, annotation=None))


def _read(value: ast.expr | None, at: Position, own: Scope) -> object:
    """An expression with how many bindings of the names in it (quoted ones too) come before."""
    if value is None:
        return None
    dumped = ast.dump(value)
    names = sorted(own.bindings.keys() & set(_WORD.findall(dumped)))
    earlier = [(name, _before(own.bindings[name], at)) for name in names]
    return (dumped, earlier, _before(own.stars, at))


def _before(bindings: Iterable[Binding], at: Position) -> int:
    return sum(binding.at < at for binding in bindings)
