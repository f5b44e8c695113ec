"""What one damaged line costs: symbols that drift although their own text still stands.

`make bench` prints the averages a write, by language and kind of damage. The files are those of
the folders in `CORPORA` (separated by colons), else Python's from the installed packages and the
TypeScript and Go of the fixtures under `tests`. Each line of the figures is a damage with the
false removals a write and, of some of the files, the false moves; the last line is their mean.
"""

import os
import random
import re
import sysconfig
from collections.abc import Callable, Iterator
from pathlib import Path
from statistics import mean
from typing import Any, NamedTuple

import pytest

from statetape.code import languages
from statetape.code.graph import Graph
from statetape.code.verbatim import touched
from statetape.files import Memory
from statetape.types import Write

Lines = list[str]
Damage = Callable[[Lines, int, str], Lines]

_HALF = {"py": "def new(self, x", "ts": "async make(a: string", "go": "func Make(a string"}
_CLASS = {"py": "class New(", "ts": "export class New extends", "go": "type New struct"}
_TEXT = {"py": '"""What it', "ts": "const text = `half", "go": "text := `half"}
_STRING = {"py": "x = 'half", "ts": 'const half = "a', "go": 'x := "half'}
_COMMENT = {"py": "x = [  # open", "ts": "/* open", "go": "/* open"}


def _indentation(line: str) -> str:
    return line[: len(line) - len(line.lstrip())]


def _inserted(text: str) -> Callable[[Lines, int], Lines]:
    return lambda lines, at: [*lines[:at], _indentation(lines[at]) + text, *lines[at:]]


def _open_bracket(lines: Lines, at: int, _: str) -> Lines:
    return [*lines[:at], lines[at] + " (", *lines[at + 1 :]]


def _lost_end(lines: Lines, at: int, _: str) -> Lines:
    """The next line that opens a block, without its colon or brace."""
    ends = [i for i in range(at, len(lines)) if re.search(r"[:{]\s*$", lines[i])]
    at = ends[0] if ends else at
    return [*lines[:at], re.sub(r"\s*[:{]\s*$", "", lines[at]), *lines[at + 1 :]]


def _conflict(lines: Lines, at: int, _: str) -> Lines:
    marked = ["<<<<<<< ours", lines[at], "=======", lines[at] + " ", ">>>>>>> theirs"]
    return [*lines[:at], *marked, *lines[at + 1 :]]


def _moved_right(lines: Lines, at: int, _: str) -> Lines:
    return [*lines[:at], "   " + lines[at], *lines[at + 1 :]]


MOVED = 25
"""In how many files moves are counted: they ask for the edges of every symbol."""

DAMAGES: dict[str, Damage] = {
    "open bracket": _open_bracket,
    "lost colon or brace": _lost_end,
    "half a function": lambda lines, at, kind: _inserted(_HALF[kind])(lines, at),
    "half a class": lambda lines, at, kind: _inserted(_CLASS[kind])(lines, at),
    "conflict markers": _conflict,
    "open text": lambda lines, at, kind: _inserted(_TEXT[kind])(lines, at),
    "open string": lambda lines, at, kind: _inserted(_STRING[kind])(lines, at),
    "open comment": lambda lines, at, kind: _inserted(_COMMENT[kind])(lines, at),
    "bad indentation": _moved_right,
}


class Damaged(NamedTuple):
    """A file before and after one damage."""

    path: str
    before: bytes
    after: bytes


def damaged(path: str, text: str, damage: str, at: int) -> Damaged:
    """The file with one damage at a line of it that is not blank, the next one from `at` on."""
    lines = text.split("\n")
    at = next((i for i in range(at % len(lines), len(lines)) if lines[i].strip()), 0)
    kind = {"py": "py", "go": "go"}.get(path.rpartition(".")[2], "ts")
    after = "\n".join(DAMAGES[damage](lines, at, kind))
    return Damaged(path, text.encode(), after.encode())


def false_removals(case: Damaged) -> set[str]:
    """The symbols that drift although the lines of their own text are the same.

    Not counted: the residue, and what holds a definition that the damage adds.
    """
    graph = Graph(Memory({case.path: case.before}))
    facts = languages.facts(case.path, case.before)
    graph.facts(case.path)
    drift = graph.apply(Write(case.path, case.before, case.after))
    held = touched(facts, case.before, case.after)
    held |= {symbol.name.rpartition(".")[0] for symbol in drift.created}
    return {symbol.name for symbol in drift.body} - held - {""}


def false_moves(case: Damaged) -> set[str]:
    """The symbols that drift by dispatch alone although the lines of their own text are the same.

    Some may do so rightly: a damaged import moves who uses it.
    """
    graph = Graph(Memory({case.path: case.before}))
    for symbol in list(graph.symbols(case.path)):
        graph.view(symbol)
    held = touched(languages.facts(case.path, case.before), case.before, case.after)
    drift = graph.apply(Write(case.path, case.before, case.after))
    return {symbol.name for symbol in drift.dispatch - drift.body} - held


def _folders() -> list[Path]:
    named = os.environ.get("CORPORA")
    if named:
        return [Path(each) for each in named.split(":")]
    fixtures = Path(__file__).parent.parent / "tests" / "drift"
    return [Path(sysconfig.get_path("purelib")), fixtures]


def _texts(suffix: str, most: int) -> Iterator[tuple[str, str]]:
    """Some files of a language, always the same ones; blocks of the specifications, too."""
    chosen = random.Random(suffix)  # noqa: S311 -- a sample
    files = sorted(p for folder in _folders() for p in folder.rglob(f"*{suffix}"))
    chosen.shuffle(files)
    for file in files:
        text = file.read_text(errors="replace")
        if most and 1500 < len(text) < 60_000 and not file.name.endswith(".d.ts"):
            most -= 1
            yield file.name, text
    for note in sorted(p for folder in _folders() for p in folder.glob("*.md")):
        block = rf"^```before \S+\{suffix}.*\n((?:.*\n)*?)```$"
        for found in re.findall(block, note.read_text(), re.MULTILINE):
            yield f"a{suffix}", found


@pytest.mark.parametrize("suffix", [".py", ".ts", ".go"])
def test_damage(benchmark: Any, suffix: str) -> None:
    files = list(_texts(suffix, 60))
    found = benchmark.pedantic(_averages, args=(files,), rounds=1, iterations=1)
    moves = _averages(files[:MOVED], false_moves)
    print(f"\n{suffix}: {len(files)} files, false removals (moves) a damaged write")  # noqa: T201
    for damage, count in found.items():
        print(f"  {damage:22}{count:.3f}  ({moves[damage]:.2f})")  # noqa: T201
    print(f"  {'mean':22}{mean(found.values()):.3f}  ({mean(moves.values()):.2f})")  # noqa: T201


def _averages(
    files: list[tuple[str, str]], count: Callable[[Damaged], set[str]] = false_removals
) -> dict[str, float]:
    places = random.Random(0)  # noqa: S311 -- a sample
    return {
        damage: mean(
            len(count(damaged(path, text, damage, places.randrange(1_000_000))))
            for path, text in files
        )
        for damage in DAMAGES
    }
