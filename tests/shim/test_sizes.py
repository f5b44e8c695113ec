"""What the ledger takes blocks to be large as, where its estimates are far off what is reported."""

from collections.abc import Sequence
from hashlib import blake2b
from pathlib import Path

import pytest
from msgspec.structs import replace
from tests.shim.spending import Agent

from statetape.economics.account import Terms
from statetape.economics.bill import Entry
from statetape.economics.prompt import Block, Prompt
from statetape.shim.sheet import Sheet
from statetape.types import Slot, Usage
from statetape.wire.pieces import Piece

pytestmark = pytest.mark.usefixtures("clock")


def exact(entries: Sequence[Entry]) -> bool:
    """Whether each request cost what was foreseen, to the token."""
    pairs = [(entry.paid, entry.planned) for entry in entries]
    return all(one and two and replace(one, output=0) == two for one, two in pairs)


def test_a_prefix_that_is_larger_than_reckoned_makes_no_prompt_larger(tmp_path: Path) -> None:
    """The blocks behind it were changed, most of their text taken away."""
    agent = Agent(tmp_path, terms=Terms(maintain="eager"), edits="free")
    agent.file("a.py")
    for n in range(40):
        agent.called("Bash", f"{n} passed\n" * 60, command=f"pytest -q tests/test_{n}.py")
    agent.send()
    agent.edit("a.py", "return 3 ", "return 33 ")
    agent.send()
    assert not any("passed" in text for text in agent.texts())
    for n in range(2):
        agent.talk()
        agent.edit("a.py", f"return {n} ", f"return {n}7 ")
        agent.send()
    before, *after = agent.bills()
    assert before.paid is not None
    assert after[0].unmodified is not None
    assert after[0].unmodified.cache_read == before.paid.prompt
    assert exact(after)


def test_nor_after_a_restart(tmp_path: Path) -> None:
    agent = Agent(tmp_path, terms=Terms(maintain="eager"), edits="free")
    agent.file("a.py")
    agent.file("b.py")
    agent.read("b.py")
    agent.talk("".join(blake2b(b"%d" % n).hexdigest() for n in range(94)))
    for n in range(40):
        agent.called("Bash", f"{n} passed\n" * 60, command=f"pytest -q tests/test_{n}.py")
    agent.edit("a.py", "return 3 ", "return 33 ")
    agent.send()
    agent.core.close()
    agent.core = agent.started()
    agent.edit("b.py", "return 3 ", "return 33 ")
    agent.send()
    agent.talk()
    agent.send()
    assert exact(agent.bills()[1:])


def test_what_the_client_has_is_no_smaller_for_what_was_added() -> None:
    """A provider that counts half of what was reckoned, of a short result and much behind it."""
    pieces = tuple(
        Piece(bytes([n]), 400, "message", slots=(Slot(str(n), "result"),)) for n in range(3)
    )
    sheet = Sheet(pieces, [100, 100, 20], 0, {})
    sent = Prompt("m", 0.0, tuple(map(Block, (b"a", b"b", b"c, added"), (100, 100, 2020))))
    fit = sheet.fit_total(sent, Usage(input=1110))
    assert [block.tokens for block in fit.blocks] == [50, 50, 1010]
    assert sheet.sizes == [50, 50, 10]


def test_a_text_of_ours_is_no_larger_than_what_it_stands_for_nor_less_than_nothing() -> None:
    """Of what was taken away as much is left, of what was added all but what the client has."""
    sheet = Sheet((), [50, 50, 50, 7], 0, {})
    now = Prompt("m", 0.0, tuple(map(Block, (b"a", b"b", b"c", b"d"), (100, 20, 400, 5))))
    resized = sheet.resized(now, [100, 100, 100, 0])
    assert [block.tokens for block in resized.blocks] == [50, 10, 350, 12]
