"""Which files a test run loads: the closure of what they state of others."""

import re
from collections import deque
from collections.abc import Collection, Iterable, Sequence
from typing import NamedTuple

from statetape.code import languages
from statetape.code.facts import Loads, Lookup
from statetape.code.findings import Findings
from statetape.code.graph import Graph
from statetape.code.lookup import RecordingLookup
from statetape.code.own_names import may_be_own
from statetape.code.runner_options import is_options, loads_more

MOST = 400
"""Files. What loads more is not followed: at up to 1 ms each, nobody waits for it."""

# Another process of the program loads what no import says.
_ITSELF = re.compile(
    rb"\bsys\.executable|\bos\.Executable\b|\bprocess\.(?:execPath|argv)|\bWorker\("
)
# So may any process that a test starts; and one that walks folders, or makes up names of files
# with a suffix of code, may read any file.
_BEYOND = re.compile(
    rb"\b(?:(?:create_)?subprocess|Popen\b|os\.(?:system|popen|exec|spawn|posix_spawn|f?walk\b)"
    rb"|pexpect\b|pytester\b|testdir\b|script_runner\b|child_process\b|execa\b|Bun\.(?:spawn|\$)"
    rb"|gexec\b|os/exec\b|testscript\b|[ir]?glob\b|listdir\b|scandir\b|iterdir\b|walk\(|getsource"
    rb"|getfile\b|linecache\b|discover\(|mypy\.api\b|pylint\b|compileall\b|py_compile\b|Glob\("
    rb"|filepath\.Walk|WalkDir\b|ReadDir\b|Readdir|ParseDir\b|packages\.Load\b|analysistest\b"
    rb"|go/build\b|readdir|opendir|fast-glob\b|(?:tiny)?globby\b)"
    rb"|(?<=[}*\"'`s])\.(?:py|go|[cm]?[jt]sx?)[\"'`]"
)
# Where a program says itself in which folders modules are looked for.
_PLACES = re.compile(rb"\bsys\.path\b|\bsyspath_prepend\b|\baddsitedir\b|\b__path__\b")
# Between pieces of a text, and what shows that one may hold the name of a file of code.
_APART = re.compile(rb"[\s'\"`/\\]+")
_CODE = re.compile(rb"\.(?:pyi?|go|[cm]?[jt]sx?)", re.IGNORECASE)
_TESTING = re.compile(r"(?:^|[/_.])(?:tests?|testing|testutils?|specs?|e2e|conftest)(?=[/_.])")
# Data that a module may import: it loads nothing itself.
_DATA = (
    *(".json", ".yaml", ".yml", ".toml", ".ini", ".cfg", ".sql"),
    *(".css", ".scss", ".svg", ".png", ".md", ".txt"),
)


class Loaded(NamedTuple):
    """The files that a run of some tests can load, and the first parts of what it imports.

    `said` are the pieces of their texts that may hold the name of a file of code.
    """

    files: frozenset[str]
    tops: frozenset[str]
    said: frozenset[bytes]

    def spares(self, written: Collection[str]) -> bool:
        """Whether it loads none of some files of code, nor says the name of one, nor may find one.

        A file goes by a name that is imported, and lies where others of that name do not: which
        of them is meant depends on folders that the program can choose.
        """
        if not self.files.isdisjoint(written) or _elsewhere(written, self):
            return False
        names = [path.rpartition("/")[2].encode() for path in written]
        return not any(
            _APART.search(name) or any(name in piece for piece in self.said) for name in names
        )


def loaded(
    tests: Sequence[str], graph: Graph, but: Collection[str] = (), most: int = MOST
) -> Loaded | None:
    """The files that a run of these tests (`types.Run.tests`) can load, the tests included.

    None as soon as one of `but` is among them, and where nobody can tell: there are no such tests,
    a file computes what it loads or starts the program anew, a test starts a process, a name may be
    of the repository and leads nowhere, there are more than `most`. Reads each file once.
    """
    lookup = RecordingLookup(graph, Findings())
    paths = tuple(graph.paths())
    start = frozenset(path for test in tests for path in _matching(test, paths))
    queue = deque((*start, *(each for path in start for each in languages.beside(path, lookup))))
    found = set(queue)
    unknown: set[str] = set()
    tops: set[str] = set()
    said: set[bytes] = set()
    chosen = False
    while queue and len(found) <= most and found.isdisjoint(but):
        path = queue.popleft()
        data = graph.read(path)
        more = None if data is None else _loads(path, data, lookup, is_test=path in start)
        if more is None or data is None:
            return None
        queue += more.files - found
        found |= more.files
        unknown |= more.unknown
        tops |= more.tops
        said.update(piece for piece in _APART.split(data) if _CODE.search(piece))
        chosen = chosen or (path.endswith(".py") and _PLACES.search(data) is not None)
    if not found or queue or not found.isdisjoint(but) or not found.issubset(paths):
        return None  # of files that are not listed (ignored, behind a link) no write is seen
    if may_be_own(unknown, found, graph):
        return None
    result = Loaded(frozenset(found), frozenset(tops), frozenset(said))
    return None if chosen and _elsewhere(paths, result) else result


def _loads(path: str, data: bytes, lookup: Lookup, *, is_test: bool) -> Loads | None:
    if is_options(path) and loads_more(path, data):
        return None
    if path.endswith(_DATA):
        return Loads(frozenset())
    if _ITSELF.search(data) or ((is_test or _TESTING.search(path)) and _BEYOND.search(data)):
        return None
    return languages.loads(path, data, lookup)


def _elsewhere(paths: Iterable[str], loaded: Loaded) -> bool:
    """Whether one of these files goes by a name that is imported, at a place of its own."""
    places = _places(loaded.files)
    return any(
        place.rpartition("/")[2] in loaded.tops and place not in places
        for path in paths
        if path.endswith(".py")
        for place in _places([path])
    )


def _places(paths: Iterable[str]) -> frozenset[str]:
    """These modules, and the folders around them, without suffixes."""
    found: set[str] = set()
    for path in paths:
        place = path.removesuffix(".py")
        while place and place not in found:
            found.add(place)
            place = place.rpartition("/")[0]
    return frozenset(found)


def _matching(test: str, paths: Iterable[str]) -> list[str]:
    folder, star, end = test.partition("*")
    if not star:
        return [test]
    below = end.startswith("*")
    end = end.removeprefix("*")
    return [
        path
        for path in paths
        if path.startswith(folder)
        and path.endswith(end)
        and (below or "/" not in path[len(folder) :])
    ]
