"""One extractor for the languages of `code.dialects`, each driven by its query file.

Captures of the section `definitions`: a `definition.KIND` with its `name` and, where it has them,
`type` (stated type), `base`, `prefix` (the type a name is filed under), `receiver`; the same
without a name to say more `of` a definition; `mixin` and `prepended`, bases that come before the
others; `generic` with its `bound`; `import`; `package`, in
a `package.block` where one encloses what is in it; `attribute`. Nesting is that of the nodes.
"""

import re
from collections.abc import Iterator, Mapping, Sequence

from tree_sitter import Node, QueryCursor

from statetape.code import treesitter
from statetape.code.dialects import BASH, C, CPP, CSHARP, JAVA, KOTLIN, PHP, RUBY, RUST, SWIFT
from statetape.code.dialects import Dialect
from statetape.code.extract.common_shape import (
    CLASSES,
    FUNCTIONS,
    Declared,
    Import,
    Run,
    Shape,
)
from statetape.code.extract.common_types import last_names, name_text, type_text
from statetape.code.facts import Extractor, Facts
from statetape.code.treesitter import Block, Place, text
from statetape.types import Span

_NAME = re.compile(r"[^\W\d]\w*")
_MARK = re.compile(
    rb"\b(?:static|abstract|virtual|override|final|open|private|fileprivate|const|default"
    rb"|class|extern|sealed)\b"
)
_HEADERS = (".h", ".hh", ".hpp", ".hxx")
_CPP = re.compile(rb"^[ \t]*(?:class|namespace|template|public:|private:|using)\b", re.MULTILINE)
_INSIDE = ("function", "extension", *CLASSES)
_Match = Mapping[str, Sequence[Node]]


class _Found:
    """A definition in the making; `order` sorts those that begin together from outside in."""

    __slots__ = (
        "bases",
        "generics",
        "kind",
        "mixins",
        "names",
        "node",
        "prefix",
        "prepended",
        "receiver",
        "types",
    )

    def __init__(self, node: Node) -> None:
        self.node = node
        self.kind = ""
        self.names: dict[int, Node] = {}
        self.types: dict[int, Node] = {}
        self.bases: dict[int, Node] = {}
        self.mixins: dict[int, Node] = {}
        self.prepended: dict[int, Node] = {}
        self.generics: dict[int, tuple[Node, Node | None]] = {}
        self.prefix: Node | None = None
        self.receiver: Node | None = None


def extractor(dialect: Dialect) -> Extractor:
    """The extractor of a language. Cost: one parse, one query over the tree."""

    def facts(path: str, data: bytes) -> Facts:
        return _facts(dialect, path, data)

    return facts


def header(path: str, data: bytes) -> Facts:
    """The facts of a `.h` file, C++ where a line begins as only C++ does."""
    return _facts(CPP if _CPP.search(data) else C, path, data)


java, kotlin, csharp, php = (extractor(each) for each in (JAVA, KOTLIN, CSHARP, PHP))
swift, ruby, rust = (extractor(each) for each in (SWIFT, RUBY, RUST))
c, cpp, bash = (extractor(each) for each in (C, CPP, BASH))


def _facts(dialect: Dialect, path: str, data: bytes) -> Facts:
    root = treesitter.tree(data, *dialect.grammar, path=path).root_node
    sweep = _Sweep(dialect, path, data)
    matches = QueryCursor(dialect.query("definitions")).matches(root)
    sweep.over(_collected([captures for _, captures in matches]))
    outline = treesitter.outline(data, sweep.places())
    declared = sweep.declared
    return Facts(
        path,
        dialect.name,
        treesitter.digest(data),
        outline.definitions,
        used=frozenset(_NAME.findall(data.decode(errors="replace"))),
        detail=Shape(
            sweep.package,
            declared,
            tuple(sweep.imports),
            {name: tuple(dict.fromkeys(owners)) for name, owners in sweep.attributes.items()},
            data,
            {name: tuple(map(_run, blocks)) for name, blocks in outline.blocks.items()},
        ),
        broken=root.has_error,
        layout=outline.layout,
        bases=tuple(
            (name, last_names(each.bases)) for name, each in declared.items() if each.bases
        ),
    )


def _run(block: Block) -> Run:
    edges = [block.span.start]
    for child in block.children:
        edges += child.span
    edges.append(block.span.end)
    return Run(block.span, tuple(Span(*edges[i : i + 2]) for i in range(0, len(edges), 2)))


def _collected(matches: Sequence[_Match]) -> list[tuple[int, int, str, _Found]]:
    """What the matches say of each node, in the order of the file, outer nodes first."""
    found: dict[tuple[int, str], _Found] = {}
    for captures in matches:
        for role, nodes in captures.items():
            kind = role.partition("definition.")[2]
            if not kind and role not in ("of", "import", "package", "package.block", "attribute"):
                continue
            if role == "package" and "package.block" in captures:
                continue
            group = "definition" if kind or role == "of" else role
            for node in nodes:
                each = found.setdefault((node.id, group), _Found(node))
                each.kind = kind or each.kind or ("" if role == "of" else role)
                _note(each, captures)
    entries = [
        (each.node.start_byte, -each.node.end_byte, each.kind, each)
        for each in found.values()
        if each.kind
    ]
    return sorted(entries, key=lambda entry: entry[:2])


