"""What Python classes and files state of others: bases, and imports."""

import re
from collections.abc import Iterator

from statetape.code.extract.python import Text
from statetape.code.facts import Lookup
from statetape.code.index import folder_of
from statetape.code.resolve.python_meaning import Meaning
from statetape.code.resolve.python_modules import Module, imported, submodule
from statetape.code.resolve.python_questions import Questions
from statetape.code.resolve.python_values import Class, ordered
from statetape.types import SymbolId

_COMMENT = re.compile(r"#[^\n]*")
_IMPORT = re.compile(
    r"^[ \t]*(?:from[ \t]+(\.*)[ \t]*([\w.]*)[ \t]+import[ \t]*(\([^)]*\)|[^\n;]*)"
    r"|import[ \t]+([^\n;]+))",
    re.MULTILINE,
)


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
    text = _COMMENT.sub("", facts.detail.data.decode(errors="replace").replace("\r", "\n"))
    found: dict[str, None] = {}
    for stated in _IMPORT.finditer(text):
        if any(str(module) == target for module in _modules(stated, folder_of(path), questions)):
            found[" ".join(stated[0].split())] = None
    return tuple(found)


def _modules(stated: re.Match[str], folder: str, questions: Questions) -> Iterator[Module]:
    if stated[4] is not None:
        for each in stated[4].split(","):
            module = imported(folder, each.split(" as ")[0].strip(), 0, questions)
            yield from (module,) if module is not None else ()
        return
    package = (
        imported(folder, stated[2], len(stated[1]), questions) if any(stated.group(1, 2)) else None
    )
    if package is None:
        return
    yield package
    for each in stated[3].strip("() \t\n").split(","):
        module = submodule(package, each.split(" as ")[0].strip(), questions)
        yield from (module,) if module is not None else ()
