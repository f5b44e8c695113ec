"""What resolutions have found out about the present state of a repository, shared between them.

A finding rests on what was looked at for it and on other findings. A write forgets those that rest
on what it changes, and those that rest on these; all others stand.
"""

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator

from statetape.types import SymbolId

FOLDER = "\1"
"""In a ground, instead of a name: which files are in a folder."""
KEY = "\2"
"""In a ground, instead of a name: which symbols are under a key of `code.names`."""
THERE = "\3"
"""In a ground, instead of a name: whether there is such a file."""

Ground = tuple[str, str]
"""A path with a name that was looked at in it, or what stands for it (see above)."""


class Finding:
    """The answer to one question, with its own `grounds` and the findings `below` it.

    `depth` and `nesting` say how deep the question led: it holds in full where as much is left of
    both. It is `cut` where nesting has ended it, `ended` where depth has. One that is not `pure`
    holds for the resolution that asked, and for no other. `owners` have been resolved by it, as
    long as it is `kept`.
    """

    __slots__ = (
        *("above", "below", "cut", "depth", "ended"),
        *("grounds", "kept", "key", "nesting", "owners", "pure", "store", "value"),
    )

    def __init__(self, key: Hashable, value: object) -> None:
        self.key = key
        self.value = value
        self.pure = self.cut = self.ended = self.kept = False
        self.depth = self.nesting = 0
        self.grounds: Iterable[Ground] = ()
        self.below: Iterable[Finding] = ()
        self.above: set[Finding] = set()
        self.owners: set[SymbolId] = set()
        self.store: dict[Hashable, Finding] = {}


class Findings:
    """The findings that hold now, in any number of `stores`."""

    def __init__(self) -> None:
        self.stores: defaultdict[str, dict[Hashable, Finding]] = defaultdict(dict)
        self._resting: defaultdict[str, dict[str, set[Finding]]] = defaultdict(dict)

    def keep(self, finding: Finding, store: dict[Hashable, Finding]) -> None:
        """Have a pure finding in a store until a write changes what it rests on."""
        finding.store, finding.kept = store, True
        store[finding.key] = finding
        for path, name in finding.grounds:
            self._resting[path].setdefault(name, set()).add(finding)
        for each in finding.below:
            each.above.add(finding)

    def forget(self, path: str, names: Iterable[str] | None) -> set[SymbolId]:
        """Forget what rests on some names in a file; None: on anything in it. Whose that was."""
        owners: set[SymbolId] = set()
        under = self._resting.get(path)
        if not under:
            return owners
        chosen = list(under) if names is None else [name for name in names if name in under]
        stack = [finding for name in chosen for finding in under[name]]
        while stack:
            finding = stack.pop()
            if finding.kept:
                finding.kept = False
                if finding.store.get(finding.key) is finding:
                    del finding.store[finding.key]
                owners |= finding.owners
                stack += finding.above
                for place, name in finding.grounds:
                    self._resting[place][name].discard(finding)
                for each in finding.below:
                    each.above.discard(finding)
        return owners


def split(roots: Iterable[Finding]) -> tuple[set[Finding], set[Ground]]:
    """The topmost kept findings in and below `roots`, and what the others rest on."""
    kept = set(roots)
    loose: set[Ground] = set()
    if all(finding.kept for finding in kept):
        return kept, loose
    roots, kept = kept, set()
    for finding in _walked(roots, lambda finding: not finding.kept):
        if finding.kept:
            kept.add(finding)
        else:
            loose.update(finding.grounds)
    return kept, loose


def grounds(roots: Iterable[Finding]) -> Iterator[Iterable[Ground]]:
    """What findings rest on, those below them included."""
    return (finding.grounds for finding in _walked(roots, lambda _: True))


def _walked(roots: Iterable[Finding], enter: Callable[[Finding], bool]) -> Iterator[Finding]:
    """Findings and those below the ones that `enter` lets in, each once."""
    seen = set(roots)
    stack = list(seen)
    while stack:
        finding = stack.pop()
        yield finding
        for each in finding.below if enter(finding) else ():
            if each not in seen:
                seen.add(each)
                stack.append(each)
