"""The outgoing edges of a symbol in the languages of `code.dialects`.

Names are resolved by scopes, imports and packages, receivers by `this`, stated types, what made
them and what functions return; an inexact one reaches the overrides in all heirs.
"""

from collections.abc import Callable, Mapping

from statetape.code.dialects import DIALECTS
from statetape.code.extract.common_shape import Shape
from statetape.code.facts import Lookup
from statetape.code.resolve.common_classes import Classes
from statetape.code.resolve.common_includes import Includes
from statetape.code.resolve.common_meaning import Meaning
from statetape.code.resolve.common_modules import Modules
from statetape.code.resolve.common_names import Names, Outside
from statetape.code.resolve.common_packages import Packages
from statetape.types import Mark, SymbolId

_OUTSIDE: dict[str, Callable[[Names], Outside]] = {
    "packages": Packages,
    "includes": Includes,
    "modules": Modules,
}


def edges(owner: SymbolId, lookup: Lookup) -> Mapping[SymbolId, Mark]:
    """What a symbol calls, refers to and uses, in its own text alone.

    Cost: a query over that text, remembered, and some look-ups for each of its terms.
    """
    names = names_of_file(owner.path, lookup)
    if names is None:
        return {}
    classes = Classes(names, names.outside, owner.path)
    return Meaning(names, classes, owner).edges()


def names_of_file(path: str, lookup: Lookup) -> Names | None:
    """What names mean in a file; None for one of another language."""
    facts = lookup.facts(path, "")
    if facts is None or not isinstance(facts.detail, Shape):
        return None
    names = Names(lookup, DIALECTS[facts.language])
    names.outside = _OUTSIDE[names.dialect.outside](names)
    return names
