"""Which file a module specifier means: relative paths, index files, `paths`, workspaces."""

from collections.abc import Iterator

from statetape.code.extract.javascript_config import Package, PathOptions
from statetape.code.facts import Lookup
from statetape.code.paths import normal

_TYPESCRIPT = (".ts", ".tsx", ".d.ts", ".mts", ".cts", ".js", ".jsx", ".mjs", ".cjs")
_JAVASCRIPT = (".js", ".jsx", ".mjs", ".cjs", ".ts", ".tsx", ".mts", ".cts", ".d.ts")
_COMPILED = {".js": (".ts", ".tsx"), ".jsx": (".tsx",), ".mjs": (".mts",), ".cjs": (".cts",)}
_CONFIGS = ("tsconfig.json", "jsconfig.json")
_BUILT = ("dist", "lib", "build", "out", "esm", "cjs")
_WORKSPACES = ("pnpm-workspace.yaml", "lerna.json")
_MOST_EXTENDED = 8


class ModuleFiles:
    """Answers by file for the resolution of one symbol; remembers them."""

    def __init__(self, lookup: Lookup) -> None:
        self.lookup = lookup
        self._known: dict[tuple[str, str], str | None] = {}
        self._suffixes = _TYPESCRIPT

    def path(self, importer: str, module: str) -> str | None:
        """The path of the file that `importer` means by `module`; None outside the repository."""
        folder = importer.rpartition("/")[0]
        self._suffixes = _TYPESCRIPT if importer.endswith(("ts", "tsx")) else _JAVASCRIPT
        key = folder + self._suffixes[0], module
        if key not in self._known:
            self._known[key] = next(filter(None, self._files(folder, module)), None)
        return self._known[key]

    def _files(self, folder: str, module: str) -> Iterator[str | None]:
        if module.startswith("."):
            yield self._file(normal(f"{folder}/{module}"))
        elif module and not module.startswith(("node:", "/", "http:", "https:")):
            for base in self._mapped(folder, module):
                yield self._file(base)
            yield self._in_package(folder, module)

    def _mapped(self, folder: str, module: str) -> Iterator[str | None]:
        """What `paths` and `baseUrl` of the nearest configuration make of a bare specifier."""
        where = self._nearest(folder, _CONFIGS)
        configs = list(self._configs(where)) if where else []
        paths_from, paths = next(
            ((f, c.paths) for f, c in configs if c.paths is not None), ("", {})
        )
        base_from, base_url = next(((f, c.base_url) for f, c in configs if c.base_url), ("", None))
        root = paths_from if base_url is None else normal(f"{base_from}/{base_url}")
        for pattern, targets in sorted(paths.items(), key=_specific):
            before, star, after = pattern.partition("*")
            fits = (
                module.startswith(before) and module.endswith(after) if star else module == pattern
            )
            if fits:
                middle = module[len(before) : len(module) - len(after)]
                yield from (normal(f"{root}/{each.replace('*', middle)}") for each in targets)
        if base_url is not None and self._begins(root, module):
            yield normal(f"{root}/{module}")

    def _begins(self, root: str | None, module: str) -> bool:
        """Whether there is anything by the first part of a specifier under a `baseUrl`."""
        if root is None:
            return False
        first, _, rest = module.partition("/")
        inner = f"{root}/{first}".lstrip("/")
        if rest:
            return True
        start = inner + "."
        return any(path.startswith(start) for path in self.lookup.folder(root)) or any(
            path.startswith(f"{inner}/index.") for path in self.lookup.folder(inner)
        )

    def _configs(self, path: str, depth: int = 0) -> Iterator[tuple[str, PathOptions]]:
        """A configuration and those that it extends, each with its folder, the strongest first."""
        facts = self.lookup.facts(path, "")
        if facts is None or not isinstance(facts.detail, PathOptions) or depth > _MOST_EXTENDED:
            return
        folder = path.rpartition("/")[0]
        yield folder, facts.detail
        for extended in facts.detail.extends:
            other = normal(f"{folder}/{extended}") if extended.startswith(".") else None
            for each in (other, f"{other}.json") if other else ():
                yield from self._configs(each, depth + 1)

    def _nearest(self, folder: str, names: tuple[str, ...]) -> str | None:
        """The nearest of these files, in a folder or one around it, that tells something."""
        while True:
            for name in names:
                path = f"{folder}/{name}" if folder else name
                facts = self.lookup.facts(path, "")
                if facts is not None and (facts.detail is not None or name in _WORKSPACES):
                    return path
            if not folder:
                return None
            folder = folder.rpartition("/")[0]

    def _in_package(self, folder: str, module: str) -> str | None:
        """The file of a package of the workspace around, or of the package itself."""
        nearest = self._nearest(folder, ("package.json",))
        own = self._package(nearest)
        if nearest is None or own is None:
            return None
        parts = module.split("/")
        size = 2 if module.startswith("@") else 1
        name, inner = "/".join(parts[:size]), "/".join([".", *parts[size:]])
        if module.startswith("#"):
            return None
        if name == own.name:
            return self._entry(nearest, inner)
        at = nearest.rpartition("/")[0]
        root = self._workspace(at)
        if root is None:
            return None
        for path in self._candidates(root, own, name):
            found = self._package(path)
            if found is not None and found.name == name:
                return self._entry(path, inner)
        return None

    def _workspace(self, folder: str) -> str | None:
        """The folder of the workspace around a folder."""
        while True:
            for name in _WORKSPACES:
                if self.lookup.exists(f"{folder}/{name}".lstrip("/")):
                    return folder
            package = self._package(f"{folder}/package.json".lstrip("/"))
            if package is not None and package.workspaces is not None:
                return folder
            if not folder:
                return None
            folder = folder.rpartition("/")[0]

    def _candidates(self, root: str, own: Package, name: str) -> Iterator[str]:
        """Where the package of a name may be: where its folder has its name, else anywhere."""
        package = self._package(f"{root}/package.json".lstrip("/"))
        for pattern in package.workspaces or () if package is not None else ():
            last = name.rpartition("/")[2]
            place = pattern.replace("**", "*").replace("*", last)
            path = normal(f"{root}/{place}/package.json")
            yield from [path] if path is not None else []
        scope = name.partition("/")[0] if name.startswith("@") else ""
        if name in own.local or (scope and own.name.startswith(f"{scope}/")):
            yield from (symbol.path for symbol in self.lookup.heirs(name))

    def _package(self, path: str | None) -> Package | None:
        facts = self.lookup.facts(path, "") if path else None
        return facts.detail if facts and isinstance(facts.detail, Package) else None

    def _entry(self, path: str, inner: str) -> str | None:
        """The file of a package's module, or the source that it is built from."""
        folder, package = path.rpartition("/")[0], self._package(path)
        targets = [*_targets(package.entries if package else {}, inner), inner]
        for target in targets:
            first, _, rest = target.removeprefix("./").partition("/")
            built = [f"src/{rest}"] if first in _BUILT and rest else []
            for each in (target, *built, f"src/{target}"):
                if found := self._file(normal(f"{folder}/{each}")):
                    return found
        return None

    def _file(self, base: str | None) -> str | None:
        if base is None:
            return None
        return next(filter(self.lookup.exists, _spellings(base, self._suffixes)), None)


def _specific(entry: tuple[str, list[str]]) -> tuple[bool, int]:
    """The order of patterns: without a star first, then the longest before it."""
    return "*" in entry[0], -len(entry[0].partition("*")[0])


def _targets(entries: dict[str, str], inner: str) -> Iterator[str]:
    if inner in entries:
        yield entries[inner]
    for pattern, target in entries.items():
        before, star, after = pattern.partition("*")
        if star and inner.startswith(before) and inner.endswith(after):
            yield target.replace("*", inner[len(before) : len(inner) - len(after)])


def _spellings(base: str, suffixes: tuple[str, ...]) -> Iterator[str]:
    """The paths that a specifier without a suffix, or with a compiled one, may stand for."""
    dot = base.rfind(".")
    suffix = base[dot:] if dot > base.rfind("/") else ""
    if suffix in (*suffixes, ".json", ".vue", ".svelte"):
        yield base
    yield from (base[:dot] + other for other in _COMPILED.get(suffix, ()))
    if base:
        yield from (base + other for other in suffixes)
    yield from (f"{base}/index{other}".lstrip("/") for other in suffixes)
