"""JARVIS's macro-benchmark: six real programs with call graphs written down by hand."""

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.graph.pycg import Found
from benchmarks.graph.score import counted, edges
from benchmarks.graph.sources import functions
from benchmarks.graph.tools import Tool

# Of each program, the folder its modules are imported from, and which of them are stated.
_PROGRAMS = {
    "bpytop": ("bpytop", "bpytop.py"),
    "furl": ("furl", "furl"),
    "rich-cli": ("rich-cli/src", "rich_cli"),
    "sqlparse": ("sqlparse", "sqlparse"),
    "sshtunnel": ("sshtunnel", "sshtunnel.py"),
    "TextRank4ZH": ("TextRank4ZH", "textrank4zh"),
}


def folder(corpora: Path) -> Path:
    """Where it lies in the corpora: github.com/pythonJaRvis/pythonJaRvis.github.io, `Jarvis`."""
    return corpora / "jarvis" / "Jarvis"


def compared(corpora: Path, tool: Tool) -> Iterator[Found]:
    """Each program with what a tool finds in it, of the callers that its call graph has."""
    root = folder(corpora)
    for name, (place, top) in _PROGRAMS.items():
        stated = json.loads((root / "ground_truth/macro_benchmark" / name / "EA.json").read_bytes())
        with TemporaryDirectory() as temporary:
            program = Path(temporary).resolve()
            source = root / "dataset/macro_benchmark/pj" / place / top
            if source.is_dir():
                shutil.copytree(source, program / top)
            else:
                shutil.copy(source, program / top)
            inside = functions(program)
            found = {edge for edge in counted(tool(program), inside) if edge[0] in stated}
            yield name, found, counted(edges(stated), inside)
