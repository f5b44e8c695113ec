"""What Go types and files state of others: embedded types, implementations, and imports."""

import re

from statetape.code.facts import Loads, Lookup
from statetape.code.resolve.go_members import Members, Typed
from statetape.code.resolve.go_methods import implementations as methods_of
from statetape.code.resolve.go_packages import Packages
from statetape.code.resolve.go_visible import imported_as
from statetape.types import SymbolId

# Quoted names, and comments outside of them: whichever starts first.
_COMMENT = re.compile(rb"(\"[^\"\n]*\"|`[^`\n]*`)|/\*.*?(?:\*/|\Z)|//[^\n]*", re.DOTALL)
_IMPORT = re.compile(rb"(?:^|(?<=;))[ \t]*import\b\s*(?:\([^()]*\)|[^\n;]*)", re.MULTILINE)
_EMBED = re.compile(rb"^//go:embed[ \t]+([^\n]+)", re.MULTILINE)
_QUOTED = re.compile(rb"[\"`]([^\"`\n]+)[\"`]")


def bases(symbol: SymbolId, lookup: Lookup) -> tuple[SymbolId, ...]:
    """The types of the repository that a type embeds."""
    members = Members(Packages(lookup))
    own = members.packages.shape(symbol.path, symbol.name).types.get(symbol.name)
    found: dict[SymbolId, None] = {}
    for text in own.embeds if own is not None else ():
        of = Typed(symbol.path, text)
        declared = members.declared(of)
        if declared is not None:
            found[SymbolId(declared[0], members.named(of)[1])] = None
    return tuple(each for each in found if each != symbol)


def implementations(method: SymbolId, lookup: Lookup) -> tuple[SymbolId, ...]:
    """The methods of the types that implement the interface of a method; none of any other."""
    members = Members(Packages(lookup))
    holder, _, name = method.name.rpartition(".")
    own = members.packages.shape(method.path, holder).types.get(holder)
    if own is None or own.kind != "interface":
        return ()
    found = methods_of(members, Typed(method.path, holder), name)
    return tuple(sorted(each for each in found if each != method))


def importing(path: str, lookup: Lookup) -> frozenset[str]:
    """Words of which a file mentions one that imports this file: as its folder or module ends."""
    module = lookup.facts("go.mod", "")
    name = getattr(module.detail, "name", "") if module is not None else ""
    folder = path.rpartition("/")[0]
    return frozenset(re.findall(r"\w+", (folder or name).rpartition("/")[2])[-1:])


def imports(path: str, target: str, lookup: Lookup) -> tuple[str, ...]:
    """The import paths by which a file imports the package of `target`."""
    packages = Packages(lookup)
    stated = packages.shape(path).imports
    return tuple(
        module
        for alias, module in stated
        if target in (packages.imported(path, imported_as(alias, module)) or ())
    )


def loads(path: str, data: bytes, lookup: Lookup) -> Loads | None:
    """The packages that a file with this text imports; None where it loads plugins.

    Those of its own package are loaded with it, not by it.
    """
    modules: set[str] = set()
    for stated in _IMPORT.finditer(_COMMENT.sub(rb"\1", data.removeprefix(b"\xef\xbb\xbf"))):
        modules.update(each.decode(errors="replace") for each in _QUOTED.findall(stated[0]))
    if "plugin" in modules or any(map(_may_be_code, _EMBED.findall(data))):
        return None
    packages = Packages(lookup)
    found = {module: packages.package(path, module) for module in modules}
    if any(files == () for files in found.values()):
        return None  # a package of the repository that is not there, such as a generated one
    return Loads(
        frozenset(each for files in found.values() for each in files or ()),
        frozenset(module for module, files in found.items() if files is None),
    )


def _may_be_code(patterns: bytes) -> bool:
    """Whether one of the patterns of files to embed may be of Go files."""
    last = (each.strip(b'"`').rpartition(b"/")[2] for each in patterns.split())
    return any(b"." not in each or each.endswith((b"*", b".go")) for each in last)
