"""Requests rebuilt from a recording: as large as reported, and shared with those before."""

from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st

from statetape.economics.cache import cache_of
from statetape.economics.fit import estimated
from statetape.economics.prices import Price, price_of
from statetape.economics.prompt import Prompt
from statetape.pricing import shipped
from statetape.replay.prompts import Prompts
from statetape.replay.recording import Sent
from statetape.types import Record, Slot, Untracked, Usage

MODEL = "claude-opus-4-6"


def price() -> Price:
    found = price_of(MODEL, shipped())
    assert found is not None
    return found


class Talk:
    """A client that holds texts of given sizes and sends them, a minute apart."""

    def __init__(self, ttl: int | None = None) -> None:
        self.prompts = Prompts(price(), ttl)
        self.held: dict[Slot, Record] = {}
        self.at = 0.0

    def hold(self, *tokens: int, text: str = "x") -> list[Slot]:
        slots = []
        for count in tokens:
            slot = Slot(f"c{len(self.held)}", "result")
            slots.append(slot)
            self.held[slot] = Record(slot, len(self.held), "read", text, Untracked(), 0, count)
        return slots

    def send(self, usage: Usage | None) -> Prompt:
        self.at += 60
        return self.prompts.prompt(Sent(MODEL, usage, self.at), self.held)


def size(tokens: int) -> int:
    return estimated(price(), tokens, "read")


def sizes(prompt: Prompt) -> Sequence[int]:
    return [block.tokens for block in prompt.blocks]


def shared(one: Prompt, two: Prompt) -> int:
    """The blocks at the beginning of both."""
    pairs = zip(one.blocks, two.blocks, strict=False)
    digests = [a.digest == b.digest for a, b in pairs]
    return digests.index(False) if False in digests else len(digests)


def test_the_first_block_is_what_others_had_left_in_the_cache() -> None:
    talk = Talk()
    talk.hold(1000)
    prompt = talk.send(Usage(cache_read=9000, cache_write_5m=3000))
    assert talk.prompts.shared
    assert sizes(prompt) == [9000, 3000 - size(1000), size(1000)]
    assert [block.ttl > 0 for block in prompt.blocks] == [True, False, True]


def test_without_a_read_the_first_block_is_what_the_log_does_not_have() -> None:
    talk = Talk()
    talk.hold(1000)
    prompt = talk.send(Usage(cache_write_5m=12_000))
    assert not talk.prompts.shared
    assert sizes(prompt) == [12_000 - size(1000), size(1000)]


def test_what_is_reported_beyond_the_new_texts_is_a_block_of_its_own() -> None:
    talk = Talk()
    first = talk.send(Usage(cache_write_5m=9000))
    talk.hold(1000)
    second = talk.send(Usage(cache_read=9000, cache_write_5m=2000))
    assert sizes(second) == [9000, 2000 - size(1000), size(1000)]
    assert shared(first, second) == talk.prompts.sent == 1


def test_texts_that_are_estimated_too_large_shrink_together() -> None:
    talk = Talk()
    talk.send(Usage(cache_write_5m=9000))
    slots = talk.hold(1000, 1000)
    prompt = talk.send(Usage(cache_read=9000, cache_write_5m=1000))
    assert sizes(prompt) == [9000, 500, 500]
    # The text that takes the place of one of them is off alike.
    shorter = {slots[0]: Record(slots[0], 0, "read", "y", Untracked(), 0, 500)}
    changed = talk.prompts.changed(prompt, shorter, [slots[0]])
    assert changed.blocks[1].tokens == round(500 * size(500) / size(1000))
    assert changed.blocks[1].digest != prompt.blocks[1].digest
    bare = talk.prompts.changed(prompt, shorter, [slots[0]], bare=True)
    assert [b.digest for b in bare.blocks] == [b.digest for b in prompt.blocks]
    assert bare.tokens == changed.tokens


def test_a_prompt_a_little_smaller_than_known_was_estimated_too_large() -> None:
    talk = Talk()
    talk.hold(20_000)
    first = talk.send(Usage(cache_write_5m=40_000))
    second = talk.send(Usage(cache_read=39_500))
    assert second.tokens == 39_500
    assert shared(first, second) == len(second.blocks) == len(first.blocks)


def test_a_prompt_much_smaller_than_known_has_lost_its_oldest_results() -> None:
    talk = Talk()
    slots = talk.hold(10_000, 10_000, 10_000)
    first = talk.send(Usage(cache_write_5m=50_000))
    second = talk.send(Usage(cache_read=5000, cache_write_5m=50_000 - size(10_000) - 5000))
    assert second.tokens == 50_000 - size(10_000)
    assert slots[0] not in talk.prompts.blocks
    assert slots[1] in talk.prompts.blocks
    assert shared(first, second) == 1


def test_what_the_client_forgets_is_gone_and_all_is_all_but_the_system_prompt() -> None:
    talk = Talk()
    one, two = talk.hold(1000, 1000)
    talk.send(Usage(cache_write_5m=12_000))
    talk.prompts.forget([one])
    del talk.held[one]
    assert talk.send(Usage(cache_write_5m=11_000)).tokens == 11_000
    assert set(talk.prompts.blocks) == {two}
    talk.prompts.forget(None)
    talk.held.clear()
    assert len(talk.send(Usage(cache_read=9000)).blocks) == 1


def test_asked_again_about_a_request_it_says_the_same() -> None:
    talk = Talk()
    talk.hold(1000)
    sent = Sent(MODEL, Usage(cache_write_5m=12_000), 5.0)
    first = talk.prompts.prompt(sent, talk.held)
    assert talk.prompts.prompt(sent, talk.held) is first


def test_entries_live_as_long_as_the_log_says_or_as_is_asked() -> None:
    for asked, usage, life in [
        (None, Usage(cache_write_5m=9000), 300),
        (None, Usage(cache_write_1h=9000), 3600),
        (3600, Usage(cache_write_5m=9000), 3600),
    ]:
        ttl = Talk(asked).send(usage).blocks[-1].ttl
        # By the clock of a log entries outlast their time a little.
        assert life < ttl < life + 60
    assert Talk(0).send(Usage(input=9000)).blocks[-1].ttl == 0


def test_without_figures_a_prompt_is_what_the_log_has() -> None:
    talk = Talk()
    talk.hold(1000, 500)
    assert talk.send(None).tokens == size(1000) + size(500)


@given(
    st.lists(
        st.tuples(
            st.lists(st.integers(0, 5000), max_size=4),
            st.integers(0, 60_000),
            st.integers(0, 60_000),
        ),
        min_size=1,
        max_size=8,
    )
)
def test_a_prompt_has_the_tokens_that_were_reported(
    requests: list[tuple[list[int], int, int]],
) -> None:
    talk = Talk()
    cache = cache_of(price())
    for new, read, written in requests:
        talk.hold(*new)
        usage = Usage(cache_read=read, cache_write_5m=written)
        prompt = talk.send(usage)
        if usage.prompt:
            assert prompt.tokens == usage.prompt
        assert all(block.tokens >= 0 for block in prompt.blocks)
        assert 0 <= talk.prompts.sent <= len(prompt.blocks)
        assert cache.answered(prompt).prompt == prompt.tokens
