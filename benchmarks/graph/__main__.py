"""Prints the table of `make bench-graph`."""

# ruff: noqa: T201 -- the figures are the point

import argparse
import time
from pathlib import Path
from types import ModuleType

from benchmarks.graph import jarvis, pycg, swarm, typescript
from benchmarks.graph.score import Found, added, score
from benchmarks.graph.tools import Tool, tools

_BENCHMARKS = {
    "PyCG micro": (pycg, tools),
    "JARVIS": (jarvis, tools),
    "SWARM-CG JS": (swarm, swarm.tools),
}


def main() -> None:
    """Compare every tool on every benchmark that lies in the corpora."""
    options = argparse.ArgumentParser(prog="python -m benchmarks.graph", description=__doc__)
    options.add_argument("corpora", type=Path, help="the folder that holds the benchmarks")
    options.add_argument("--tool", help="only the tools with this in their name")
    options.add_argument("--edges", action="store_true", help="list the edges that differ")
    given = options.parse_args()
    for name, (benchmark, compared) in _BENCHMARKS.items():
        if not benchmark.folder(given.corpora).is_dir():
            print(f"{name}: not in {given.corpora} ({' '.join(str(benchmark.__doc__).split())})")
            continue
        for label, tool in compared(given.corpora).items():
            if given.tool is None or given.tool in label:
                _print(name, benchmark, label, tool, given)
    for line in typescript.lines(given.corpora):
        print(line)


def _print(
    name: str, benchmark: ModuleType, label: str, tool: Tool | None, given: argparse.Namespace
) -> None:
    if tool is None:
        print(f"{name:12} {label:20} not installed")
        return
    began = time.process_time()
    compared = [Found(*each) for each in benchmark.compared(given.corpora, tool)]
    spent = time.process_time() - began
    _print_score(name, label, compared, f"{spent:.1f} s")
    for remark, reading in getattr(benchmark, "READINGS", {}).items():
        _print_score(name, label, [reading(each) for each in compared], remark)
    for program, found, stated, _ in compared if given.edges else ():
        for mark, edges in (("wrong", found - stated), ("missed", stated - found)):
            for source, target in sorted(edges):
                print(f"  {mark:6} {program}: {source} -> {target}")


def _print_score(name: str, label: str, compared: list[Found], remark: str) -> None:
    scores = [score(each.found, each.stated) for each in compared]
    total = added(scores)
    whole = sum(each.wrong == each.missed == 0 for each in scores)
    print(
        f"{name:12} {label:20} precision {total.precision:.3f}  recall {total.recall:.3f}  "
        f"F1 {total.f1:.3f}  of {total.both + total.missed} edges; {whole} of {len(scores)} "
        f"programs without a difference; {remark}"
    )


if __name__ == "__main__":
    main()
