"""Notes and pointers in a conversation on disk: at the end, kept, and the same after a restart."""

from collections.abc import Iterator, Mapping, Sequence
from hashlib import blake2b
from pathlib import Path

import pytest

from statetape.context.wording import noted
from statetape.policies import POLICIES
from statetape.shim.arrivals import Steps
from statetape.shim.checkout import Checkout
from statetape.shim.conversation import Adding, Conversation
from statetape.store.changes import Changes
from statetape.types import Call, Result, Say, Slot, Span, Symbols, Turn
from statetape.wire.reading import Place, Reading

A = "def load():\n    return 1\n\n\ndef save():\n    return 2\n"
LONG = "".join(f"def value_{n}():\n    return {n}  # the value of number {n}\n" for n in range(40))


def numbered(text: str) -> str:
    return "\n".join(f"{n}\t{line}" for n, line in enumerate(text.splitlines(), 1))


class Live:
    """A conversation on a folder in which nothing is maintained, with its history."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder / "repo"
        self.folder.mkdir()
        (self.folder / "a.py").write_text(A)
        (self.folder / "long.py").write_text(LONG)
        self.changes = Changes(folder / "changes.sqlite")
        self.checkout = Checkout(self.folder)
        self.turns: list[Turn] = [Turn("user", (Say(Slot("say", "say"), "user", "go"),))]
        self.count = 0
        self.policy = "control"
        self.start()

    def start(self) -> None:
        """A new process."""
        self.conversation = Conversation(
            self.checkout,
            Steps("claude-code", str(self.folder)),
            POLICIES[self.policy],
            self.changes,
            adding=Adding(notes=120, dedupe=True),
        )

    def call(self, tool: str, text: str, **given: object) -> Slot:
        self.count += 1
        name = f"c{self.count}"
        self.turns.append(Turn("assistant", (Call(Slot(name, "input"), tool, given),)))
        self.turns.append(Turn("user", (Result(Slot(name, "result"), text),)))
        return Slot(name, "result")

    def read(self, name: str) -> Slot:
        path = self.folder / name
        return self.call("Read", numbered(path.read_text()), file_path=str(path))

    def write(self, name: str, old: str, new: str) -> None:
        path = self.folder / name
        path.write_text(path.read_text().replace(old, new))

    def send(self) -> Mapping[Slot, str]:
        assert self.checkout.ready(60)
        return self.conversation.maintained(reading(self.turns)).texts


def reading(turns: Sequence[Turn]) -> Reading:
    chain, digest = [], b""
    for turn in turns:
        digest = blake2b(digest + repr(turn).encode(), digest_size=16).digest()
        chain.append(digest)
    places = {block.slot: Place(Span(0, 0)) for turn in turns for block in turn.blocks}
    return Reading("anthropic", "m", True, tuple(turns), tuple(chain), places, "", frozenset())  # noqa: FBT003


@pytest.fixture
def live(tmp_path: Path) -> Iterator[Live]:
    space = Live(tmp_path)
    yield space
    space.checkout.close()
    space.changes.close()


def test_a_note_stays_where_it_is_and_comes_back_after_a_restart(live: Live) -> None:
    live.read("a.py")
    assert live.send() == {}
    live.write("a.py", "return 2", "return 3")
    slot = live.call("Bash", "done", command="true")
    sent = live.send()
    assert set(sent) == {slot}
    assert sent[slot].startswith("done\n[statetape: ")
    assert "a.py: save (5-6) changed" in noted(sent[slot])
    assert live.send() == sent
    live.call("Bash", "done", command="true")
    assert live.send() == sent
    live.start()
    assert live.send() == sent
    live.call("Bash", "done", command="true")
    assert live.send() == sent


def test_the_agents_own_edit_is_not_told(live: Live) -> None:
    live.read("a.py")
    live.send()
    live.write("a.py", "return 2", "return 3")
    path = str(live.folder / "a.py")
    live.call("Edit", "updated", file_path=path, old_string="return 2", new_string="return 3")
    assert live.send() == {}


def test_nothing_goes_behind_what_somebody_sent_before(live: Live) -> None:
    live.read("a.py")
    live.send()
    live.call("Bash", "done", command="true")
    live.turns.append(Turn("assistant", (Say(Slot("said", "say"), "assistant", "so"),)))
    live.turns.append(Turn("user", (Say(Slot("more", "say"), "user", "go on"),)))
    live.write("a.py", "return 2", "return 3")
    assert live.send() == {}
    slot = live.call("Bash", "done", command="true")
    assert set(live.send()) == {slot}


def test_pointers_stay_and_come_back_after_a_restart(live: Live) -> None:
    live.read("long.py")
    live.send()
    slot = live.read("long.py")
    sent = live.send()
    assert sent == {slot: "[statetape: lines 1-80 as shown above, in read long.py]"}
    live.start()
    assert live.send() == sent
    live.call("Bash", "done", command="true")
    assert live.send() == sent
    assert live.conversation.session.nominations == {}


def test_a_note_on_a_text_that_is_false_by_now(live: Live) -> None:
    live.read("long.py")
    live.send()
    live.write("long.py", "return 3 ", "return 33 ")
    slot = live.read("a.py")
    sent = live.send()
    assert set(sent) == {slot}
    live.write("a.py", "return 2", "return 3")
    live.start()
    assert live.send()[slot] == sent[slot]
    assert slot in live.conversation.session.nominations


def test_what_was_sent_and_not_answered_is_sent_again_as_it_was(live: Live) -> None:
    live.read("a.py")
    live.send()
    live.call("Bash", "done", command="true")
    assert live.send() == {}
    live.write("a.py", "return 2", "return 3")
    assert live.send() == {}
    live.turns.append(Turn("user", (Say(Slot("more", "say"), "user", "go on"),)))
    assert live.send() == {}
    slot = live.call("Bash", "done", command="true")
    assert set(live.send()) == {slot}


def test_a_reference_to_an_earlier_read_stays_one(live: Live) -> None:
    first = live.read("long.py")
    live.read("a.py")
    live.send()
    live.write("a.py", "return 2", "return 3")
    path = str(live.folder / "long.py")
    slot = live.call("Read", "File unchanged since last read. The content is", file_path=path)
    assert live.send() == {}
    live.policy = "default"
    live.conversation.session.forget([first])
    other = live.call("Bash", "done", command="true")
    sent = live.send()
    assert sent[slot].startswith("1\tdef value_0():")
    assert "save (5-6) changed" in sent[other]


def test_a_refreshed_text_that_keeps_its_note_is_what_it_was_after_a_restart(live: Live) -> None:
    live.read("long.py")
    live.send()
    live.write("long.py", "return 3 ", "return 33 ")
    slot = live.call("Bash", A.rstrip("\n"), command=f"cat {live.folder / 'a.py'}")
    assert "value_3" in live.send()[slot]
    live.policy = "default"
    live.start()
    live.write("a.py", "return 2", "return 3")
    live.call("Bash", "done", command="true")
    sent = live.send()
    assert "return 3\n[statetape: not as shown" in sent[slot]
    live.start()
    assert live.send() == sent
    session = live.conversation.session
    assert slot not in session.nominations
    referent = session.held[slot].referent
    assert isinstance(referent, Symbols)
    assert referent.whole
