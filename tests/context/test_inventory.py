"""Which records a step leaves, and what each says."""

import pytest

from statetape.context.inventory import Inventory, input_text
from statetape.files import Memory
from statetape.types import (
    Call,
    Edit,
    Read,
    Result,
    Say,
    Slot,
    Step,
    Symbols,
    Untracked,
    Write,
)
from statetape.workspace import Workspace

INPUT, RESULT = Slot("c", "input"), Slot("c", "result")


@pytest.fixture
def inventory() -> Inventory:
    space = Workspace(Memory({"a.py": b"x = 1\n"}))
    space.observe(Write("a.py", b"x = 1\n", b"x = 2\n"))
    return Inventory(space, "/r", len)


def test_words_are_about_nothing(inventory: Inventory) -> None:
    record = inventory.of_say(Say(Slot("m", "say"), "user", "read a.py"), 7)
    assert (record.slot, record.step, record.kind) == (Slot("m", "say"), 7, "say")
    assert (record.text, record.tokens) == ("read a.py", 9)
    assert (record.referent, record.born) == (Untracked(), 1)


def test_a_call_without_result_is_about_nothing_yet(inventory: Inventory) -> None:
    call = Call(INPUT, "Write", {"content": "x = 2\n"})
    record = inventory.of_call(call, 3, "edit")
    assert (record.slot, record.step, record.kind) == (INPUT, 3, "edit")
    assert (record.referent, record.born) == (Untracked(), 1)


def test_a_finished_step_leaves_its_input_and_its_result(inventory: Inventory) -> None:
    call = Call(INPUT, "Edit", {"new_string": "x = 2"})
    actions = (Edit("a.py", old="x = 1", new="x = 2"),)
    step = Step(3, "edit", actions, call, Result(RESULT, "The file was updated."))
    given, got = inventory.of_step(step, 0)
    assert (given.slot, got.slot) == (INPUT, RESULT)
    assert (given.step, got.step) == (3, 3)
    assert (given.kind, got.kind) == ("edit", "edit")
    assert isinstance(given.referent, Symbols)
    assert got.referent == Untracked()
    assert got.text == "The file was updated."
    assert (given.tokens, got.tokens) == (len(given.text), len(got.text))
    assert (given.born, got.born) == (1, 1)


def test_a_result_without_its_call_is_a_record_of_its_own(inventory: Inventory) -> None:
    (record,) = inventory.of_step(Step(3, "other", (), result=Result(RESULT, "hello")), 0)
    assert (record.slot, record.text) == (RESULT, "hello")


def test_a_call_whose_result_never_came_leaves_its_input(inventory: Inventory) -> None:
    (record,) = inventory.of_step(Step(3, "read", (Read("a.py"),), Call(INPUT, "Read", {})), 0)
    assert record.slot == INPUT


@pytest.mark.parametrize(
    ("given", "text"),
    [
        ("*** Begin Patch", "*** Begin Patch"),
        ({"path": "ä.py", "n": 1}, '{"path": "ä.py", "n": 1}'),
        ({}, "{}"),
        ({"odd": b"bytes"}, '{"odd": "b\'bytes\'"}'),
    ],
)
def test_an_input_is_counted_as_the_model_wrote_it(given: object, text: str) -> None:
    assert input_text(Call(INPUT, "Tool", given)) == text  # type: ignore[arg-type]


def test_records_name_what_their_step_read_and_wrote(inventory: Inventory) -> None:
    actions = (Read("a.py"), Edit("b.py", moved_to="c.py"), Read("d.py"), Read("a.py"))
    step = Step(3, "run", actions, Call(INPUT, "Bash", {}), Result(RESULT, "done"))
    for record in inventory.of_step(step, 0):
        assert record.read == ("a.py", "d.py")
        assert record.written == ("b.py", "c.py")


def test_an_edit_that_failed_wrote_nothing(inventory: Inventory) -> None:
    step = Step(3, "edit_failed", (Edit("a.py"),), Call(INPUT, "Edit", {}), Result(RESULT, "no"))
    assert {record.written for record in inventory.of_step(step, 0)} == {()}
