"""Theorem 1 as a state machine: whatever is read and written, nothing stale escapes the tape.

Repositories of a few small modules that import from each other are read in part and in whole and
edited at random. The truth is kept apart from the tape: the text of files as strings, the places
of each read's own copy by the oracle's rule, and edges from a graph built anew.
"""

from typing import Any

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from statetape.code.graph import Graph
from statetape.context.inventory import Inventory
from statetape.files import Memory
from statetape.policies import POLICIES
from statetape.replay.check import Standing, standing
from statetape.session import Session
from statetape.types import (
    Call,
    Read,
    Record,
    Result,
    Run,
    Slot,
    Step,
    SymbolId,
    Symbols,
    Write,
)
from statetape.workspace import Workspace

PATHS = ("a.py", "b.py", "c.py")
NAMES = ("load", "save", "run", "check")
BODIES = (
    "    return 1",
    "    return 2",
    "    value = 1\n    return value",
    "    return load()",
    "    return save()",
    "    def inner():\n        return run()\n    return inner()",
)
IMPORTS = ("import os", "from a import load", "from b import load, save", "from c import *")
LINES = ("    return 3", "x = 2", "def (", '"""', "class K(", "x = [", "", *IMPORTS)
LONGEST = 1_000
TOPS = ("LIMIT = 1", "LIMIT = 2", "# a comment", "", "load()")


@st.composite
def modules(draw: Any) -> str:
    """A module: imports, then functions, classes and lines of code in any order."""
    parts = draw(st.lists(st.sampled_from(IMPORTS), max_size=2))
    for _ in range(draw(st.integers(0, 4))):
        kind = draw(st.sampled_from(("function", "function", "class", "line")))
        name, body = draw(st.sampled_from(NAMES)), draw(st.sampled_from(BODIES))
        if kind == "function":
            parts.append(f"def {name}():\n{body}")
        elif kind == "class":
            indented = "\n".join("    " + line for line in body.split("\n"))
            parts.append(f"class K:\n    def {name}(self):\n{indented}")
        else:
            parts.append(draw(st.sampled_from(TOPS)))
    between, end = draw(st.sampled_from(("\n", "\n\n"))), draw(st.sampled_from(("", "\n")))
    return f"{between.join(parts)}{end}"


