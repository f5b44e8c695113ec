"""What Python classes and files state of others: bases, and imports."""

from statetape.code.extract.python import Text
from statetape.code.facts import Lookup
from statetape.code.index import folder_of
from statetape.code.resolve.python_loads import beside, imported_modules, loads, statements
from statetape.code.resolve.python_meaning import Meaning
from statetape.code.resolve.python_questions import Questions
from statetape.code.resolve.python_values import Class, ordered
from statetape.types import SymbolId

__all__ = ["bases", "beside", "importing", "imports", "loads"]


def bases(symbol: SymbolId, lookup: Lookup) -> tuple[SymbolId, ...]:
    """The classes of the repository that a class states as its bases, in their order."""
    stated = Meaning(lookup).members.bases(symbol)
    found = (value.symbol for base in stated for value in ordered(base) if isinstance(value, Class))
    return tuple(dict.fromkeys(each for each in found if each != symbol))


def importing(path: str, lookup: Lookup) -> frozenset[str]:  # noqa: ARG001
    """Words of which a file mentions one that imports this file."""
    folder, _, name = path.rpartition("/")
    stem = name.partition(".")[0]
    return frozenset((folder.rpartition("/")[2] if stem == "__init__" else stem,))


def imports(path: str, target: str, lookup: Lookup) -> tuple[str, ...]:
    """The statements of a file that import `target` or a name of it.

    A package is imported by its own name, not by that of a module in it.
    """
    facts = lookup.facts(path)
    if facts is None or not isinstance(facts.detail, Text):
        return ()
    questions = Questions(lookup)
    found: dict[str, None] = {}
    for stated in statements(facts.detail.data):
        modules = imported_modules(stated, folder_of(path), questions)
        if any(str(module) == target for module in modules):
            found[" ".join(stated[0].split())] = None
    return tuple(found)
