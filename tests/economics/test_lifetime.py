"""How long a client's entries should live, by the pauses so far."""

from statetape.economics.lifetime import HOUR, Lifetime, lasting
from statetape.economics.prices import price_of
from statetape.economics.prompt import Block, Prompt
from statetape.pricing import shipped


class Talk:
    """A client that sends a prompt 1,000 tokens longer each time."""

    def __init__(self, ttl: int = 300) -> None:
        price = price_of("claude-opus-4-5", shipped())
        assert price is not None
        self.lifetime = Lifetime(price)
        self.ttl = ttl
        self.at = 0.0
        self.count = 50

    def send(self, pause: float) -> int:
        self.at += pause
        self.count += 1
        blocks = [Block(b"%d" % n, 1000) for n in range(self.count)]
        blocks[-1] = blocks[-1]._replace(ttl=self.ttl)
        return self.lifetime.chosen(Prompt("m", self.at, tuple(blocks)))


def test_without_pauses_nothing_is_chosen() -> None:
    talk = Talk()
    assert [talk.send(20) for _ in range(30)] == [0] * 30


def test_once_pauses_have_cost_more_than_an_hour_would_it_is_chosen_for_good() -> None:
    talk = Talk()
    for _ in range(5):
        talk.send(20)
    assert talk.send(900) == HOUR
    assert [talk.send(20) for _ in range(3)] == [HOUR] * 3


def test_while_an_hour_has_not_paid_it_is_not_chosen() -> None:
    talk = Talk()
    talk.count = 500
    talk.send(20)
    talk.count = 10  # the client has summed up
    talk.send(20)
    assert [talk.send(900), talk.send(20)] == [0, 0]


def test_a_pause_that_no_entry_outlasts_gains_nothing() -> None:
    talk = Talk()
    assert [talk.send(2 * HOUR) for _ in range(10)] == [0] * 10


def test_the_hour_of_a_client_is_left_alone_and_so_is_one_without_breakpoints() -> None:
    for ttl in (HOUR, 0):
        talk = Talk(ttl)
        assert [talk.send(900) for _ in range(10)] == [0] * 10


def test_a_prompt_is_written_for_as_long_as_is_chosen() -> None:
    prompt = Prompt("m", 0.0, (Block(b"1", 1, 300), Block(b"2", 1), Block(b"3", 1, 300)))
    assert [block.ttl for block in lasting(prompt, HOUR).blocks] == [HOUR, 0, HOUR]
    assert lasting(prompt, 0) is prompt
