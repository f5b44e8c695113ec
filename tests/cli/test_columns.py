"""Text that fits the terminal."""

from hypothesis import given
from hypothesis import strategies as st

from statetape.cli.columns import cells, clean, counts, fit, fit_end, labelled, short

ANY = st.text(st.characters())


@given(ANY, st.integers(1, 60))
def test_fitted_text_is_printable_and_never_wider(text: str, width: int) -> None:
    for fitted in (fit(text, width), fit_end(text, width)):
        assert fitted.isprintable()
        assert cells(fitted) <= width
    assert cells(fit(text, width, pad=True)) == width


@given(ANY)
def test_clean_text_has_nothing_that_steers_a_terminal(text: str) -> None:
    assert clean(text).isprintable()
    assert clean(clean(text)) == clean(text)


@given(st.text(st.characters(codec="ascii", categories=("L", "N", "P"))), st.integers(1, 60))
def test_text_that_fits_is_left_alone(text: str, width: int) -> None:
    if len(text) <= width:
        assert fit(text, width) == fit_end(text, width) == text


@given(ANY)
def test_labelled_rows_fit_80_columns(text: str) -> None:
    assert all(cells(line) <= 80 for line in labelled("label", text))


@given(st.integers(0, 10**12 - 1))
def test_short_numbers_take_at_most_seven_cells(number: int) -> None:
    assert len(short(number)) <= 7


def test_short_numbers_read_well() -> None:
    numbers = [0, 9_999, 10_000, 123_456, 1_234_567, 12_345_678, 999_999_999, 1_234_567_890]
    assert list(map(short, numbers)) == [
        "0", "9,999", "10.0k", "123k", "1.23M", "12.3M", "1000M", "1.23G",
    ]  # fmt: skip


def test_long_names_keep_their_end_or_their_beginning() -> None:
    assert fit("abcdef", 4) == "abc…"
    assert fit_end("abcdef", 4) == "…def"
    assert fit("日本語", 4) == "日…"


def test_counts_leave_out_what_is_none() -> None:
    assert counts({"read": 2, "edit_failed": 1, "run": 0}) == "2 read, 1 edit failed"
    assert counts({"read": 0}) == "none"
    assert counts({"misses": 0}, zeros=True) == "0 misses"
