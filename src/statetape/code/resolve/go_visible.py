"""What the resolution of Go symbols can see of a file, by name."""

from statetape.code.extract.go_shape import Source
from statetape.code.facts import Facts, differing


def changed(before: Facts, after: Facts) -> set[str]:
    """The names under which two states of a file differ.

    A name is that of a declaration, `Type.Method` for a method; the empty one stands for the
    package clause and the imports.
    """
    return differing(_seen(before), _seen(after))


def _seen(facts: Facts) -> dict[str, object]:
    if not isinstance(facts.detail, Source):
        return {}
    shape = facts.detail.shape
    found: dict[str, object] = {"": (shape.package, shape.imports)}
    for name in shape.functions.keys() | shape.types.keys() | shape.values.keys():
        found[name] = shape.functions.get(name), shape.types.get(name), shape.values.get(name)
    return found
