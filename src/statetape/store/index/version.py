"""What facts and edges depend on beside the files: the code that finds them, and grammars."""

import sys
from collections.abc import Iterable, Iterator
from functools import cache
from hashlib import blake2b
from importlib.metadata import PackageNotFoundError, version
from importlib.resources import files
from importlib.resources.abc import Traversable

from statetape import __version__
from statetape.code import languages

_SOURCES = ("code", "code/extract", "types")
_RESOLVERS = (*_SOURCES, "code/resolve", "store/index")


@cache
def extractors() -> bytes:
    """A digest of the extractors' sources and of the versions of all grammars (16 bytes).

    A grammar that is missing has a version of its own: its files are found again when it comes.
    """
    return _digest(_SOURCES)


@cache
def resolvers() -> bytes:
    """The same of the resolvers as well, and of how edges are written down."""
    return _digest(_RESOLVERS)


def _digest(folders: Iterable[str]) -> bytes:
    settings = (__version__, sys.version_info[:2], languages.PARSE_LIMIT)
    digest = blake2b(repr(settings).encode(), digest_size=16)
    for name, text in _sources(folders):
        digest.update(b"\0%b\0%b" % (name.encode(), text))
    grammars = {each.grammar for each in languages.LANGUAGES if each.grammar} | {"tree_sitter"}
    for grammar in sorted(grammars):
        digest.update(f"\0{grammar} {_version(grammar)}".encode())
    return digest.digest()


def _sources(folders: Iterable[str]) -> Iterator[tuple[str, bytes]]:
    for folder in folders:
        for file in sorted(_modules(files("statetape").joinpath(folder)), key=lambda f: f.name):
            yield f"{folder}/{file.name}", file.read_bytes()


def _modules(folder: Traversable) -> Iterator[Traversable]:
    return (file for file in folder.iterdir() if file.name.endswith((".py", ".scm")))


def _version(module: str) -> str:
    try:
        return version(module.replace("_", "-"))
    except PackageNotFoundError:
        return "missing"
