"""One extractor for the languages of `code.dialects`, each driven by its query file.

Nesting is that of the nodes. What the captures mean is said in `common_found`.
"""

import re
from collections.abc import Iterator, Sequence
from importlib.util import find_spec

from tree_sitter import Node, QueryCursor

from statetape.code import treesitter
from statetape.code.dialects import (
    BASH,
    CPP,
    CSHARP,
    JAVA,
    KOTLIN,
    PHP,
    RUBY,
    RUST,
    SWIFT,
    C,
    Dialect,
)
from statetape.code.extract.common_found import Found, found
from statetape.code.extract.common_shape import (
    CLASSES,
    FUNCTIONS,
    Declared,
    Import,
    Shape,
)
from statetape.code.extract.common_types import last_names, name_text, type_text
from statetape.code.extract.words import Words
from statetape.code.facts import Extractor, Facts
from statetape.code.treesitter import Place, text

_NAME = re.compile(r"[^\W\d]\w*")
_MARK = re.compile(
    rb"\b(?:static|abstract|virtual|override|final|open|private|fileprivate|const|default"
    rb"|class|extern|sealed)\b"
)
_HEADERS = (".h", ".hh", ".hpp", ".hxx")
_CPP = re.compile(rb"^[ \t]*(?:class|namespace|template|public:|private:|using)\b", re.MULTILINE)
_INSIDE = ("function", "extension", *CLASSES)


def extractor(dialect: Dialect) -> Extractor:
    """The extractor of a language. Cost: one parse, one query over the tree."""

    def facts(path: str, data: bytes) -> Facts:
        return _facts(dialect, path, data)

    return facts


def header(path: str, data: bytes) -> Facts:
    """The facts of a `.h` file, C++ where a line begins as only C++ does."""
    plain = _CPP.search(data) is None and find_spec(C.grammar[0]) is not None
    return (c if plain else cpp)(path, data)


java, kotlin, csharp, php = (extractor(each) for each in (JAVA, KOTLIN, CSHARP, PHP))
swift, ruby, rust = (extractor(each) for each in (SWIFT, RUBY, RUST))
c, cpp, bash = (extractor(each) for each in (C, CPP, BASH))


def _facts(dialect: Dialect, path: str, data: bytes) -> Facts:
    text_ = dialect.mended(data)
    root = treesitter.tree(text_, *dialect.grammar, path=path).root_node
    sweep = _Sweep(dialect, path, text_)
    matches = QueryCursor(dialect.query("definitions")).matches(root)
    sweep.over(found([captures for _, captures in matches]))
    outline = treesitter.outline(data, sweep.places())
    declared = sweep.declared
    return Facts(
        path,
        dialect.name,
        treesitter.digest(data),
        outline.definitions,
        used=Words(data, _NAME),
        detail=Shape(
            sweep.package,
            declared,
            tuple(sweep.imports),
            {name: tuple(dict.fromkeys(owners)) for name, owners in sweep.attributes.items()},
            text_,
            outline.blocks,
        ),
        broken=root.has_error,
        layout=outline.layout,
        bases=tuple(
            (name, last_names(each.bases)) for name, each in declared.items() if each.bases
        ),
    )


