"""The index and the graph of large projects: each figure against a baseline of the same run.

The project is that of `STATETAPE_PROJECT` (a folder of Python files), else a made one of 2,800
files. Nothing here fails for being slow. Run with `-k` and `-s` to see single figures.
"""

import os
import random
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path
from statistics import median
from typing import Any

import pytest

from statetape.code.graph import Graph
from statetape.code.treesitter import parser
from statetape.files import Folder, Memory
from statetape.store.index.cache import Cache
from statetape.store.index.edges import Edges
from statetape.store.index.resolving import resolve
from statetape.store.index.stored import StoredIndex
from statetape.types import SymbolId, Write

FIGURES: list[str] = []
FILES = 2_800
HELD = 200
SAMPLE = 20
KEPT_SAMPLE = 600


def module(number: int, of: int, services: int) -> str:
    """The text of one module: it calls the ten before it, and has `services` classes."""
    near = [(number - step) % of for step in (1, 2, 3, 7, 10)]
    lines = [
        '"""Module."""',
        "import os",
        *(
            f"from p{n // 40}.m{n} import make{n}, Service{n}_0, LIMIT{n}"
            for n in near
            if n != number
        ),
        f"LIMIT{number} = {number}",
        f"def make{number}(name: str) -> 'Service{number}_0':",
        f"    return Service{number}_0(name)",
    ]
    for each in range(services):
        other = near[each % len(near)]
        lines += [
            # Bases are three deep and in no circle.
            f"class Service{number}_{each}(Service{number - 1}_0):"
            if number % 3
            else f"class Service{number}_{each}:",
            f'    """Service {each}."""',
            "    def __init__(self, name: str) -> None:",
            f"        self.name, self.other = name, make{other}(name)",
            "    def load(self, path: str) -> dict[str, str]:",
            "        if not os.path.exists(path):",
            "            raise ValueError(f'no file {path}')",
            "        return {'path': path, 'name': self.name}",
            f"    def run{each}(self, values: list[int]) -> int:",
            f"        total = LIMIT{number}",
            "        for value in values:",
            f"            total += self.other.run{each}([value]) * 2",
            "        return total if self.load('x') else 0",
        ]
    return "\n".join(lines) + "\n"


