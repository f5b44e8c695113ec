"""A conversation maintained by any policy, and what of it a request changes."""

from tests.context.talk import Talk

from statetape.policies import Policy
from statetape.session import Session
from statetape.tokens import tokens
from statetape.types import Call, Edit, Read, Record, Result, Slot, Step, Why


class Rival(Talk):
    def __init__(self, policy: Policy) -> None:
        super().__init__()
        self.session = Session(
            self.space, policy, tokens, title=lambda record: self.titles[record.step]
        )

    def ask(self) -> dict[Slot, Why]:
        """One request: the slots that it changes, and why."""
        plan = self.session.request()
        assert len({change.slot for change in plan.changes}) == len(plan.changes)
        for change in plan.changes:
            assert self.text(change.slot) == change.text
        return {change.slot: change.why for change in plan.changes}

    def turn(self, text: str = "word " * 60) -> Slot:
        """A tool is used once."""
        return self.step(text=text, name="a tool")

    def parallel(self, *texts: str) -> list[Slot]:
        """Several tools are used in one turn: all calls come before all results."""
        records: list[Record] = []
        for text in texts:
            self.count += 1
            self.titles[self.count] = "a tool"
            at = Slot(f"c{self.count}", "result")
            step = Step(self.count, "other", (), None, Result(at, text))
            records += self.inventory.of_step(step, self.space.now)
        for record in records:
            self.session.hold(self.inventory.of_call(_call(record.slot), record.step, "other"))
        for record in records:
            self.session.hold(record)
        return [record.slot for record in records]

    def failed_edit(self, path: str) -> Slot:
        """An edit that the tool refuses."""
        return self.step(Edit(path, old="no", new="yes"), text="not found", kind="edit_failed")

    def failed_read(self, path: str) -> Slot:
        """A read that shows nothing."""
        self.count += 1
        self.titles[self.count] = f"read {path}"
        at = Slot(f"c{self.count}", "result")
        result = Result(at, "It cannot be read.", failed=True)
        step = Step(self.count, "read", (Read(path),), _call(at), result)
        for record in self.inventory.of_step(step, self.space.now):
            self.session.hold(record)
        return at


def _call(slot: Slot) -> Call:
    return Call(Slot(slot.id, "input"), "Tool", {})