class _Sweep:
    """One pass over the definitions, which finds their qualified names."""

    def __init__(self, dialect: Dialect, path: str, data: bytes) -> None:
        self.dialect = dialect
        self.data = data
        self.header = path.lower().endswith(_HEADERS)
        self.package = ""
        self.imports: list[Import] = []
        self.attributes: dict[str, list[str]] = {}
        self.declared: dict[str, Declared] = {}
        self._places: list[Place] = []
        # What encloses the next definition: where it ends, its qualified name, its kind.
        self._open: list[tuple[int, str, str]] = []

    def over(self, nodes: Sequence[Found]) -> None:
        """Takes what was found, in the order of the file."""
        blocks: list[tuple[int, str]] = []
        for each in nodes:
            start, end = each.node.start_byte, each.node.end_byte
            while self._open and self._open[-1][0] <= start:
                self._open.pop()
            while blocks and blocks[-1][0] <= start:
                self.package = blocks.pop()[1]
            name, _ = self._container()
            match each.kind:
                case "import":
                    stated = self.dialect.imported(text(self.data, each.node).strip())
                    self.imports += (one._replace(within=name) for one in stated)
                case "package":
                    self.package = name_text(text(self.data, each.node))
                case "package.block":
                    blocks.append((end, self.package))
                    parts = self.package, *self._names(each, "package")
                    self.package = ".".join(filter(None, parts))
                case "attribute":
                    for attribute in self._names(each):
                        key = f"{name.rpartition('.')[0]}.{attribute}".strip(".")
                        self.attributes.setdefault(key, []).append(name)
                case _:
                    self._define(each, end)

    def places(self) -> Iterator[Place]:
        """The places, those of one name of one kind."""
        for place in self._places:
            kind = self.declared[place.name].kind
            yield place if kind == place.kind else place._replace(kind=kind)

    def _container(self) -> tuple[str, str]:
        return self._open[-1][1:] if self._open else ("", "")

    def _names(self, found: Found, role: str = "name") -> list[str]:
        nodes = found.captured(role)
        return [name_text(text(self.data, node)).strip(".") for node in nodes]

    def _types(self, found: Found, role: str) -> tuple[str, ...]:
        nodes = found.captured(role)
        return tuple([type_text(self.data, node) for node in nodes]) if nodes else ()

    def _define(self, found: Found, end: int) -> None:
        container, around = self._container()
        kind = found.kind
        if kind == "promoted":  # a parameter of a constructor that is a field of the class
            kind, container, around = "field", container.rpartition(".")[0], "class"
        if around in FUNCTIONS and kind not in _INSIDE:
            return  # a local name, or the member of an unnamed class
        outer = container
        prefix = self._types(found, "prefix")
        if prefixes := prefix and last_names(prefix):
            outer = ".".join((container, *prefixes) if container else prefixes)
        inside = around in CLASSES or outer is not container
        nodes, names = found.captured("name"), self._names(found)
        prototype = kind == "prototype"
        if kind in ("function", "method", "prototype"):
            kind = "method" if inside or "." in "".join(names) else "function"
        elif kind == "variable" and inside:
            kind = "field"
        for node, last in zip(nodes, names, strict=True):
            if not last:
                continue
            marks = self._marks(found.node, node)
            if prototype or (kind == "variable" and "extern" in marks):
                marks.add("prototype")
            placed = len(names) == 1 and ("prototype" not in marks or self.header or inside)
            if kind == "constant":
                self._constant(last)
            name = f"{outer}.{last}" if outer else last
            stated = "field" if kind == "constant" else kind
            self._declare(name, self._stated(found, stated, marks, placed=placed))
            if placed:
                self._places.append(Place(name, stated, found.node.start_byte, end))
                self._open.append((end, name, stated))

    def _constant(self, name: str) -> None:
        """A constant of an enumeration is known where that is."""
        module = next((n for _, n, kind in reversed(self._open) if kind == "module"), "")
        outer = self._container()[0]
        plain, whole = (".".join(filter(None, (each, name))) for each in (module, outer))
        if plain != whole:
            self._declare(plain, Declared("constant", (whole,), placed=False))

    def _marks(self, node: Node, name: Node) -> set[str]:
        start, end = node.start_byte, name.start_byte
        marks = set(map(bytes.decode, _MARK.findall(self.data, max(start, end - 300), end)))
        if self.dialect.outside == "includes":
            rest = self.data[name.end_byte : min(name.end_byte + 300, node.end_byte)]
            if b"override" in rest.partition(b"{")[0]:
                marks.add("override")
        return marks

    def _stated(self, found: Found, kind: str, marks: set[str], *, placed: bool) -> Declared:
        generics = found.generics and tuple(
            (text(self.data, name), type_text(self.data, bound) if bound else "")
            for name, bound in found.generics.values()
        )
        return Declared(
            kind,
            types=self._types(found, "type"),
            bases=self._bases(found),
            generics=generics or (),
            marks=frozenset(marks),
            receiver="".join(self._types(found, "receiver")),
            package=self.package,
            placed=placed,
        )

    def _bases(self, found: Found) -> tuple[str, ...]:
        """In the order of look-up: what was mixed in last comes first.

        `^`: before the class itself; `+`: before all other bases.
        """
        bases = self._types(found, "base")
        if not self.dialect.mixes:
            return bases
        prepended = ["^" + each for each in reversed(self._types(found, "prepended"))]
        mixins = ["+" + each for each in reversed(self._types(found, "mixin"))]
        return (*prepended, *mixins, *bases)

    def _declare(self, name: str, new: Declared) -> None:
        """Several places of one name state one declaration together."""
        old = self.declared.get(name)
        if old is None:
            self.declared[name] = new
            return
        only = {"prototype"} & old.marks & new.marks
        self.declared[name] = Declared(
            new.kind if old.kind in ("extension", "type") else old.kind,
            types=tuple(dict.fromkeys(old.types + new.types)),
            bases=tuple(dict.fromkeys(old.bases + new.bases)),
            generics=tuple(dict.fromkeys(old.generics + new.generics)),
            marks=(old.marks | new.marks) - {"prototype"} | only,
            receiver=old.receiver or new.receiver,
            package=old.package,
            placed=old.placed or new.placed,
        )