def made(count: int, services: int = 12) -> dict[str, bytes]:
    """A project of `count` modules in packages of forty, the same each time."""
    files = {f"p{n // 40}/m{n}.py": module(n, count, services).encode() for n in range(count)}
    return files | {f"p{n}/__init__.py": b"" for n in range(count // 40 + 1)}


PROJECT = os.environ.get("STATETAPE_PROJECT")


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return Path(PROJECT) if PROJECT else written(tmp_path_factory.mktemp("project"), made(FILES, 6))


def written(root: Path, files: dict[str, bytes]) -> Path:
    for path, data in files.items():
        (root / path).parent.mkdir(exist_ok=True)
        (root / path).write_bytes(data)
    return root


def spent(work: Callable[[], Any], clock: Callable[[], float] = time.process_time) -> float:
    begun = clock()
    work()
    return clock() - begun


def opened(project: Path, cache: Path, *, helped: bool = False, kept: Edges | None = None) -> Graph:
    """A graph that has the interface of every file, and answers for names."""
    index = StoredIndex(Cache(cache), project if helped else None)
    graph = Graph(Folder(project), index, kept=kept)
    graph.named("run")
    return graph


def bare_seconds(project: Path) -> float:
    texts = [path.read_bytes() for path in project.rglob("*.py")]
    parse = parser("tree_sitter_python").parse
    return spent(lambda: [parse(text) for text in texts])


def test_index(benchmark: Any, project: Path, tmp_path: Path) -> None:
    """Cold, in one process and in two; and opened again."""
    bare = bare_seconds(project)
    began = time.perf_counter()
    cold = spent(lambda: opened(project, tmp_path / "one"))
    alone = time.perf_counter() - began
    helped = spent(lambda: opened(project, tmp_path / "two", helped=True), time.perf_counter)
    benchmark.pedantic(opened, args=(project, tmp_path / "one"), rounds=5, iterations=1)
    again = benchmark.stats.stats.median
    files = sum(1 for _ in project.rglob("*.py"))
    FIGURES.append(
        f"cold index of {files:,} Python files: {cold:.2f} s, {cold / bare:.2f}x their bare parse "
        f"({bare:.2f} s); with a second process {alone / helped:.2f}x as fast by the clock"
    )
    FIGURES.append(f"opened again: {again * 1e3:.0f} ms, {again / cold:.1%} of the cold index")


def test_callers(benchmark: Any, tmp_path: Path) -> None:
    """Callers of random symbols, each asked once: resolved on demand, and once edges are kept."""
    root = Path(PROJECT) if PROJECT else written(tmp_path, made(300, 4))
    cache = tmp_path / "cache"
    opened(root, cache)
    graph = opened(root, cache)
    own = [s for s in graph.symbols() if s.name and s.path.endswith(".py")]
    chosen = random.Random(1).sample(own, min(KEPT_SAMPLE, len(own)))  # noqa: S311
    graph.callers(chosen[0])
    FIGURES.append(f"callers on demand, {shares(graph, chosen[:SAMPLE])}")
    store = Edges(cache, root)
    graph = opened(root, cache, kept=store)
    phase = spent(lambda: resolve(graph, store))
    graph = opened(root, cache, kept=Edges(cache, root))
    first = spent(lambda: graph.callers(chosen[0]))
    FIGURES.append(f"callers where edges are kept, {shares(graph, chosen)}")
    FIGURES.append(
        f"keeping the edges of {len(own):,} symbols: {phase:.1f} s; "
        f"the first question then {first * 1e3:.0f} ms; {graph.symbols_resolved} symbols resolved"
    )
    benchmark.pedantic(graph.callers, args=(chosen[0],), rounds=3, iterations=10)


def shares(graph: Graph, symbols: list[SymbolId]) -> str:
    """How long the callers of one symbol take."""
    times = sorted(spent(lambda symbol=symbol: graph.callers(symbol)) for symbol in symbols)  # type: ignore[misc]
    at = {share: times[int(len(times) * share)] * 1e3 for share in (0.5, 0.9, 0.99)}
    return (
        f"{len(times)} symbols: median {at[0.5]:.2f} ms, p90 {at[0.9]:.1f} ms, "
        f"p99 {at[0.99]:.0f} ms, worst {times[-1] * 1e3:.0f} ms"
    )


def test_write(benchmark: Any, tmp_path: Path) -> None:
    """One write of a file with 200 held symbols, against a bare parse of it, as projects grow."""
    text = module(0, 300, 24)
    states = [
        text.replace("total = LIMIT0", f"total = LIMIT0 + {n}", 1).encode() for n in range(80)
    ]
    parse = parser("tree_sitter_python").parse
    ratios, bare = {}, 0.0
    for count in (300, FILES, 30_000):
        files = Memory(made(300) | {f"q/m{n}.py": b"def f%d(): pass\n" % n for n in range(count)})
        files["p0/m0.py"] = states[0]
        graph = Graph(files, StoredIndex(Cache(tmp_path / "cache")))
        graph.named("run0")
        held = [s for n in range(8) for s in graph.symbols(f"p0/m{n}.py")][:HELD]
        views = [graph.view(symbol) for symbol in held]
        assert len(views) == HELD

        # Each a text that nobody has seen.
        writes = iter([Write("p0/m0.py", *sides) for sides in pairwise(states)])

        def write(graph: Graph = graph, writes: Iterator[Write] = writes) -> None:
            graph.apply(next(writes))

        write()
        # In turns: whatever else the machine does slows both.
        parsed, written = zip(
            *((spent(lambda: parse(states[0])), spent(write)) for _ in range(31)), strict=True
        )
        bare = median(parsed)
        ratios[count] = median(written) / bare
    benchmark.pedantic(write, rounds=5, iterations=1)
    shown = ", ".join(f"{ratio:.2f}x with {count:,} files" for count, ratio in ratios.items())
    FIGURES.append(f"write with {HELD} held symbols: {shown} (bare parse {bare * 1e3:.1f} ms)")


MEMORY = """
import sys
from pathlib import Path
from statetape.code.graph import Graph
from statetape.files import Folder
from statetape.store.index.cache import Cache
from statetape.store.index.edges import Edges
from statetape.store.index.resolving import resolve
from statetape.store.index.stored import StoredIndex
from statetape.types import SymbolId
root, cache = map(Path, sys.argv[1:3])
kept = Edges(cache, root)
graph = Graph(Folder(root), StoredIndex(Cache(cache)), kept=kept)
if sys.argv[3:]:
    resolve(graph, kept)
graph.callers(SymbolId("", "nobody"))
for number, symbol in enumerate(graph.symbols()):
    if number % 200 == 0:
        graph.view(symbol)
# Not what getrusage says: that begins with the peak of the process that started this one.
lines = Path("/proc/self/status").read_text().splitlines()
print(next(line.split()[1] for line in lines if line.startswith("VmHWM")))
"""


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="reads Linux's own count")
def test_memory(benchmark: Any, project: Path, tmp_path: Path) -> None:
    """The peak of a process that indexes, asks for names and callers, and holds some views."""

    def peak(*edges: str) -> int:
        done = subprocess.run(
            [sys.executable, "-c", MEMORY, project, tmp_path / "cache", *edges],
            check=True, capture_output=True, text=True,
        )  # fmt: skip
        return int(done.stdout)

    cold = peak()
    again = benchmark.pedantic(peak, rounds=1, iterations=1)
    FIGURES.append(f"resident memory: {cold / 1e3:.0f} MB cold, {again / 1e3:.0f} MB opened again")
    if PROJECT:
        FIGURES.append(f"... with the edges of all symbols resolved: {peak('edges') / 1e3:.0f} MB")
