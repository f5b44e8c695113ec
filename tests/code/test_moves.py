"""Definitions that went to another file, found by their text."""

from hypothesis import given
from hypothesis import strategies as st

from statetape.code.moves import Moved, moves
from statetape.context.inventory import Inventory
from statetape.context.wording import tombstone
from statetape.files import Memory
from statetape.policies import POLICIES
from statetape.session import Session
from statetape.types import (
    Call,
    Lines,
    Nomination,
    Read,
    Record,
    Result,
    Slot,
    Step,
    SymbolId,
    Untracked,
    Write,
)
from statetape.workspace import Workspace

OLD = """import os

LIMIT = 1


def load(path):
    return os.path.join(path, "x")


class Store:
    def get(self):
        return load("a")

    def put(self):
        return None


class Other:
    def put(self):
        return None
"""


def symbol(text: str) -> SymbolId:
    path, _, name = text.partition("::")
    return SymbolId(path, name)


def matched(removed: dict[str, bytes], created: dict[str, bytes]) -> dict[str, str]:
    sides = ({symbol(s): d for s, d in side.items()} for side in (removed, created))
    return {str(old): str(new) for old, new in moves(*sides).items()}


def test_the_same_text_elsewhere_is_where_it_went() -> None:
    assert matched({"a.py::f": b"1", "a.py::g": b"2"}, {"b.py::f": b"1", "b.py::h": b"3"}) == {
        "a.py::f": "b.py::f"
    }


def test_a_name_may_change_its_container_only_with_text_of_its_own() -> None:
    assert matched({"a.py::K.f": b"1"}, {"b.py::f": b"1"}) == {"a.py::K.f": "b.py::f"}
    two = {"b.py::f": b"1", "b.py::L.f": b"1"}
    assert matched({"a.py::K.f": b"1"}, two) == {}
    assert matched({"a.py::K.f": b"1"}, {**two, "b.py::K.f": b"1"}) == {"a.py::K.f": "b.py::K.f"}


def test_of_two_copies_that_in_a_file_of_the_same_name_counts_else_none() -> None:
    two = {"b.py::f": b"1", "c.py::f": b"1"}
    assert matched({"a.py::f": b"1"}, two) == {}
    assert matched({"p/b.py::f": b"1"}, two) == {"p/b.py::f": "b.py::f"}
    assert matched({"a.py::f": b"1", "d.py::f": b"1"}, {"b.py::f": b"1"}) == {}


def test_a_folder_of_like_files_moves_file_by_file() -> None:
    removed = {f"old/{name}.py::": b"0" for name in "abc"}
    created = {f"new/{name}.py::": b"0" for name in "abc"}
    assert matched(removed, created) == dict(zip(removed, created, strict=True))


def test_what_is_outside_all_definitions_becomes_no_definition() -> None:
    assert matched({"a.py::": b"1"}, {"b.py::f": b"1"}) == {}


SYMBOLS = st.dictionaries(
    st.builds(SymbolId, st.sampled_from(["a", "b", "p/a"]), st.sampled_from(["", "f", "K.f"])),
    st.sampled_from([b"1", b"2"]),
)


@given(SYMBOLS, SYMBOLS)
def test_each_goes_to_one_place_with_its_own_text(
    removed: dict[SymbolId, bytes], created: dict[SymbolId, bytes]
) -> None:
    found = moves(removed, created)
    assert len(set(found.values())) == len(found)
    assert all(removed[old] == created[new] for old, new in found.items())


def moved(*writes: Write, path: str = "a.py") -> dict[str, Moved]:
    """What is said of the symbols that `a.py` had."""
    space = Workspace(Memory({"a.py": OLD.encode(), "b.py": b""}))
    facts = space.facts(path)
    assert facts
    held = {SymbolId(path, d.name): d.digest for d in facts.definitions}
    for write in writes:
        space.observe(write)
    return {str(old): to for old, to in space.moved(held, 0).items()}


def test_a_renamed_file_moves_whole() -> None:
    text = OLD.encode()
    found = moved(Write("a.py", text, None), Write("lib/a.py", None, text))
    assert found["a.py::load"] == Moved(SymbolId("lib/a.py", "load"), Lines(6, 7))
    assert found["a.py::"].to == SymbolId("lib/a.py", "")
    assert found["a.py::Store.put"].to == SymbolId("lib/a.py", "Store.put")
    assert moved(Write("lib/a.py", None, text), Write("a.py", text, None)).keys() == found.keys()


def test_a_function_that_goes_to_another_file_is_found_there() -> None:
    start, end = OLD.index("def load"), OLD.index("class Store")
    left = OLD[:start] + OLD[end:]
    there = "import os\n\n\n" + OLD[start:end]
    writes = Write("a.py", OLD.encode(), left.encode()), Write("b.py", b"", there.encode())
    assert moved(*writes) == {"a.py::load": Moved(SymbolId("b.py", "load"), Lines(4, 5))}
    gone_again = Write("b.py", there.encode(), b"")
    assert moved(*writes, gone_again) == {}
    assert moved(*writes, Write("a.py", left.encode(), OLD.encode())) == {}


def said(*symbols: str, to: dict[str, str] | None = None, others: tuple[str, ...] = ()) -> str:
    record = Record(Slot("r", "result"), 1, "read", "", Untracked(), 0, 0)
    body = frozenset(symbol(each) for each in (*symbols, *others))
    nominated = Nomination(record, body, frozenset(), 1, "drop")
    there = {symbol(old): Moved(symbol(new), Lines(3, 9)) for old, new in (to or {}).items()}
    return tombstone(nominated, "read a.py", there)


def test_a_tombstone_says_where_its_text_went() -> None:
    text = said("a.py::load", to={"a.py::load": "b.py::load"})
    assert "load moved to b.py::load (lines 3-9 then)" in text
    assert "changed" not in text
    assert "Read it there" in text


def test_a_tombstone_of_a_renamed_file_names_the_file() -> None:
    to = {"a.py::": "c.py::", "a.py::load": "c.py::load", "a.py::Store": "c.py::Store"}
    assert "a.py moved to c.py. Read" in said(*to, to=to)


def test_a_tombstone_tells_what_moved_from_what_is_gone() -> None:
    text = said("a.py::f", to={"a.py::f": "b.py::f"}, others=("a.py::g",))
    assert "f moved to b.py::f" in text
    assert "g changed or went away since" in text
    assert "Read it again" in text


def test_a_tombstone_of_moves_to_many_files_stays_short() -> None:
    to = {f"a.py::f{i}": f"{'p' * 300}{i}.py::f{i}" for i in range(40)}
    assert len(said(*to, to=to)) < 900


def test_a_session_says_where_a_read_file_went() -> None:
    space = Workspace(Memory({"a.py": OLD.encode()}))
    session = Session(space, POLICIES["default"], len, title=lambda _: "read a.py")
    slot = Slot("c1", "result")
    call = Call(Slot("c1", "input"), "Read", {})
    step = Step(1, "read", (Read("a.py"),), call, Result(slot, OLD))
    for record in Inventory(space, "/r", len).of_step(step, space.now):
        session.hold(record)
    space.observe(Write("a.py", OLD.encode(), None))
    space.observe(Write("lib/a.py", None, OLD.encode()))
    (change,) = session.request().changes
    assert change.slot == slot
    assert "a.py moved to lib/a.py" in change.text
