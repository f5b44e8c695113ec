"""Which file a module specifier means: relative paths, index files, and a simple tsconfig."""

from collections.abc import Iterator

from statetape.code.extract.javascript_config import PathOptions
from statetape.code.facts import Lookup

_SUFFIXES = (".ts", ".tsx", ".js", ".jsx", ".mts", ".cts", ".mjs", ".cjs", ".d.ts")
_COMPILED = {".js": (".ts", ".tsx"), ".jsx": (".tsx",), ".mjs": (".mts",), ".cjs": (".cts",)}
_CONFIGS = ("tsconfig.json", "jsconfig.json")


class ModuleFiles:
    """Answers by file for the resolution of one symbol; remembers them."""

    def __init__(self, lookup: Lookup) -> None:
        self.lookup = lookup
        self._known: dict[tuple[str, str], str | None] = {}

    def path(self, importer: str, module: str) -> str | None:
        """The path of the file that `importer` means by `module`; None outside the repository."""
        folder = importer.rpartition("/")[0]
        if (folder, module) not in self._known:
            found = (self._file(base) for base in self._bases(folder, module))
            self._known[folder, module] = next(filter(None, found), None)
        return self._known[folder, module]

    def _bases(self, folder: str, module: str) -> Iterator[str]:
        if module.startswith("."):
            base = normal(f"{folder}/{module}")
            if base is not None:
                yield base
        elif module:
            yield from self._mapped(folder, module)

    def _mapped(self, folder: str, module: str) -> Iterator[str]:
        """What `paths` and `baseUrl` of the nearest configuration make of a bare specifier."""
        config = self._config(folder)
        if config is None:
            return
        root, options = config
        base_url = options.base_url
        for pattern, targets in options.paths.items():
            before, star, after = pattern.partition("*")
            fits = (
                module.startswith(before) and module.endswith(after) if star else module == pattern
            )
            if fits:
                middle = module[len(before) : len(module) - len(after)]
                for target in targets:
                    base = normal(f"{root}/{base_url or '.'}/{target.replace('*', middle)}")
                    yield from [base] if base is not None else []
        if base_url is not None:
            base = normal(f"{root}/{base_url}/{module}")
            yield from [base] if base is not None else []

    def _config(self, folder: str) -> tuple[str, PathOptions] | None:
        while True:
            for name in _CONFIGS:
                facts = self.lookup.facts(f"{folder}/{name}" if folder else name, "")
                if facts is not None and isinstance(facts.detail, PathOptions):
                    return folder, facts.detail
            if not folder:
                return None
            folder = folder.rpartition("/")[0]

    def _file(self, base: str) -> str | None:
        return next(filter(self.lookup.exists, _candidates(base)), None)


def normal(path: str) -> str | None:
    """A path without `.` and `..`; None where it leaves the repository."""
    parts: list[str] = []
    for part in path.split("/"):
        if part == "..":
            if not parts:
                return None
            parts.pop()
        elif part not in ("", "."):
            parts.append(part)
    return "/".join(parts)


def _candidates(base: str) -> Iterator[str]:
    dot = base.rfind(".")
    suffix = base[dot:] if dot > base.rfind("/") else ""
    if suffix in (*_SUFFIXES, ".json", ".vue", ".svelte"):
        yield base
    yield from (base[:dot] + other for other in _COMPILED.get(suffix, ()))
    if base:
        yield from (base + other for other in _SUFFIXES)
    yield from (f"{base}/index{other}".lstrip("/") for other in _SUFFIXES)
