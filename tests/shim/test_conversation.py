"""A conversation followed request by request: what the agent holds is true when it is sent."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from hashlib import blake2b
from pathlib import Path

import pytest

from statetape.policies import POLICIES
from statetape.shim.arrivals import Steps
from statetape.shim.checkout import Checkout
from statetape.shim.conversation import Conversation
from statetape.store.changes import Changes
from statetape.store.index.cache import Cache
from statetape.store.index.stored import StoredIndex
from statetape.store.state import StoreError
from statetape.types import Block, Call, Replace, Result, Say, Slot, Span, SymbolId, Turn
from statetape.wire.reading import Place, Reading

SOURCE = "def f():\n    return 1\n\n\ndef g():\n    return f()\n"
SHOWN = "\n".join(f"{n}\t{line}" for n, line in enumerate(SOURCE.split("\n"), 1))
CHANGED = SOURCE.replace("return 1", "return 2")


def say(text: str) -> Turn:
    return Turn("user", (Say(Slot(f"say {text}", "say"), "user", text),))


def called(name: str, tool: str, **given: object) -> Turn:
    return Turn("assistant", (Call(Slot(name, "input"), tool, given),))


def ended(name: str, text: str, *, failed: bool = False) -> Turn:
    return Turn("user", (Result(Slot(name, "result"), text, failed),))


def request(turns: Sequence[Turn]) -> Reading:
    chain, digest = [], b""
    places: dict[Slot, Place] = {}
    for turn in turns:
        digest = blake2b(digest + repr(turn).encode(), digest_size=16).digest()
        chain.append(digest)
        places |= {block.slot: Place(Span(0, 0)) for block in turn.blocks}
    stream = True
    return Reading("anthropic", "m", stream, tuple(turns), tuple(chain), places, "", frozenset())


class Live:
    """A checkout on disk and the conversations on it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder / "repo"
        self.folder.mkdir(exist_ok=True)
        self.changes = Changes(folder / "changes.sqlite")
        self.index = StoredIndex(Cache(folder / "cache"))
        self.checkout = Checkout(self.folder, self.index)
        self.conversation = self.started()

    def started(self, *, rewrite_inputs: bool = False) -> Conversation:
        policy = POLICIES["default"]
        return Conversation(
            self.checkout,
            Steps("claude-code", str(self.folder)),
            policy,
            self.changes,
            rewrite_inputs=rewrite_inputs,
        )

    def write(self, name: str, text: str) -> None:
        (self.folder / name).write_text(text)

    def path(self, name: str) -> str:
        return str(self.folder / name)

    def send(self, *turns: Turn) -> Mapping[Slot, str]:
        assert self.checkout.ready(60)
        return self.conversation.maintained(request(turns)).texts


@pytest.fixture
def live(tmp_path: Path) -> Iterator[Live]:
    space = Live(tmp_path)
    space.write("a.py", SOURCE)
    yield space
    space.checkout.close()


def reading(live: Live) -> list[Turn]:
    """The agent asks for a.py and gets it."""
    return [say("go"), called("r", "Read", file_path=live.path("a.py")), ended("r", SHOWN)]


def editing(live: Live) -> list[Turn]:
    """... and then it changes f."""
    edit = called(
        "e", "Edit", file_path=live.path("a.py"), old_string="return 1", new_string="return 2"
    )
    return [*reading(live), edit, ended("e", "The file has been updated.")]


def test_a_true_context_is_left_alone(live: Live) -> None:
    assert live.send(*reading(live)) == {}


def test_a_read_is_refreshed_when_the_agents_own_edit_falsifies_it(live: Live) -> None:
    live.send(*reading(live))
    live.write("a.py", CHANGED)
    texts = live.send(*editing(live))
    assert set(texts) == {Slot("r", "result")}
    assert "2\t    return 2" in texts[Slot("r", "result")]
    assert "return 1" not in texts[Slot("r", "result")]


def test_changes_are_sticky(live: Live) -> None:
    live.send(*reading(live))
    live.write("a.py", CHANGED)
    first = live.send(*editing(live))
    assert live.send(*editing(live), say("more")) == first


@pytest.mark.parametrize("restart", ["conversation", "everything"])
def test_a_restart_sends_the_same_bytes(live: Live, tmp_path: Path, restart: str) -> None:
    live.send(*reading(live))
    live.write("a.py", CHANGED)
    first = live.send(*editing(live))
    if restart == "conversation":
        live.conversation = live.started()
    else:
        live.changes.close()
        live = Live(tmp_path)
    assert live.send(*editing(live), say("more")) == first
    live.write("a.py", CHANGED.replace("return 2", "return 3"))
    again = live.send(*editing(live), say("more"), say("and"))
    assert "return 3" in again[Slot("r", "result")]


