"""What resolutions share of what they found out: nobody can tell in which order they asked."""

import random

import pytest

from statetape.code.findings import Finding, Findings, split
from statetape.code.graph import Graph
from statetape.files import Memory
from statetape.types import SymbolId, Write

CIRCLES = b"""
class Node:
    def __init__(self, inner: 'Node | None' = None):
        self.inner, self.kept = inner, None
    def first(self):
        return self.second() or self
    def second(self):
        return self.third().inner or self.first()
    def third(self):
        self.kept = self.kept or Leaf(self.second())
        return self.kept.first()
class Leaf(Node):
    def first(self):
        return Leaf(self.third())
    def show(self): ...
def one(n):
    return two(Leaf(n)) if n else Leaf()
def two(n):
    n.show()
    return three(n.second())
def three(n):
    n.third().kept.show()
    return one(n.inner)
def told() -> Node:
    return teller()
def teller() -> Leaf:
    return told()
def five():
    told().first()
def six():
    teller().first()
def four():
    one(Node()).show()
    two(None).first().show()
"""


def chained(count: int) -> dict[str, bytes]:
    """Modules that hand on what the next one returns, deeper than resolution goes."""
    files = {"m0.py": b"class End:\n    def reach(self): ...\ndef f0():\n    return End()\n"}
    for n in range(1, count):
        lines = f"from m{n - 1} import f{n - 1}\ndef f{n}():\n    x = f{n - 1}()\n    return x\n"
        files[f"m{n}.py"] = f"{lines}def g{n}():\n    f{n}().reach()\n".encode()
    return files


@pytest.mark.parametrize("files", [{"a.py": CIRCLES}, chained(40)], ids=["circles", "deep"])
def test_the_order_of_questions_does_not_matter(files: dict[str, bytes]) -> None:
    symbols = sorted(Graph(Memory(files)).symbols())
    alone = {symbol: Graph(Memory(files)).edges(symbol) for symbol in symbols}
    assert sum(map(len, alone.values())) > len(symbols) / 2
    for seed in range(12):
        graph = Graph(Memory(files))
        for symbol in random.Random(seed).sample(symbols, len(symbols)):  # noqa: S311
            assert graph.edges(symbol) == alone[symbol]


def test_a_write_reaches_who_was_only_told_of_what_it_changes() -> None:
    files = chained(12)
    graph = Graph(Memory(files))
    end, other = SymbolId("m0.py", "End.reach"), SymbolId("m0.py", "Other.reach")
    asked = [SymbolId(f"m{n}.py", f"g{n}") for n in (11, 3, 7)]
    assert all(end in graph.edges(symbol) for symbol in asked)
    after = files["m0.py"].replace(b"return End", b"return Other") + (
        b"class Other:\n    def reach(self): ...\n"
    )
    drift = graph.apply(Write("m0.py", files["m0.py"], after))
    assert drift.dispatch >= set(asked)
    assert all(other in graph.edges(symbol) for symbol in asked)


def test_what_rests_on_a_forgotten_finding_is_forgotten_too() -> None:
    findings = Findings()
    store = findings.stores["all"]
    low, high, aside = (Finding(key, key) for key in ("low", "high", "aside"))
    low.grounds, aside.grounds, high.below = {("a.py", "f")}, {("a.py", "g")}, {low}
    for each in (low, high, aside):
        findings.keep(each, store)
    findings.forget("a.py", ["other"])
    assert set(store) == {"low", "high", "aside"}
    findings.forget("a.py", ["f"])
    assert set(store) == {"aside"}
    findings.forget("a.py", None)
    assert not store


def test_of_a_finding_made_twice_both_are_forgotten() -> None:
    findings, store = Findings(), dict[object, Finding]()
    owner = SymbolId("b.py", "f")
    for owners in ({owner}, set[SymbolId]()):
        finding = Finding("key", 1)
        finding.grounds = [("a.py", "x")]
        finding.owners = owners
        findings.keep(finding, store)
    assert findings.forget("a.py", ["y"]) == set()
    assert findings.forget("a.py", ["x"]) == {owner}
    assert not store


def test_who_depends_on_a_finding_depends_on_no_more_than_its_top() -> None:
    findings, store = Findings(), dict[object, Finding]()
    low, high, own = (Finding(name, 1) for name in ("low", "high", "own"))
    low.grounds, high.below, own.below = [("a.py", "x")], [low], [high]
    own.grounds = [("b.py", "y")]
    findings.keep(low, store)
    findings.keep(high, store)
    assert split([own]) == ({high}, {("b.py", "y")})
    high.owners.add(SymbolId("c.py", "f"))
    assert findings.forget("a.py", ["x"]) == high.owners
