"""What classes and files state of others in the languages of `code.dialects`: bases, imports."""

from statetape.code.facts import Lookup
from statetape.code.resolve.common import names_of_file
from statetape.code.resolve.common_files import Included
from statetape.code.resolve.common_names import container
from statetape.types import SymbolId


def bases(symbol: SymbolId, lookup: Lookup) -> tuple[SymbolId, ...]:
    """The classes of the repository that a class states as its bases, in their order."""
    names = names_of_file(symbol.path, lookup)
    declared = names.declared(symbol) if names is not None else None
    if names is None or declared is None:
        return ()
    outer = container(symbol.name)
    found = (each for base in declared.bases for each in names.classes(symbol.path, outer, base))
    return tuple(dict.fromkeys(each for each in found if each != symbol))


def importing(path: str, lookup: Lookup) -> frozenset[str]:
    """Words of which a file mentions one that imports this file.

    Its name where that is included, else that of what it declares or the package it is of.
    """
    names = names_of_file(path, lookup)
    shape = names.shape(path, "") if names is not None else None
    declared = (name for name in shape.declared if "." not in name) if shape is not None else ()
    package = shape.package.rpartition(".")[2] if shape is not None else ""
    return frozenset((path.rpartition("/")[2].partition(".")[0], package, *declared)) - {""}


def imports(path: str, target: str, lookup: Lookup) -> tuple[str, ...]:
    """What a file imports of `target`, includes or sources, as it states it.

    Files of one package see each other without a word, and state nothing.
    """
    names = names_of_file(path, lookup)
    if names is None:
        return ()
    included = Included(names)
    package = names.shape(target, "").package
    found: dict[str, None] = {}
    for stated in names.shape(path, "").imports:
        match stated.name:
            case "":
                means = included.meant(path, stated.path) == target
            case "*":
                means = bool(package) and stated.path == package
            case name:
                means = any(
                    each.path == target for each in names.outside.first(path, stated.within, name)
                )
        if means:
            found[stated.path] = None
    return tuple(found)