def test_a_fork_with_another_name_has_the_changes_of_its_history(live: Live) -> None:
    live.send(*reading(live))
    live.write("a.py", CHANGED)
    first = live.send(*editing(live))
    live.conversation = live.started()
    assert live.send(*editing(live), say("another way")) == first


def test_other_hands_are_seen(live: Live) -> None:
    live.send(*reading(live))
    live.write("a.py", CHANGED)
    assert "return 2" in live.send(*reading(live), say("I changed f"))[Slot("r", "result")]


def test_a_test_run_is_asked_for_again_after_a_write(live: Live) -> None:
    run = [
        *reading(live),
        called("t", "Bash", command="pytest -q"),
        ended("t", "1 failed"),
    ]
    assert live.send(*run) == {}
    live.write("a.py", CHANGED)
    texts = live.send(*run, *editing(live)[3:])
    assert "Run it again" in texts[Slot("t", "result")]
    assert "pytest -q" in texts[Slot("t", "result")]


def test_a_rewind_forgets_what_was_taken_back(live: Live) -> None:
    live.send(*reading(live))
    live.write("a.py", CHANGED)
    live.send(*editing(live))
    assert live.send(say("something else")) == {}
    assert set(live.conversation.session.held) == {Slot("say something else", "say")}
    assert live.conversation.tokens_without == live.conversation.session.tokens


def test_a_history_that_nobody_followed_is_understood_from_itself(live: Live) -> None:
    live.write("a.py", CHANGED)
    run = [called("t", "Bash", command="pytest -q"), ended("t", "1 failed")]
    edit = editing(live)[3:]
    texts = live.send(*reading(live), *run, *edit, say("resumed"))
    assert "dropped" in texts[Slot("r", "result")]
    assert "Run it again" in texts[Slot("t", "result")]
    shown = ended("r", SHOWN.replace("return 1", "return 2"))
    true = live.started().maintained(request([*edit, reading(live)[1], shown])).texts
    assert true == {}


def stubbed(live: Live) -> list[Turn]:
    again = called("s", "Read", file_path=live.path("a.py"))
    stub = "Wasted call — file unchanged since your last Read. Refer to that earlier tool_result."
    return [again, ended("s", stub)]


def test_a_reference_to_a_read_that_is_gone_becomes_the_text(live: Live) -> None:
    live.send(*reading(live))
    live.write("a.py", "x = 1\n")  # f and g are gone: the read is dropped or shows the rest
    live.send(*reading(live), say("hm"))
    ledger = live.conversation.session.ledger
    gone = Replace(Slot("r", "result"), "[gone]", "drop")
    live.conversation.session.resume(gone, live.conversation.session.held[gone.slot])
    assert ledger[gone.slot].why == "drop"
    texts = live.send(*reading(live), say("hm"), *stubbed(live))
    assert texts[Slot("s", "result")] == "1\tx = 1\n2\t"
    live.write("a.py", "x = 2\n")
    texts = live.send(*reading(live), say("hm"), *stubbed(live), say("on"))
    assert "1\tx = 2" in texts[Slot("s", "result")]


def test_a_reference_to_a_read_that_is_there_stays(live: Live) -> None:
    assert live.send(*reading(live), *stubbed(live)) == {}


def test_the_agents_own_words_are_rewritten_only_when_asked(live: Live) -> None:
    live.send(*editing(live)[:3])
    live.write("a.py", CHANGED)
    live.send(*editing(live))
    live.write("a.py", CHANGED.replace("return 2", "return 3"))
    later = [*editing(live), say("on")]
    assert Slot("e", "input") not in live.send(*later)
    live.conversation = live.started(rewrite_inputs=True)
    live.send(*later)
    live.write("a.py", CHANGED.replace("return 2", "return 4"))
    assert Slot("r", "result") in live.send(*later, say("and on"))


