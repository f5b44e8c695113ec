"""The specifications beside this file: what a change of files drifts, one Markdown file a case.

A case is a heading, a sentence why, and fenced blocks whose info string says what they hold:
`before PATH` or `after PATH` a file (a file without an `after` block stays as it was; `after PATH
absent` removes it), `crlf` behind it writes it with that line ending. Then lists: `body`,
`dispatch`, `created`. They name all symbols as `path::name`, except that residues may be left out.
"""

import json
import re
from pathlib import Path

import pytest

from statetape.code.drift import drift
from statetape.code.graph import Graph
from statetape.files import Memory
from statetape.types import SymbolId, Write

HERE = Path(__file__).parent
FENCE = re.compile(r"^```(\S+) ?(.*)\n((?:.*\n)*?)```$", re.MULTILINE)
WORDS = ("body", "dispatch", "created")

Case = tuple[Memory, Memory, dict[str, set[str]]]


def case(text: str) -> Case:
    before, after, removed = Memory(), Memory(), set()
    expected: dict[str, set[str]] = {word: set() for word in WORDS}
    for kind, rest, content in FENCE.findall(text):
        if kind in WORDS:
            expected[kind] = set(content.split())
            continue
        path, *marks = rest.split()
        data = content.replace("\n", "\r\n") if "crlf" in marks else content
        if "absent" in marks:
            removed.add(path)
        else:
            {"before": before, "after": after}[kind][path] = data.encode()
    whole = Memory({p: d for p, d in {**before, **after}.items() if p not in removed})
    return before, whole, expected


def loosely(found: frozenset[SymbolId], named: set[str]) -> set[str]:
    """The names, without the residues that the case does not name."""
    names = {str(symbol) for symbol in found}
    return {name for name in names if name in named or not name.endswith("::")}


SPECIFICATIONS = sorted(HERE.glob("*.md"), key=lambda file: file.name)


@pytest.mark.parametrize("file", SPECIFICATIONS, ids=lambda file: file.stem)
def test_two_states_drift_as_specified(file: Path) -> None:
    before, after, expected = case(file.read_text())
    found = drift(Graph(before), Graph(after))
    for word in WORDS:
        assert loosely(getattr(found, word), expected[word]) == expected[word], word


@pytest.mark.parametrize("file", SPECIFICATIONS, ids=lambda file: file.stem)
def test_writes_drift_as_specified(file: Path) -> None:
    """One write after another: the views at the two ends say the same as the two states."""
    before, after, expected = case(file.read_text())
    graph = Graph(before)
    held = {symbol: graph.view(symbol) for symbol in list(graph.symbols())}
    for path in sorted(before.keys() | after.keys()):
        if before.get(path) != after.get(path):
            graph.apply(Write(path, before.get(path), after.get(path)))
    now = {symbol: graph.view(symbol) for symbol in held}
    body = {s for s, view in now.items() if not view or view.digest != held[s].digest}  # type: ignore[union-attr]
    moved = {s for s, view in now.items() if s not in body and view != held[s]}
    assert loosely(frozenset(body), expected["body"]) == expected["body"]
    assert loosely(frozenset(moved), expected["dispatch"]) == expected["dispatch"]


def test_the_shared_cases_pass(drift_cases: Path) -> None:
    """Those tagged basic, and all Python ones."""
    failed = []
    for each in json.loads(drift_cases.read_text())["cases"]:
        if "basic" not in each["tags"] and each["language"] != "python":
            continue
        sides = (Memory({p: t.encode() for p, t in each[s].items()}) for s in ("before", "after"))
        found = drift(*map(Graph, sides))
        body, dispatch = ({str(s) for s in symbols} for symbols in (found.body, found.dispatch))
        forbidden = {*each["forbid"], *each["created"]}
        if not (
            body.issuperset(each["expect_body"])
            and dispatch.issuperset(each["expect_dispatch"])
            and not forbidden & (body | dispatch)
            and not set(each["expect_body"]) & dispatch
        ):
            failed.append(each["name"])
    assert failed == []


def test_there_are_specifications() -> None:
    assert len(SPECIFICATIONS) >= 10
