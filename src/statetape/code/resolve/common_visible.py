"""What a resolution can see of a file in a language of the common resolver, by name.

A name is that of a declaration. The empty one stands for the package of the file. With a sign
before it: `OWN` the text of a symbol, `IMPORTED` what is imported as that name (`*`: everything
under some path; empty: files), `ATTRIBUTE` who gives values to an attribute.
"""

from statetape.code.extract.common_shape import Shape
from statetape.code.facts import Facts, differing

OWN, IMPORTED, ATTRIBUTE = "=", "<", "@"


def changed(before: Facts, after: Facts) -> set[str]:
    """The names under which two states of a file differ."""
    return differing(visible(before), visible(after))


def visible(facts: Facts) -> dict[str, object]:
    """What there is to see, by name."""
    shape = facts.detail
    if not isinstance(shape, Shape):
        return {}
    found: dict[str, object] = {"": (facts.language, shape.package), **shape.declared}
    for each in shape.imports:
        key = IMPORTED + each.name
        found[key] = (found.get(key), each)
    for definition in facts.definitions:
        found[OWN + definition.name] = definition.digest
    for name, owners in shape.attributes.items():
        found[ATTRIBUTE + name] = owners
    return found
