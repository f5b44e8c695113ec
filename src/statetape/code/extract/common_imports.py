"""What the import statements of a language bind, read from their text."""

import re
from collections.abc import Iterator

from statetape.code.extract.common_shape import Import

_JAVA = re.compile(r"import (?:static )?([\w.]+?)(\.\*)?;?\Z")
_KOTLIN = re.compile(r"import\s+([\w.`]*\w`?)(?:\s*(\.\*)|\s+as\s+(\w+))?")
_USING = re.compile(r"(?:global\s+)?using\s+(?:static\s+)?(?:(\w+)\s*=\s*)?([\w.:]+)")
_NAMESPACE = re.compile(r"(?:using\s+(namespace\s+)?|namespace\s+(\w+)\s*=\s*)([\w:]+)")
_INCLUDE = re.compile(r"#\s*(?:include|import)\s*[<\"]([^>\"]+)[>\"]")
_SOURCED = re.compile(r"(?:source|\.)\s+(\S.*)", re.DOTALL)
_LITERAL = re.compile(r"[\w./+-]+")
_VARIABLE = re.compile(r"\$\w+|[)}]")
_QUOTED = re.compile(r"[\"']([^\"'#]+)[\"']")
_PHP = re.compile(r"use\s+(?:function\s+|const\s+)?(.*?);?\s*\Z", re.DOTALL)
_RUST = re.compile(r"((?:pub\b(?:\s*\([^)]*\))?)?)\s*use\s+(.*?);?\s*\Z", re.DOTALL)
_AS = re.compile(r"\s+as\s+")
_DEEPEST = 20
"""How many braces in braces are followed."""


def nothing(text: str) -> tuple[Import, ...]:  # noqa: ARG001
    """No import, whatever the text."""
    return ()


def java(text: str) -> tuple[Import, ...]:
    """`import a.b.C;`, `import static a.b.C.d;`, `import a.b.*;`."""
    found = _JAVA.match(" ".join(text.split()).replace(" .", ".").replace(". ", ".").rstrip("; "))
    return (_bound(found[1], star=bool(found[2])),) if found else ()


def kotlin(text: str) -> tuple[Import, ...]:
    """`import a.b.C`, `import a.b.C as D`, `import a.b.*`."""
    found = _KOTLIN.match(text)
    if not found:
        return ()
    return (_bound(found[1].replace("`", ""), found[3] or "", star=bool(found[2])),)


def csharp(text: str) -> tuple[Import, ...]:
    """`using A.B;`, `using static A.B.C;` (everything under a name), `using X = A.C;`."""
    found = _USING.match(text)
    if not found:
        return ()
    path = found[2].rpartition("::")[2]
    return (Import(found[1] or "*", path),)


def included(text: str) -> tuple[Import, ...]:
    """`#include "x.h"`, `using namespace a;`, `using a::b;`, `namespace x = a::b;`."""
    if found := _INCLUDE.match(text):
        return (Import("", found[1]),)
    found = _NAMESPACE.match(text)
    if not found:
        return ()
    path = found[3].strip(":").replace("::", ".")
    return (_bound(path, found[2] or "", star=bool(found[1])),)


def sourced(text: str) -> tuple[Import, ...]:
    """`source path` or `. path`: the path behind its last variable or command, without quotes."""
    found = _SOURCED.match(text)
    parts = _LITERAL.findall(_VARIABLE.split(found[1])[-1]) if found else []
    return (Import("", parts[-1].lstrip("/")),) if parts else ()


def ruby(text: str) -> tuple[Import, ...]:
    """`require_relative "x"`, `require "x/y"`, `load "x.rb"`."""
    found = _QUOTED.search(text)
    return (Import("", found[1]),) if found else ()


def php(text: str) -> tuple[Import, ...]:
    r"""`use A\B;`, `use A\B as C, D\E;`, `use A\{B, C as D};`; `require "x.php"`."""
    if text.startswith(("require", "include")):
        return tuple(each._replace(path=each.path.lstrip("/")) for each in ruby(text))
    found = _PHP.match(text)
    return tuple(_spread(found[1].replace("\\", "."), "")) if found else ()


def rust(text: str) -> tuple[Import, ...]:
    """`use a::{self, b, c as d, e::*};`; public where it is re-exported."""
    found = _RUST.match(text)
    if not found:
        return ()
    public = bool(found[1])
    return tuple(each._replace(public=public) for each in _spread(found[2].replace("::", "."), ""))


def _spread(text: str, prefix: str, depth: int = 0) -> Iterator[Import]:
    """The imports of a tree of paths in braces, nested ones too."""
    for part in _parts(text):
        head, brace, rest = part.partition("{")
        if brace:
            if depth < _DEEPEST:
                yield from _spread(rest.rpartition("}")[0], prefix + head.strip(), depth + 1)
            continue
        path, alias = (*_AS.split(part.strip(), maxsplit=1), "")[:2]
        path = (prefix + "".join(path.split())).strip(".")
        if path.endswith(".self"):
            path = path.removesuffix(".self")
        if path.endswith(".*"):
            yield Import("*", path[:-2])
        elif path:
            yield _bound(path, alias.strip())


def _parts(text: str) -> Iterator[str]:
    """The parts between the commas that no brace encloses."""
    depth = start = 0
    for at, character in enumerate(text):
        depth += (character == "{") - (character == "}")
        if character == "," and not depth:
            yield text[start:at]
            start = at + 1
    yield text[start:]


def _bound(path: str, alias: str = "", *, star: bool = False) -> Import:
    return Import("*" if star else alias or path.rpartition(".")[2], path)
