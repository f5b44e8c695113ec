"""Speed as ratios: each figure against a baseline that is measured in the same run.

`make bench` prints pytest-benchmark's table and, under it, one line a ratio. Nothing here fails
for being slow. The sessions are those of `STATETAPE_SESSIONS` (a folder, searched for *.jsonl,
*.json and *.gz), else of the folder beside the checkout, else the bundled example.
"""

import gzip
import os
import time
import tracemalloc
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
from tree_sitter import Parser

from statetape.code.graph import Graph
from statetape.code.treesitter import parser
from statetape.files import Memory
from statetape.replay.history import history
from statetape.replay.player import replayed
from statetape.replay.prepared import prepared
from statetape.replay.recording import Happened
from statetape.replay.transcripts import recording
from statetape.tokens import tokens
from statetape.types import Write

ROOT = Path(__file__).parent.parent
RATIOS: list[str] = []
GRAMMARS = {
    ".py": ("tree_sitter_python", "language"),
    ".go": ("tree_sitter_go", "language"),
    ".js": ("tree_sitter_javascript", "language"),
    ".ts": ("tree_sitter_typescript", "language_typescript"),
    ".tsx": ("tree_sitter_typescript", "language_tsx"),
}


@pytest.fixture(scope="module", autouse=True)
def _ratios() -> Iterator[None]:
    yield
    print("\n\n" + "\n".join(RATIOS))  # noqa: T201 -- the figures are the point


def sessions() -> list[Path]:
    """The recorded sessions to measure with."""
    named = os.environ.get("STATETAPE_SESSIONS")
    folder = Path(named) if named else ROOT.parent / "shared" / "transcripts"
    found = [
        path
        for path in sorted(folder.rglob("*"))
        if path.suffix in {".gz", ".jsonl", ".json"} and path.name != "index.json"
    ]
    return found or [ROOT / "examples" / "config-loader.jsonl"]


def timed(work: Any, *arguments: Any) -> tuple[float, Any]:
    """Seconds of processor time of one call, and what it returned."""
    start = time.process_time()
    result = work(*arguments)
    return time.process_time() - start, result


def parsed_json(file: Path) -> int:
    """All of a session file decoded and let go, as a reader must at least."""
    data = file.read_bytes()
    if data[:2] == b"\x1f\x8b":
        data = gzip.decompress(data)
    lines = [data] if file.name.removesuffix(".gz").endswith(".json") else data.splitlines()
    count = 0
    for line in lines:
        try:
            msgspec.json.decode(line)
        except (msgspec.DecodeError, UnicodeDecodeError):
            continue
        count += 1
    return count


def written_versions(file: Path) -> tuple[list[str], list[tuple[str, bytes]]]:
    """The texts of a session, and every distinct version that its writes made of a file."""
    ready = prepared(recording(file))
    texts = [
        getattr(event.block, "text", "") or str(getattr(event.block, "input", ""))
        for event in ready.recording.events
        if isinstance(event, Happened)
    ]
    seen = history(ready.recording, None, ready.shell_writes)
    versions = {
        (write.write.path, write.write.after): None
        for at in seen.writes
        for write in seen.writes[at]
        if write.write.after is not None
    }
    return texts, [(path, after) for path, after in versions if after is not None]


def bare(path: str) -> Parser | None:
    """The bare tree-sitter parser of a path's language."""
    grammar = GRAMMARS.get(Path(path).suffix)
    return parser(*grammar) if grammar else None


def test_replay_of_all_sessions(benchmark: Any) -> None:
    """All sessions replayed, against decoding, counting and one bare parse a written version."""
    files = sessions()
    floor = decode = count = parse = 0.0
    for file in files:
        decode += timed(parsed_json, file)[0]
        texts, versions = written_versions(file)
        count += timed(lambda found=texts: [tokens(text) for text in found])[0]
        for path, data in versions:
            grammar = bare(path)
            if grammar is not None:
                parse += timed(grammar.parse, data)[0]
    floor = decode + count + parse

    def replay_all() -> None:
        for file in files:
            replayed(file)

    benchmark.pedantic(replay_all, rounds=1, iterations=1)
    spent = benchmark.stats.stats.min
    RATIOS.append(
        f"replay of {len(files)} sessions: {spent:.2f} s, {spent / floor:.2f}x the floor of "
        f"{floor:.2f} s (JSON {decode:.2f}, tokens {count:.2f}, bare parses {parse:.2f})"
    )


def module_source(size: int) -> str:
    """A Python module of about `size` bytes: classes with methods that call each other."""
    parts = [
        "import os\nfrom typing import Any\n\n\ndef helper(value: Any) -> Any:\n    return value\n"
    ]
    number = 0
    while sum(map(len, parts)) < size:
        number += 1
        parts.append(
            f"\n\nclass Service{number}:\n"
            f'    """Service number {number}."""\n\n'
            f"    def __init__(self, name: str) -> None:\n"
            f"        self.name = name\n\n"
            f"    def load(self, path: str) -> dict[str, Any]:\n"
            f"        if not os.path.exists(path):\n"
            f"            raise ValueError(f'no file {{path}}')\n"
            f"        return helper({{'path': path, 'name': self.name}})\n\n"
            f"    def run(self, values: list[int]) -> int:\n"
            f"        total = {number}\n"
            f"        for value in values:\n"
            f"            total += helper(value) * 2\n"
            f"        return total if self.load('x') else 0\n"
        )
    return "".join(parts)


def test_write_of_a_large_file(benchmark: Any) -> None:
    """One write of a 300 kB Python file with its drift, against one bare parse of it."""
    before = module_source(300_000)
    at = before.index("total += helper(value) * 2", len(before) // 2)
    after = before[:at] + "total += helper(value) * 3" + before[at + 26 :]
    old, new = before.encode(), after.encode()
    floor = min(timed(parser("tree_sitter_python").parse, new)[0] for _ in range(5))
    graph = Graph(Memory({"m.py": old}))
    graph.facts("m.py")
    sides = [Write("m.py", old, new), Write("m.py", new, old)]

    def writes() -> None:
        for write in sides:
            graph.apply(write)

    benchmark.pedantic(writes, rounds=5, iterations=1)
    spent = benchmark.stats.stats.min / 2
    RATIOS.append(
        f"write of a 300 kB Python file: {spent * 1e3:.1f} ms, {spent / floor:.2f}x one bare "
        f"parse ({floor * 1e3:.1f} ms)"
    )


def test_memory_of_the_largest_session(benchmark: Any) -> None:
    """Peak of Python's memory over the replay of the largest session, against its size."""

    def size(file: Path) -> int:
        data = file.read_bytes()
        return len(gzip.decompress(data)) if data[:2] == b"\x1f\x8b" else len(data)

    largest = max(sessions(), key=size)
    replayed(largest)
    tracemalloc.start()
    benchmark.pedantic(replayed, args=(largest,), rounds=1, iterations=1)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    RATIOS.append(
        f"memory of {largest.name}: {peak / 1e6:.1f} MB, {peak / size(largest):.2f}x its "
        f"{size(largest) / 1e6:.1f} MB"
    )
