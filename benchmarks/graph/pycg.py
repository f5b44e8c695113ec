"""PyCG's micro-benchmark: small programs, each with the call graph that it has."""

import json
from collections.abc import Iterator
from pathlib import Path

from benchmarks.graph.score import Found, counted, edges
from benchmarks.graph.sources import functions
from benchmarks.graph.tools import Tool


def folder(corpora: Path) -> Path:
    """Where the snippets lie in the corpora: a clone of github.com/vitsalis/PyCG."""
    return corpora / "PyCG" / "micro-benchmark" / "snippets"


def compared(corpora: Path, tool: Tool) -> Iterator[Found]:
    """Each program with what a tool finds in it."""
    root = folder(corpora)
    for graph in sorted(root.rglob("callgraph.json")):
        program = graph.parent
        inside = functions(program)
        stated = counted(edges(json.loads(graph.read_bytes())), inside)
        name = program.relative_to(root).as_posix()
        yield Found(name, counted(tool(program), inside), stated)
