"""What JavaScript and TypeScript classes and files state of others: bases, and imports."""

import re

from statetape.code.extract.javascript_shape import Source
from statetape.code.facts import Lookup
from statetape.code.resolve.javascript import values
from statetape.code.resolve.javascript_files import ModuleFiles
from statetape.code.resolve.javascript_value import Value
from statetape.types import SymbolId

_COMMENT = re.compile(rb"/\*.*?\*/|(?<![:\w])//[^\n]*", re.DOTALL)
_MODULE = re.compile(rb"\b(?:from|import|require)\s*\(?\s*(['\"])([^'\"\n]+)\1")


def bases(symbol: SymbolId, lookup: Lookup) -> tuple[SymbolId, ...]:
    """The classes and interfaces of the repository that one extends, then those it implements."""
    found = values(lookup)
    stated = (found.symbol(base) for base in found.bases(Value("instance", *symbol)))
    return tuple(dict.fromkeys(each for each in stated if each is not None and each != symbol))


def importing(path: str, lookup: Lookup) -> frozenset[str]:  # noqa: ARG001
    """Words of which a file mentions one that imports this file.

    An entry of a package may go by the name of a folder around it.
    """
    *folders, name = path.split("/")
    return frozenset(
        (name.partition(".")[0], *(f for each in folders[-2:] for f in each.split("-")))
    )


def imports(path: str, target: str, lookup: Lookup) -> tuple[str, ...]:
    """The module specifiers by which a file imports, exports or requires `target`."""
    facts = lookup.facts(path)
    if facts is None or not isinstance(facts.detail, Source):
        return ()
    files = ModuleFiles(lookup)
    text = _COMMENT.sub(b"", facts.detail.data)
    named = (stated[2].decode(errors="replace") for stated in _MODULE.finditer(text))
    return tuple(each for each in dict.fromkeys(named) if files.path(path, each) == target)
