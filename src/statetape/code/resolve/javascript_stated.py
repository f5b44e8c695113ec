"""What JavaScript and TypeScript classes and files state of others: bases, and imports."""

import re

from statetape.code.extract.javascript_shape import Source
from statetape.code.facts import Loads, Lookup
from statetape.code.resolve.javascript import values
from statetape.code.resolve.javascript_files import ModuleFiles
from statetape.code.resolve.javascript_value import Value
from statetape.types import SymbolId

_COMMENT = re.compile(rb"/\*.*?\*/|(?<![:\w])//[^\n]*", re.DOTALL)
_MODULE = re.compile(rb"\b(?:from|import|require)\s*\(?\s*(['\"])([^'\"\n]+)\1")
_RELATIVE = re.compile(rb"(['\"`])(\.{1,2}/[^'\"`\n]+)\1")
_COMPUTED = re.compile(
    rb"\b(?:import|require)\s*\(\s*[^'\"\s]|\bimport\.meta\.glob|\brequire\.context"
)
_CONFIG = re.compile(
    r"(?:^|/)(?:vitest|vite|jest)(?:\.\w+)*\.(?:config|workspace|setup)\.[cm]?[jt]s$"
)
_ALIASES = ("@/", "~", "#", "$")  # what only the configuration of a bundler can tell
# The modules of Node that a folder may share its name with.
_BUILT_IN = frozenset(
    {
        *("assert", "buffer", "cluster", "console", "constants", "crypto", "dns", "domain"),
        *("events", "fs", "http", "https", "module", "net", "os", "path", "process", "stream"),
        *("timers", "tls", "tty", "url", "util", "vm", "zlib"),
    }
)


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


def loads(path: str, data: bytes, lookup: Lookup) -> Loads | None:
    """What a module with this text loads, now or later.

    Also what a relative path in any string names (`jest.mock("./api")`); None where it computes
    what it loads.
    """
    text = _COMMENT.sub(b"", data)
    if _COMPUTED.search(text):
        return None
    files = ModuleFiles(lookup)
    stated = {each[2].decode(errors="replace") for each in _MODULE.finditer(text)}
    quoted = {each[2].decode(errors="replace") for each in _RELATIVE.finditer(text)}
    found = {each: files.path(path, each) for each in stated | quoted}
    unknown = [each for each in stated if found[each] is None and not each.startswith(".")]
    if any(each.startswith(_ALIASES) for each in unknown):
        return None
    return Loads(
        frozenset(each for each in found.values() if each is not None),
        frozenset(each.partition("/")[0] for each in unknown) - _BUILT_IN,
    )


def beside(path: str, lookup: Lookup) -> frozenset[str]:
    """The files that a test runner loads before a test file: configurations in folders around."""
    folder, found = path, set[str]()
    while folder:
        folder = folder.rpartition("/")[0]
        found.update(each for each in lookup.folder(folder) if _CONFIG.search(each))
    return frozenset(found)
