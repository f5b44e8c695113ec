"""The whole of a file in the form of a read of it."""

from msgspec.structs import replace
from tests.context.talk import LONG, Talk

from statetape.context.whole import whole
from statetape.context.wording import current
from statetape.tape import nomination
from statetape.tokens import tokens
from statetape.types import Lines, Read, Record, Search, Slot, Symbols


def made(talk: Talk, slot: Slot) -> Record | None:
    return whole(talk.session.held[slot], talk.space, tokens)


def test_it_has_every_line_with_its_number_and_is_born_now() -> None:
    talk = Talk("control")
    slot = talk.read("long.py", 10, 20, form="{:>6}→")
    talk.change("long.py", "return 1 ", "return 99 ")
    record = made(talk, slot)
    assert record is not None
    rows = record.text.split("\n")
    assert rows[0] == "     1→def value_0():"
    assert rows[79].startswith("    80→")
    assert rows[80:] == [current()]
    assert (record.born, record.tokens, record.slot) == (1, tokens(record.text), slot)
    assert isinstance(record.referent, Symbols)
    (part,) = record.referent.shown
    assert (part.lines, part.rows) == (Lines(1, 80), Lines(1, 80))
    assert f"{part.text}\n" == LONG.replace("return 1 ", "return 99 ")


def test_it_is_true_until_the_file_changes() -> None:
    talk = Talk("control")
    record = made(talk, talk.read("long.py", 10, 20))
    assert record is not None
    assert nomination(record, talk.space.tape, talk.space) is None
    talk.change("long.py", "return 39 ", "return 0 ")
    assert nomination(record, talk.space.tape, talk.space) is not None


def test_there_is_none_of_no_file_or_several_or_a_file_that_is_gone_or_empty() -> None:
    talk = Talk("control")
    texts = [talk.space.text(path) or "" for path in ("a.py", "b.py")]
    several = talk.step(Read("a.py"), Read("b.py"), text="".join(texts))
    search = talk.step(Search("def"), text="a.py:4:def load():")
    one = talk.read("long.py")
    assert made(talk, several) is None
    assert made(talk, search) is None
    assert made(talk, one) is not None
    assert whole(replace(talk.session.held[one], read=()), talk.space, tokens) is None
    talk.put("long.py", "")
    assert made(talk, one) is None
    talk.put("long.py", None)
    assert made(talk, one) is None
