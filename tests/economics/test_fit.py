"""Sizes of blocks: estimated, and put right by what was reported."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from statetape.economics.fit import estimated, fitted
from statetape.economics.prices import Price

OPUS = Price(
    model="opus", input=5, output=25, write_5m=6.25, write_1h=10, read=0.5,
    tokens_prose=1.12, tokens_shell=1.22, tokens_block=40,
)  # fmt: skip

SIZES = st.lists(st.tuples(st.integers(0, 10**6), st.booleans()), min_size=1, max_size=12)


@pytest.mark.parametrize(
    ("kind", "size"),
    [("read", 1160), ("edit", 1160), ("say", 1160), ("run", 1260), ("search", 1260)],
)
def test_a_block_is_estimated_by_its_kind(kind: str, size: int) -> None:
    assert estimated(OPUS, 1000, kind) == size


def test_a_block_without_text_is_still_a_block() -> None:
    assert estimated(OPUS, 0, "read") == 40


def test_what_is_missing_is_in_what_nobody_has_the_text_of() -> None:
    assert fitted([100, 10, 30], [False, True, True], 180) == [100, 20, 60]
    assert fitted([100, 0, 0], [False, True, True], 180) == [100, 80, 0], "nothing to go by"
    assert fitted([0, 100], [True, False], 5000) == [4900, 100]


def test_where_every_text_is_known_the_first_block_takes_what_is_missing() -> None:
    assert fitted([100, 10], [False, False], 150) == [140, 10]


def test_estimates_that_are_too_high_shrink_alike() -> None:
    assert fitted([100, 300], [False, True], 200) == [50, 150]
    assert fitted([100, 300], [False, False], 0) == [0, 0]
    assert fitted([100, 300], [False, False], -7) == [0, 0], "the client dropped more than is new"


def test_no_blocks_have_no_sizes() -> None:
    assert fitted([], [], 100) == []


@given(SIZES, st.integers(0, 10**7))
def test_sizes_make_the_total_and_none_is_negative(
    blocks: list[tuple[int, bool]], total: int
) -> None:
    estimates, loose = [size for size, _ in blocks], [free for _, free in blocks]
    sizes = fitted(estimates, loose, total)
    assert sum(sizes) == total
    assert min(sizes) >= 0
    assert len(sizes) == len(estimates)
    if total >= sum(estimates):
        assert all(size >= before for size, before in zip(sizes, estimates, strict=True))
        if any(loose):
            held = [n for n, free in enumerate(loose) if not free]
            assert all(sizes[n] == estimates[n] for n in held), "a known text stays as it is"
    else:
        # To a token each; the last has what rounding leaves.
        known = sum(estimates)  # whole numbers: a share of them is no exact float
        pairs = zip(sizes[:-1], estimates[:-1], strict=True)
        shares = [(size * known, before * total) for size, before in pairs]
        assert all(share - known < size <= share for size, share in shares)
        last, share = sizes[-1] * known, estimates[-1] * total
        assert share - known < last < share + len(sizes) * known


@given(SIZES)
def test_right_estimates_stay(blocks: list[tuple[int, bool]]) -> None:
    estimates, loose = [size for size, _ in blocks], [free for _, free in blocks]
    assert fitted(estimates, loose, sum(estimates)) == estimates