class Maintenance(RuleBasedStateMachine):
    """One workspace, one conversation under control and one under the default policy."""

    def __init__(self) -> None:
        super().__init__()
        self.texts: dict[str, str] = {}
        self.count = 0
        self.reads: dict[Slot, tuple[str, Standing, dict[SymbolId, Any]]] = {}
        self.runs: dict[Slot, dict[str, str]] = {}

    @initialize(texts=st.fixed_dictionaries({path: modules() for path in PATHS}))
    def start(self, texts: dict[str, str]) -> None:
        self.texts = dict(texts)
        files = Memory({path: text.encode() for path, text in texts.items()})
        self.workspace = Workspace(files)
        self.inventory = Inventory(self.workspace, "/r", len)
        self.control = self.session("control")
        self.subject = self.session("default")

    def session(self, policy: str) -> Session:
        return Session(
            self.workspace, POLICIES[policy], len, title=lambda record: f"step {record.step}"
        )

    def rebuilt(self) -> Graph:
        return Graph(Memory({path: text.encode() for path, text in self.texts.items()}))

    def hold(self, step: Step) -> Record:
        records = self.inventory.of_step(step, self.workspace.now)
        for record in records:
            self.control.hold(record)
            self.subject.hold(record)
        return records[-1]

    @precondition(lambda self: self.texts)
    @rule(data=st.data())
    def read(self, data: Any) -> None:
        path = data.draw(st.sampled_from(sorted(self.texts)))
        lines = self.texts[path].removesuffix("\n").split("\n")
        first = data.draw(st.integers(1, len(lines)))
        last = data.draw(st.integers(first, len(lines)))
        self.count += 1
        numbered = "\n".join(f"{n}\t{lines[n - 1]}" for n in range(first, last + 1))
        call = Call(Slot(f"t{self.count}", "input"), "Read", {"file_path": f"/r/{path}"})
        result = Result(Slot(f"t{self.count}", "result"), numbered)
        record = self.hold(Step(self.count, "read", (Read(path, first, last),), call, result))
        assert isinstance(record.referent, Symbols)
        graph = self.rebuilt()
        edges = {symbol: graph.callees(symbol) for symbol in record.referent.views}
        shown = standing("\n".join(lines[first - 1 : last]), self.texts[path], first)
        self.reads[result.slot] = (path, shown, edges)

    @rule()
    def run(self) -> None:
        self.count += 1
        call = Call(Slot(f"t{self.count}", "input"), "Bash", {"command": "pytest"})
        result = Result(Slot(f"t{self.count}", "result"), "1 passed")
        self.hold(Step(self.count, "run", (Run("pytest", "test"),), call, result))
        self.runs[result.slot] = dict(self.texts)

    @rule(path=st.sampled_from(PATHS), text=st.one_of(st.none(), modules()))
    def rewrite(self, path: str, text: str | None) -> None:
        self.write(path, text)

    @precondition(lambda self: self.texts)
    @rule(data=st.data())
    def edit_a_line(self, data: Any) -> None:
        path = data.draw(st.sampled_from(sorted(self.texts)))
        lines = self.texts[path].split("\n")
        at = data.draw(st.integers(0, len(lines) - 1))
        lines[at : at + data.draw(st.integers(0, 1))] = [data.draw(st.sampled_from(LINES))]
        self.write(path, "\n".join(lines))

    @precondition(lambda self: self.standing())
    @rule(data=st.data())
    def repeat_or_break_what_is_read(self, data: Any) -> None:
        """The lines of a read are put in once more, or one of them is changed."""
        path, shown, places = data.draw(st.sampled_from(self.standing()))
        lines = self.texts[path].split("\n")
        if data.draw(st.booleans()):
            at = data.draw(st.integers(0, len(lines)))
            lines[at:at] = shown.split("\n")
        else:
            at = min(places) + data.draw(st.integers(0, shown.count("\n")))
            lines[at] = data.draw(st.sampled_from(LINES))
        self.write(path, "\n".join(lines))

    def standing(self) -> list[tuple[str, str, frozenset[int]]]:
        return [
            (path, shown, places)
            for path, (shown, places, _), _ in self.reads.values()
            if places and len(self.texts[path]) < LONGEST
        ]

    @rule()
    def revert_the_last_write(self) -> None:
        entries = self.workspace.tape.since(max(0, self.workspace.now - 1))
        for entry in entries:
            before = entry.write.before
            self.write(entry.write.path, None if before is None else before.decode())

    def write(self, path: str, text: str | None) -> None:
        before = self.texts.pop(path, None)
        if before == text:
            if text is not None:
                self.texts[path] = text
            return
        if text is not None:
            self.texts[path] = text
        for slot, (own, shown, edges) in self.reads.items():
            if own == path:
                self.reads[slot] = (own, shown.after(before, text), edges)
        self.workspace.observe(
            Write(
                path,
                None if before is None else before.encode(),
                None if text is None else text.encode(),
            )
        )

    @rule()
    def request(self) -> None:
        self.subject.request()
        assert not any(slot.side == "result" for slot in self.subject.nominations)
        for record in self.subject.held.values():
            if isinstance(record.referent, Symbols) and record.slot.side == "result":
                for part in record.referent.shown:
                    assert f"\n{part.text}\n" in f"\n{self.texts[part.path]}\n"

    @invariant()
    def nothing_stale_escapes_and_nothing_true_is_named(self) -> None:
        if not hasattr(self, "control"):
            return
        self.control.catch_up()
        named = self.control.nominations
        graph = self.rebuilt()
        for slot, (_, (shown, places, certain), edges) in self.reads.items():
            moved = any(
                graph.view(symbol) is not None and graph.callees(symbol) != targets
                for symbol, targets in edges.items()
            )
            assert places or slot in named, f"{slot} is stale and not nominated"
            if places and certain and not moved and shown.strip():
                assert slot not in named, f"{slot} is true and nominated"
        for slot, texts in self.runs.items():
            assert (slot in named) == (texts != self.texts)


TestMaintenance = Maintenance.TestCase
TestMaintenance.settings = settings(max_examples=100, stateful_step_count=30, deadline=None)
