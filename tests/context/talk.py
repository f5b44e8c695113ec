"""A session over files in memory, followed as a host would, and short words for what happens."""

from collections.abc import Callable, Iterable

from statetape.context.inventory import Inventory
from statetape.context.wording import noted
from statetape.files import Memory
from statetape.policies import POLICIES
from statetape.session import Session
from statetape.tokens import tokens
from statetape.types import (
    Action,
    Call,
    Edit,
    Plan,
    Read,
    Record,
    Replace,
    Result,
    Slot,
    Step,
    StepKind,
    Write,
)
from statetape.workspace import Workspace

A = "from b import helper\n\n\ndef load():\n    return helper()\n\n\ndef save():\n    return 1\n"
B = "LIMIT = 1\n\n\ndef helper():\n    return LIMIT\n"
C = "from a import load, save\n\n\ndef main():\n    load()\n    save()\n"
LONG = "".join(f"def value_{n}():\n    return {n}  # the value of number {n}\n" for n in range(40))


def nothing(plan: Plan) -> Plan:
    """What a host carries out that waits."""
    return Plan(shorter=plan.changes)


class Talk:
    def __init__(self, policy: str = "default", title: str = "") -> None:
        files = {"a.py": A, "b.py": B, "c.py": C, "long.py": LONG}
        self.space = Workspace(Memory({path: text.encode() for path, text in files.items()}))
        self.space.facts("c.py")
        self.titles: dict[int, str] = {}
        self.inventory = Inventory(self.space, "/r", tokens)
        self.session = Session(
            self.space,
            POLICIES[policy],
            tokens,
            title=lambda record: title or self.titles.get(record.step, "a message"),
        )
        self.count = 0
        self.unsent: list[Slot] = []
        self.records: list[Record] = []

    def step(self, *actions: Action, text: str, kind: StepKind = "other", name: str = "") -> Slot:
        self.count += 1
        at = f"c{self.count}"
        call, result = Call(Slot(at, "input"), "Tool", {}), Result(Slot(at, "result"), text)
        self.titles[self.count] = name or f"step {self.count}"
        step = Step(self.count, kind, actions, call, result)
        for record in self.inventory.of_step(step, self.space.now):
            self.records.append(record)
            self.session.hold(record)
        self.session.said(action for action in actions if isinstance(action, Edit))
        self.unsent.append(result.slot)
        return result.slot

    def read(self, path: str, first: int = 1, last: int | None = None, form: str = "{}\t") -> Slot:
        lines = (self.space.text(path) or "").splitlines()[first - 1 : last]
        text = "\n".join(form.format(n) + line for n, line in enumerate(lines, first))
        return self.step(Read(path, first, last), text=text, kind="read", name=f"read {path}")

    def put(self, path: str, text: str | None) -> None:
        """Somebody writes a file."""
        self.space.observe(
            Write(path, self.space.read(path), None if text is None else text.encode())
        )

    def change(self, path: str, old: str, new: str) -> None:
        text = self.space.text(path)
        assert text is not None
        assert old in text
        self.put(path, text.replace(old, new))

    def edit(self, path: str, old: str, new: str) -> Slot:
        """The agent writes a file."""
        self.change(path, old, new)
        return self.step(Edit(path, old=old, new=new), text="ok", kind="edit")

    def note(self, budget: int = 120) -> str:
        """What a request tells in which nothing is maintained, "" for nothing."""
        self.session.request(nothing)
        change = self.session.note(self.take(), budget)
        return noted(change.text) if change else ""

    def dedupe(self) -> list[Replace]:
        """The pointers of a request in which nothing is maintained."""
        self.session.request(nothing)
        return self.session.dedupe(self.take())

    def take(self) -> list[Slot]:
        unsent, self.unsent = self.unsent, []
        return unsent

    def text(self, slot: Slot) -> str:
        return self.session.held[slot].text


def only(slots: Iterable[Slot]) -> Callable[[Plan], Plan]:
    """What a host carries out that can afford these."""
    chosen = set(slots)
    return lambda plan: Plan(tuple(c for c in plan.changes if c.slot in chosen))
