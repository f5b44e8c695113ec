"""Which files a test run loads: the closure of what they state of others."""

import re
from collections import deque
from collections.abc import Collection, Iterable, Sequence

from statetape.code import languages
from statetape.code.facts import Loads, Lookup
from statetape.code.findings import Findings
from statetape.code.graph import Graph
from statetape.code.lookup import RecordingLookup

MOST = 400
"""Files. What loads more is not followed: at about 0.2 ms each, nobody waits for it."""

# Another process of the program loads what no import says.
_ITSELF = re.compile(
    rb"\bsys\.executable|\bos\.Executable\b|\bprocess\.(?:execPath|argv)|\bWorker\("
)
# So may any process that a test starts; and one that walks folders may read any file.
_BEYOND = re.compile(
    rb"\bsubprocess\b|\bPopen\b|\bos\.system\b|\bchild_process\b|\bexeca\b|\bBun\.spawn|\"os/exec\""
    rb"|\brglob\b|\bglob\(|\bos\.walk\b|\bgetsource\b|\bfilepath\.Walk|\bWalkDir\b|\breaddir|\bfast-glob\b"
)
# A report that is of more files than were loaded, or a plug-in, in a configuration of test runners.
_REPORTS = re.compile(rb"--cov\b|--doctest|\s-p[\s=\"']|\bcollectCoverage\b|\bcoverage\s*:")
_CONFIGURED = re.compile(
    r"(?:^|/)(?:pyproject\.toml|pytest\.ini|tox\.ini|setup\.cfg|[^/]*\.config\.\w+)$"
)
_TESTING = re.compile(r"(?:^|[/_.])(?:tests?|testing|testutils?|specs?|e2e|conftest)(?=[/_.])")
# Data that a module may import: it loads nothing itself.
_DATA = (
    ".json",
    ".css",
    ".scss",
    ".svg",
    ".png",
    ".md",
    ".txt",
    ".yaml",
    ".yml",
    ".toml",
    ".sql",
    ".ini",
    ".cfg",
)


def loaded(
    tests: Sequence[str], graph: Graph, but: Collection[str] = (), most: int = MOST
) -> frozenset[str] | None:
    """The files that a run of these tests (`types.Run.tests`) can load, the tests included.

    None as soon as one of `but` is among them, and where nobody can tell: there are no such tests,
    a file computes what it loads or starts the program anew, a test starts a process, a name may be
    of the repository and leads nowhere, there are more than `most`. Reads each file once.
    """
    lookup = RecordingLookup(graph, Findings())
    paths = tuple(graph.paths())
    start = [path for test in tests for path in _matching(test, paths)]
    queue = deque((*start, *(each for path in start for each in languages.beside(path, lookup))))
    found = set(queue)
    unknown: set[str] = set()
    said = [path.rpartition("/")[2].encode() for path in but]
    while queue and len(found) <= most and found.isdisjoint(but):
        path = queue.popleft()
        data = graph.read(path)
        more = None if data is None else _loads(path, data, lookup)
        if more is None or data is None or any(name in data for name in said):
            return None
        queue += more.files - found
        found |= more.files
        unknown |= more.unknown
    own = _names(paths) if unknown else frozenset[str]()
    told = found and not queue and found.isdisjoint(but) and unknown.isdisjoint(own)
    return frozenset(found) if told else None


def _loads(path: str, data: bytes, lookup: Lookup) -> Loads | None:
    if _CONFIGURED.search(path) and _REPORTS.search(data):
        return None
    if path.endswith(_DATA):
        return Loads(frozenset())
    if _ITSELF.search(data) or (_TESTING.search(path) and _BEYOND.search(data)):
        return None
    return languages.loads(path, data, lookup)


def _names(paths: Iterable[str]) -> frozenset[str]:
    """What a name of the repository can begin with: a folder, or a file without its suffix."""
    parts = (path.split("/") for path in paths)
    return frozenset(
        each for *folders, file in parts for each in (*folders, file.rpartition(".")[0])
    )


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
