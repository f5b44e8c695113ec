"""What the resolution of Go symbols can see of a file, by name."""

from statetape.code.extract.go_shape import Source
from statetape.code.facts import Facts, differing

DOTS, IMPORTED, UNNAMED = ".", '"', "?"


def changed(before: Facts, after: Facts) -> set[str]:
    """The names under which two states of a file differ.

    A name is that of a declaration, `Type.Method` for a method. The empty one stands for the
    package clause, `DOTS` for dot imports, `IMPORTED` and a name for what is imported under it, and
    `UNNAMED` for the imports whose own packages have to say their names.
    """
    return differing(visible(before), visible(after))


def imported_as(alias: str, module: str) -> str:
    """The name of an import, as far as the importing file says it."""
    return alias or module.rpartition("/")[2]


def visible(facts: Facts) -> dict[str, object]:
    """What there is to see, by name."""
    if not isinstance(facts.detail, Source):
        return {}
    shape = facts.detail.shape
    found: dict[str, object] = {
        "": shape.package,
        DOTS: [module for alias, module in shape.imports if alias == "."],
        UNNAMED: [module for alias, module in shape.imports if not alias],
    }
    for alias, module in shape.imports:
        found.setdefault(IMPORTED + imported_as(alias, module), module)
    for name in shape.functions.keys() | shape.types.keys() | shape.values.keys():
        found[name] = shape.functions.get(name), shape.types.get(name), shape.values.get(name)
    return found
