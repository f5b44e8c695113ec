"""What JavaScript and TypeScript classes and files state of others: bases, and imports."""

import re

from statetape.code.extract.javascript_shape import Source
from statetape.code.facts import Loads, Lookup
from statetape.code.resolve.javascript import values
from statetape.code.resolve.javascript_files import ModuleFiles
from statetape.code.resolve.javascript_value import Value
from statetape.code.runner_options import is_scripted
from statetape.types import SymbolId

_COMMENT = re.compile(rb"/\*.*?(?:\*/|\Z)|(?<![:\w])//[^\n]*", re.DOTALL)
# Lines of comments.
_REMARK = re.compile(
    rb"^[ \t]*(?://[^\n]*|/\*[^\n]*?(?:\*/|$)|\*(?!/)[^\n]*?(?:\*/|$))", re.MULTILINE
)
_MODULE = re.compile(
    rb"\b(?:from|import|require|(?:import|require)(?:Actual|Mock)|(?:do|dont|set)?[mM]ock"
    rb"|(?:unstable_m|createM|genM)ock\w{0,20}|\.(?:module|resolve))"
    rb"\s*(?:<[^<>\n]*(?:<[^<>\n]*>[^<>\n]*)?>\s*)?(?:\(\s*)?(['\"`])([^'\"`\n$]+)\1"
)
_STATED = re.compile(rb"\b(?:from|import|require)\s*(?:\(\s*)?(['\"])([^'\"\n]+)\1")
_RELATIVE = re.compile(rb"(['\"`])(\.{1,2}/[^'\"`\n]+)\1")
_COMPUTED = re.compile(
    rb"\b(?:import|require|importActual|requireActual)\s*\((?!\s*(?:/\*[^*]*\*/\s*)*['\"])"
    rb"|\bimport\.meta\.(?:glob|resolve)|\brequire\.context|\bcreateRequire\b|\bModule\._load"
)
_PATH = re.compile(rb"(['\"`])(?:<rootDir>/|/)?([\w@][^'\"`\n]*)\1")  # in a configuration
_ASSET = re.compile(
    r"\.(?:css|s[ac]ss|less|styl|svg|png|jpe?g|gif|webp|ico|woff2?|html?|txt|mdx?|wasm|gql|graphql"
    r"|sql|ya?ml|json|node)$"
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
    named = (stated[2].decode(errors="replace") for stated in _STATED.finditer(text))
    return tuple(each for each in dict.fromkeys(named) if files.path(path, each) == target)


def loads(path: str, data: bytes, lookup: Lookup) -> Loads | None:
    """What a module with this text loads, now or later.

    Also what a relative path in any string names (`jest.mock("./api")`); None where it computes
    what it loads.
    """
    # What looks like a comment may be of strings (`"*/*"`): so it is read with it and without.
    if _COMPUTED.search(_REMARK.sub(b"", data)):
        return None
    bare = _COMMENT.sub(b" ", data)
    files = ModuleFiles(lookup)
    texts = (data, bare)
    stated = {each[2] for text in texts for each in _MODULE.finditer(text)}
    quoted = {each[2] for each in _RELATIVE.finditer(data)}
    if is_scripted(path):
        quoted |= {b"./" + each[2] for each in _PATH.finditer(data)}
    names = {each.decode(errors="replace").partition("?")[0] for each in stated}
    more = {each.decode(errors="replace").partition("?")[0] for each in quoted}
    found = {each: files.path(path, each) for each in names | more}
    unknown = [each for each in names if found[each] is None and not _ASSET.search(each)]
    if any(each.startswith((*_ALIASES, ".")) for each in unknown):
        return None
    folder = path.rpartition("/")[0]
    mocks = lookup.folder(f"{folder}/__mocks__".lstrip("/"))
    return Loads(
        frozenset((*(each for each in found.values() if each is not None), *mocks)),
        frozenset(_package(each) for each in unknown if not each.startswith("node:")) - _BUILT_IN,
    )


def _package(name: str) -> str:
    return "/".join(name.split("/")[: 2 if name.startswith("@") else 1])


def beside(path: str, lookup: Lookup) -> frozenset[str]:
    """The files that a test runner loads before a test file, or puts in the place of others.

    Configurations and `__mocks__` in the folders around.
    """
    folder, found = path, set[str]()
    while folder:
        folder = folder.rpartition("/")[0]
        found.update(each for each in lookup.folder(folder) if is_scripted(each))
        found.update(lookup.folder(f"{folder}/__mocks__".lstrip("/")))
    return frozenset(found)
