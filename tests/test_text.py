from hypothesis import given
from hypothesis import strategies as st

from statetape.text import text_of


def test_no_file_has_no_text() -> None:
    assert text_of(None) is None


def test_an_empty_file_has_the_empty_text() -> None:
    assert text_of(b"") == ""


def test_every_kind_of_newline_is_one_newline() -> None:
    assert text_of(b"a\r\nb\rc\nd\r\n") == "a\nb\nc\nd\n"


def test_one_byte_order_mark_is_left_out_at_the_start_only() -> None:
    mark = b"\xef\xbb\xbf"
    assert text_of(mark + b"a" + mark + b"b") == "a\ufeffb"
    assert text_of(mark + mark + b"a") == "\ufeffa"


@given(st.binary())
def test_undecodable_bytes_can_be_had_back(data: bytes) -> None:
    text = text_of(data)
    assert text is not None
    plain = data.removeprefix(b"\xef\xbb\xbf").replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    assert text.encode("utf-8", "surrogateescape") == plain