def test_nothing_is_sent_that_is_not_kept(live: Live, monkeypatch: pytest.MonkeyPatch) -> None:
    live.send(*reading(live))
    live.write("a.py", CHANGED)

    def failing(_: object) -> None:
        raise StoreError("full")

    put: Callable[..., None] = live.changes.put
    monkeypatch.setattr(live.changes, "put", failing)
    with pytest.raises(StoreError):
        live.send(*editing(live))
    monkeypatch.setattr(live.changes, "put", put)
    texts = live.send(*editing(live))
    assert live.changes.of(request(editing(live)).chain)[Slot("r", "result")].text in texts.values()


def test_a_result_without_a_call_is_only_held(live: Live) -> None:
    blocks: tuple[Block, ...] = (Result(Slot("x", "result"), SHOWN),)
    assert live.send(say("go"), Turn("user", blocks)) == {}


def test_a_read_that_another_conversation_falsified_before_it_arrived(live: Live) -> None:
    other = live.started()
    live.send(*reading(live)[:1])
    other.maintained(request(reading(live)))  # the file is known as it is
    live.write("a.py", CHANGED)
    other.maintained(request([*reading(live), say("seen by the other first")]))
    texts = live.send(*reading(live))
    assert "return 2" in texts[Slot("r", "result")]


def test_thousands_of_files_that_nobody_read_are_not_extracted(live: Live) -> None:
    run = [called("t", "Bash", command="pytest -q"), ended("t", "3 passed")]
    live.send(*reading(live), *run)
    assert live.checkout.ready(20)
    extracted = live.checkout.workspace.graph.files_extracted
    for number in range(300):
        live.write(f"m{number}.py", "def f(): return 1\n")
    checkout = [called("c", "Bash", command="git checkout other"), ended("c", "Switched")]
    texts = live.send(*reading(live), *run, *checkout)
    assert set(texts) == {Slot("t", "result")}
    assert live.checkout.workspace.graph.files_extracted == extracted
    shown = called("n", "Read", file_path=live.path("m7.py"))
    read = [shown, ended("n", "1\tdef f(): return 1\n2\t")]
    live.send(*reading(live), *run, *checkout, *read)
    live.write("m7.py", "def f(): return 2\n")
    texts = live.send(*reading(live), *run, *checkout, *read, say("on"))
    assert "return 2" in texts[Slot("n", "result")]


def test_a_new_file_that_nobody_read_moves_the_calls_that_mean_it(live: Live) -> None:
    live.write("a.py", "from b import f\n\n\ndef g():\n    return f()\n")
    shown = "1\tfrom b import f\n2\t\n3\t\n4\tdef g():\n5\t    return f()\n6\t"
    read = [called("r", "Read", file_path=live.path("a.py")), ended("r", shown)]
    make = [called("m", "Bash", command="make gen"), ended("m", "ok")]
    live.send(*read)
    live.write("b.py", "def f(): return 1\n")
    live.send(*read, *make)
    graph = live.checkout.workspace.graph
    assert SymbolId("b.py", "f") in graph.callees(SymbolId("a.py", "g"))


def test_a_result_that_a_later_call_of_the_same_message_falsified(live: Live) -> None:
    """What stood in the file between two calls is never seen on the disk."""
    shown = (
        "The file has been edited. Here's the result of running `cat -n` on a snippet of a.py:\n"
    )
    between = shown + "1\tdef f():\n2\t    return 1\n3\t\n4\tclass B:\n5\t    pass\n6\t"
    path = live.path("a.py")
    calls = [
        called("i", "Edit", file_path=path, old_string="def g", new_string="class B"),
        called("u", "Edit", file_path=path, old_string="class B", new_string="def g"),
    ]
    live.send(*reading(live))
    texts = live.send(*reading(live), *calls, ended("i", between), ended("u", "undone"))
    assert "dropped" in texts[Slot("i", "result")]
    assert Slot("r", "result") not in texts


def test_two_commands_of_one_message_do_not_falsify_each_other(live: Live) -> None:
    calls = [called("t", "Bash", command="pytest -q"), called("x", "Bash", command="python x.py")]
    live.send(say("go"))
    ends = ended("t", "3 passed"), ended("x", "done")
    assert live.send(say("go"), *calls, *ends) == {}


def test_a_read_that_arrives_after_a_write_that_another_conversation_saw(live: Live) -> None:
    """It was true since the last request of its own conversation, so it is stale and not odd."""
    other = live.started()
    mine = [say("mine"), *reading(live)[1:]]
    live.send(mine[0])
    other.maintained(request(reading(live)))
    live.write("a.py", CHANGED)
    other.maintained(request([*reading(live), say("on")]))
    assert "return 2" in live.send(*mine)[Slot("r", "result")]
