"""Token counts are exact, offline, and indifferent to what the text looks like."""

import subprocess
import sys
from collections.abc import Iterator

import pytest
import toktok
from hypothesis import given
from hypothesis import strategies as st

from statetape import tokens as module
from statetape.errors import StatetapeError
from statetape.tokens import tokens, tokens_of

# The examples of OpenAI's cookbook, and "hello world", which is [15339, 1917].
VECTORS = [
    ("", 0),
    ("hello world", 2),
    ("tiktoken is great!", 6),
    ("antidisestablishmentarianism", 6),
    ("2 + 2 = 4", 7),
    ("お誕生日おめでとう", 9),
]


@pytest.fixture
def fresh_counter() -> Iterator[None]:
    module._counter.cache_clear()
    yield
    module._counter.cache_clear()


@pytest.mark.parametrize(("text", "expected"), VECTORS)
def test_published_counts(text: str, expected: int) -> None:
    assert tokens(text) == expected


def test_the_text_of_a_special_token_is_plain_text() -> None:
    assert tokens("<|endoftext|>") == 7
    assert tokens("a<|endoftext|>b") == 9


def test_a_lone_surrogate_counts_as_the_replacement_character() -> None:
    assert tokens("a\ud800b") == tokens("a\ufffdb")


def test_a_split_surrogate_pair_counts_as_its_character() -> None:
    assert tokens("\ud83d\ude00") == tokens("\U0001f600")


@given(st.lists(st.text(st.characters(exclude_categories=[]), max_size=40), max_size=8))
def test_many_texts_count_as_each_alone(texts: list[str]) -> None:
    assert tokens_of(texts) == [tokens(text) for text in texts]


@given(st.text(max_size=200))
def test_counts_agree_with_the_batch_api(text: str) -> None:
    assert [tokens(text)] == toktok.batch_count([text], "cl100k_base", threads=1)


@given(st.text(min_size=1, max_size=200))
def test_a_text_has_at_least_one_token_and_at_most_one_for_each_byte(text: str) -> None:
    assert 1 <= tokens(text) <= len(text.encode())


@pytest.mark.usefixtures("fresh_counter")
def test_a_wrong_table_is_one_clear_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(toktok, "truncate", lambda text, _limit: (text, len(text)))
    with pytest.raises(StatetapeError, match="token table is wrong") as caught:
        tokens("anything")
    assert "\n" not in str(caught.value)


def test_counting_opens_no_socket_and_importing_loads_no_table() -> None:
    script = """
import sys
from statetape.tokens import tokens
assert "toktok" not in sys.modules
opened = []
sys.addaudithook(lambda event, args: opened.append(event) if event.startswith("socket.") else None)
assert tokens("hello world") == 2
assert not opened, opened
"""
    subprocess.run([sys.executable, "-c", script], check=True)
