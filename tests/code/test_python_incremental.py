"""Writes to a real package: what the graph holds then is what a graph made anew would hold.

The package is one that tests need anyway. Its files are extracted once for all graphs.
"""

import random
import re
from functools import cache
from pathlib import Path

import hypothesis
import pytest

from statetape.code import languages
from statetape.code.graph import Graph
from statetape.files import Memory
from statetape.types import SymbolId, Write

PACKAGE = Path(hypothesis.__file__).parent
WORD = re.compile(r"[A-Za-z_]\w*")
LARGEST = 60_000
WRITES = 12
HELD = 120


@cache
def package() -> dict[str, bytes]:
    """The files of the package, large ones apart."""
    found = {}
    for file in sorted(PACKAGE.rglob("*.py")):
        data = file.read_bytes()
        if len(data) < LARGEST:
            found[file.relative_to(PACKAGE.parent).as_posix()] = data
    return found


def edited(chance: random.Random, text: str, line: str) -> str:
    """A text with a word put for another, once or everywhere, or with lines changed."""
    lines = text.split("\n")
    at = chance.randrange(len(lines))
    words = list(WORD.finditer(text))
    match chance.choice(("word", "word", "everywhere", "remove", "move", "copy", "shift", "put")):
        case "word" if words:
            word, other = chance.choice(words), chance.choice(words)[0]
            return text[: word.start()] + other + text[word.end() :]
        case "everywhere" if words:
            one, other = chance.choice(words)[0], chance.choice(words)[0]
            return re.sub(rf"\b{one}\b", other, text)
        case "remove":
            del lines[at : at + chance.randrange(1, 12)]
        case "move":
            lines.insert(chance.randrange(len(lines)), lines.pop(at))
        case "copy":
            lines.insert(at, lines[at])
        case "shift":
            lines[at] = chance.choice(("   ", "\t")) + lines[at]
        case _:
            lines.insert(at, line)
    return "\n".join(lines)


@pytest.mark.parametrize("seed", [1, 2])
def test_a_written_graph_holds_what_a_new_one_would(
    seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(languages, "facts", cache(languages.facts))
    chance = random.Random(seed)  # noqa: S311 -- the same edits each time
    files = package()
    assert len(files) > 80
    pool = [line for data in files.values() for line in data.decode().split("\n") if line]
    now, graph = Memory(files), Graph(Memory(files))
    held = chance.sample(sorted(graph.symbols()), HELD)
    assert sum(len(graph.edges(symbol)) for symbol in held) > HELD
    resolved = graph.symbols_resolved
    for _ in range(WRITES):
        path = chance.choice((chance.choice(held).path, chance.choice(sorted(files))))
        old = now.get(path)
        text = (files[path] if old is None else old).decode()
        gone = old is not None and chance.random() < 1 / 12
        new = None if gone else edited(chance, text, chance.choice(pool)).encode()
        now.write(path, new)
        graph.apply(Write(path, old, new))
    anew = Graph(Memory(now))
    assert differing(graph, anew, held) == []
    assert graph.symbols_resolved > resolved


def differing(graph: Graph, anew: Graph, held: list[SymbolId]) -> list[SymbolId]:
    """The symbols of which two graphs say different things."""
    return [
        symbol
        for symbol in held
        if graph.view(symbol) != anew.view(symbol) or graph.edges(symbol) != anew.edges(symbol)
    ]