def _note(found: _Found, captures: _Match) -> None:
    for role, into in (
        ("name", found.names),
        ("type", found.types),
        ("base", found.bases),
        ("mixin", found.mixins),
        ("prepended", found.prepended),
    ):
        for node in captures.get(role, ()):
            into[node.id] = node
    if found.kind == "package.block":
        found.names.update((node.id, node) for node in captures.get("package", ()))
    bounds = captures.get("bound", ())
    for node in captures.get("generic", ()):
        if bounds or node.id not in found.generics:
            found.generics[node.id] = node, bounds[0] if bounds else None
    found.prefix = next(iter(captures.get("prefix", ())), found.prefix)
    found.receiver = next(iter(captures.get("receiver", ())), found.receiver)


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

    def over(self, entries: Sequence[tuple[int, int, str, _Found]]) -> None:
        blocks: list[tuple[int, str]] = []
        for start, end, kind, found in entries:
            while self._open and self._open[-1][0] <= start:
                self._open.pop()
            while blocks and blocks[-1][0] <= start:
                self.package = blocks.pop()[1]
            name, _ = self._container()
            if kind == "import":
                stated = self.dialect.imported(text(self.data, found.node).strip())
                self.imports += (each._replace(within=name) for each in stated)
            elif kind == "package":
                self.package = name_text(text(self.data, found.node))
            elif kind == "package.block":
                blocks.append((-end, self.package))
                parts = [
                    self.package,
                    *(name_text(text(self.data, n)) for n in found.names.values()),
                ]
                self.package = ".".join(part for part in parts if part)
            elif kind == "attribute":
                class_ = name.rpartition(".")[0]
                for node in found.names.values():
                    attribute = f"{class_}.{text(self.data, node)}".strip(".")
                    self.attributes.setdefault(attribute, []).append(name)
            else:
                self._define(found, -end)

    def places(self) -> Iterator[Place]:
        """The places, those of one name of one kind."""
        for place in self._places:
            yield place._replace(kind=self.declared[place.name].kind)

    def _container(self) -> tuple[str, str]:
        return self._open[-1][1:] if self._open else ("", "")

    def _define(self, found: _Found, end: int) -> None:
        container, around = self._container()
        kind = found.kind
        if around in FUNCTIONS and kind not in _INSIDE:
            return  # a local name, or the member of an unnamed class
        prototype = kind == "prototype"
        if kind in ("function", "method", "prototype"):
            kind = "method" if around in CLASSES or found.prefix else "function"
        elif kind == "variable" and (around in CLASSES or found.prefix):
            kind = "field"
        names = [name_text(text(self.data, node)) for node in found.names.values()]
        placed = len(names) == 1 and (not prototype or self.header or around in CLASSES)
        for node, name in zip(found.names.values(), names, strict=True):
            if not name.strip("."):
                continue
            if found.prefix is not None:
                prefix = last_names([type_text(self.data, found.prefix)])
                name = ".".join((*prefix, name))
            if kind == "constant":
                self._constant(name)
            name = f"{container}.{name}" if container else name
            marks = self._marks(found.node, node) | ({"prototype"} if prototype else set())
            if kind == "variable" and "extern" in marks:
                marks.add("prototype")
                placed = placed and self.header
            kind = "field" if kind == "constant" else kind
            self._declare(name, self._stated(found, kind, marks, placed=placed))
            if placed:
                start = found.node.start_byte
                self._places.append(Place(name, kind, start, found.node.end_byte))
                self._open.append((end, name, kind))

    def _constant(self, name: str) -> None:
        """A constant of an enumeration is known where that is."""
        outer = next((n for _, n, kind in reversed(self._open) if kind == "module"), "")
        plain, whole = (".".join(p for p in (o, name) if p) for o in (outer, self._container()[0]))
        if plain != whole:
            self._declare(plain, Declared("constant", (whole,), placed=False))

    def _marks(self, node: Node, name: Node) -> set[str]:
        head = self.data[max(node.start_byte, name.start_byte - 300) : name.start_byte]
        marks = {mark.decode() for mark in _MARK.findall(head)}
        rest = self.data[name.end_byte : min(name.end_byte + 300, node.end_byte)]
        if b"override" in rest.partition(b"{")[0]:
            marks.add("override")
        return marks

    def _stated(self, found: _Found, kind: str, marks: set[str], *, placed: bool) -> Declared:
        generics = (
            (text(self.data, name), type_text(self.data, bound) if bound else "")
            for name, bound in found.generics.values()
        )
        return Declared(
            kind,
            types=tuple(type_text(self.data, node) for node in found.types.values()),
            bases=self._bases(found),
            generics=tuple(generics),
            marks=frozenset(marks),
            receiver=type_text(self.data, found.receiver) if found.receiver else "",
            package=self.package,
            placed=placed,
        )

    def _bases(self, found: _Found) -> tuple[str, ...]:
        """In the order of look-up: what was mixed in last comes first. `^`: before the class."""
        prepended = ["^" + type_text(self.data, node) for node in found.prepended.values()]
        mixins = [type_text(self.data, node) for node in found.mixins.values()]
        bases = (type_text(self.data, node) for node in found.bases.values())
        return (*reversed(prepended), *reversed(mixins), *bases)

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
