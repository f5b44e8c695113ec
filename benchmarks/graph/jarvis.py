"""JARVIS's macro-benchmark: six real programs with call graphs written down by hand."""

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.graph.score import Edge, Found, counted, edges
from benchmarks.graph.sources import functions, implicit
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


_OMITTED = Path(__file__).with_name("jarvis_omitted.txt")


def folder(corpora: Path) -> Path:
    """Where it lies in the corpora: github.com/pythonJaRvis/pythonJaRvis.github.io, `Jarvis`."""
    return corpora / "jarvis" / "Jarvis"


def omitted() -> frozenset[Edge]:
    """Edges that the programs have and the stated call graphs lack, each seen in the text."""
    lines = (line.partition("#")[0].split() for line in _OMITTED.read_text().splitlines())
    return frozenset((line[0], line[2]) for line in lines if len(line) == 3)


def as_written(found: Found) -> Found:
    """Without the edges, found or stated, into properties and special methods.

    The stated graphs have some of what syntax runs, and leave out most of it.
    """
    edges, stated = (
        {edge for edge in each if edge[1] not in found.implicit}
        for each in (found.found, found.stated)
    )
    return found._replace(found=edges, stated=stated)


def corrected(found: Found) -> Found:
    """With the edges that the stated graph leaves out, as far as this graph has found them."""
    module = _PROGRAMS[found.program][1].removesuffix(".py")
    missing = {edge for edge in omitted() if edge[0].partition(".")[0] == module}
    return found._replace(stated=found.stated | missing)


READINGS = {"calls as written": as_written, "with what was left out": corrected}


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
            yield Found(name, found, counted(edges(stated), inside), implicit(program))
