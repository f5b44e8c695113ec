"""Graph work that is done while the agent makes its edit, for what the file will be then."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from statetape.code import languages
from statetape.shim.arrivals import Steps
from statetape.shim.checkout import Checkout
from statetape.shim.foresight import outcome
from statetape.types import Call, Edit, Slot, Write

OLD = b"def f():\n    return 1\n\n\ndef g():\n    return f()\n"
NEW = OLD.replace(b"1", b"2")
ASKED = {"file_path": "a.py", "old_string": "return 1", "new_string": "return 2"}


@pytest.mark.parametrize(
    ("edit", "before", "after"),
    [
        (Edit("a.py", old="return 1", new="return 2"), OLD, NEW),
        (Edit("a.py", old="return", new="x ="), OLD, None),
        (Edit("a.py", old="f()", new="h()", every=True), OLD, OLD.replace(b"f()", b"h()")),
        (Edit("a.py", old="nowhere", new="x"), OLD, None),
        (Edit("a.py", content="x = 1\n"), None, b"x = 1\n"),
        (Edit("a.py", content="x = 1\n"), b"x = 1\n", b"x = 1\n"),
        (Edit("a.py", content="half \ud800"), None, b"half ?"),
        (Edit("a.py", patch=(("    return 1\n", "    return 2\n"),)), OLD, NEW),
        (Edit("a.py", patch=(("    return 3\n", "    return 2\n"),)), OLD, None),
        (Edit("a.py", absent=True), OLD, None),
        (Edit("a.py", content="x", append=True), OLD, None),
        (Edit("a.py", content="x", moved_to="b.py"), OLD, None),
        (Edit("a.py", old="a", new="b"), b"\xff", None),
        (Edit("a.py"), OLD, None),
    ],
)
def test_what_an_edit_leaves(edit: Edit, before: bytes | None, after: bytes | None) -> None:
    assert outcome(edit, before) == after


@pytest.fixture
def checkout(tmp_path: Path) -> Iterator[Checkout]:
    (tmp_path / "a.py").write_bytes(OLD)
    checkout = Checkout(tmp_path)
    assert checkout.ready(60)
    yield checkout
    checkout.close()


def look(checkout: Checkout, root: Path) -> None:
    """The model asks for the edit."""
    call = Call(Slot("c", "input"), "Edit", {**ASKED, "file_path": str(root / "a.py")})
    checkout.look(Steps("claude-code", str(root)).foreseen(call))


def extracted(checkout: Checkout, after: bytes) -> int:
    """How many texts are extracted for a write of the file; what is known of it then is true."""
    graph = checkout.workspace.graph
    before = graph.files_extracted
    checkout.workspace.observe(Write("a.py", OLD, after))
    found = checkout.workspace.facts("a.py")
    assert found is not None
    assert found.definitions == languages.facts("a.py", after).definitions
    return graph.files_extracted - before


def test_nothing_is_left_for_the_request(checkout: Checkout, tmp_path: Path) -> None:
    assert checkout.workspace.facts("a.py")
    look(checkout, tmp_path)
    assert extracted(checkout, NEW) == 0


def test_a_wrong_guess_is_no_harm(checkout: Checkout, tmp_path: Path) -> None:
    assert checkout.workspace.facts("a.py")
    look(checkout, tmp_path)
    assert extracted(checkout, NEW.replace(b"2", b"3")) == 1


def test_of_a_file_that_nobody_looked_into_nothing_is_guessed(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_bytes(OLD)
    checkout = Checkout(tmp_path)
    assert checkout.ready(60)
    checkout.workspace.graph.unload()
    before = checkout.workspace.graph.files_extracted
    look(checkout, tmp_path)
    assert checkout.workspace.graph.files_extracted == before
    checkout.close()


def test_guesses_are_few(checkout: Checkout) -> None:
    graph = checkout.workspace.graph
    for number in range(20):
        name = f"m{number}.py"
        checkout.workspace.observe(Write(name, None, OLD))
        checkout.workspace.expect(name, NEW)
    before = graph.files_extracted
    for number in range(20):
        checkout.workspace.observe(Write(f"m{number}.py", OLD, NEW))
    assert graph.files_extracted - before == 12
