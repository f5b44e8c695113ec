"""Bytes of JSON: values where decoders see them, and edits that touch nothing else."""

import json
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from statetape.types import Span
from statetape.wire.raw import Document, elements, members, replaced
from statetape.wire.values import WireError, decoded, encoded, quoted

SPACE = st.text(" \t\r\n", max_size=2)
ESCAPES = {'"': r"\"", "\\": r"\\", "\n": r"\n", "\t": r"\t", "/": r"\/"}


@st.composite
def strings(draw: st.DrawFn) -> str:
    """A JSON string, each character in one of its forms; lone surrogates too."""
    written = []
    for char in draw(st.text(st.characters(), max_size=8)):
        plain = char >= " " and char not in '"\\' and not "\ud800" <= char <= "\udfff"
        if plain and draw(st.booleans()):
            written.append(char)
        elif char in ESCAPES and draw(st.booleans()):
            written.append(ESCAPES[char])
        else:
            written.append(json.dumps(char)[1:-1] if ord(char) > 0xFFFF else f"\\u{ord(char):04X}")
    return f'"{"".join(written)}"'


SCALARS = st.one_of(
    strings(),
    st.sampled_from(
        [
            "0",
            "-0",
            "1",
            "12",
            "123",
            "1.50",
            "1E+2",
            "-1e-9",
            "true",
            "false",
            "null",
            "1e999",
            "1" + "0" * 400,
            "18446744073709551616",
        ]
    ),
)


def arrays(values: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    element = st.tuples(SPACE, values, SPACE).map("".join)
    return st.one_of(
        SPACE.map("[{}]".format), st.lists(element, min_size=1, max_size=4).map(joined("[]"))
    )


def objects(values: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    keys = st.one_of(st.sampled_from(['"a"', r'"\u0061"', '"b"', '""']), strings())
    member = st.tuples(SPACE, keys, SPACE, st.just(":"), SPACE, values, SPACE).map("".join)
    return st.one_of(
        SPACE.map("{{{}}}".format), st.lists(member, min_size=1, max_size=5).map(joined("{}"))
    )


def joined(brackets: str) -> Any:
    return lambda inside: brackets[0] + ",".join(inside) + brackets[1]


TEXTS = st.recursive(SCALARS, lambda inner: arrays(inner) | objects(inner), max_leaves=25).flatmap(
    lambda text: st.tuples(SPACE, st.just(text), SPACE).map("".join)
)


def paths(value: Any, path: tuple[str | int, ...] = ()) -> dict[tuple[str | int, ...], Any]:
    """Every value in a decoded one, by where it is."""
    found = {path: value}
    if isinstance(value, dict):
        for key, inside in value.items():
            found |= paths(inside, (*path, key))
    elif isinstance(value, list):
        for number, inside in enumerate(value):
            found |= paths(inside, (*path, number))
    return found


@given(TEXTS)
@example('{"a":1,"a":[1],"b":12}')
@example('{"a":12,"b":2,"a":1}')
@example('{"a" : "x,\\"b\\":1", "b":1 , "a":"x"}')
@example('[[],{},"\\ud800",{"\\udc00":"\\ud800"}]')
def test_every_value_is_where_the_decoder_sees_it(text: str) -> None:
    document = Document(text.encode())
    for path, value in paths(json.loads(text)).items():
        assert json.loads(document.raw(path)) == value
        assert document.value(path) == value


@given(TEXTS, st.text(st.characters()), st.data())
def test_a_replaced_value_is_the_only_thing_that_differs(
    text: str, new: str, data: st.DataObject
) -> None:
    body = text.encode()
    document = Document(body)
    path = data.draw(st.sampled_from(list(paths(json.loads(text)))))
    start, end = document.span(path)
    edited = replaced(body, {Span(start, end): quoted(new)})
    assert edited[:start] == body[:start]
    assert edited[len(edited) - len(body) + end :] == body[end:]
    after = paths(json.loads(edited))
    for other, value in paths(json.loads(text)).items():
        if other == path:
            assert after[other] == new
        elif other[: len(path)] != path and path[: len(other)] != other:
            assert after[other] == value


def test_with_nothing_to_replace_it_is_the_same_object() -> None:
    body = b'{"a": 1}'
    assert replaced(body, {}) is body


def test_several_edits_are_made_in_their_own_places() -> None:
    body = b'["a", "b", "c"]'
    spans = Document(body).elements(())
    assert replaced(body, {spans[2]: b'"z"', spans[0]: b'"xx"'}) == b'["xx", "b", "z"]'


@pytest.mark.parametrize(
    ("body", "cut", "left"),
    [
        (b'["a","b","c"]', 1, b'["a","c"]'),
        (b'["a" , "b" ,\n"c"]', 2, b'["a" , "b"]'),
        (b'["a" , "b" ,\n"c"]', 1, b'["a" ,\n"c"]'),
    ],
)
def test_a_cut_element_goes_with_the_comma_before_it(body: bytes, cut: int, left: bytes) -> None:
    assert replaced(body, {Document(body).cut((cut,)): b""}) == left


def test_cuts_in_a_row_do_not_overlap() -> None:
    body = b'["a","b","c","d"]'
    document = Document(body)
    assert replaced(body, {document.cut((1,)): b"", document.cut((2,)): b""}) == b'["a","d"]'


@pytest.mark.parametrize("path", [("a", 0), ("b",), ("a", "b"), (0,), (5,)])
def test_what_is_not_there_is_an_error_of_its_own(path: tuple[str | int, ...]) -> None:
    with pytest.raises(WireError):
        Document(b'{"a": {}}').span(path)


@pytest.mark.parametrize("path", [(), ("a",), (0,)])
def test_the_first_element_cannot_be_cut(path: tuple[str | int, ...]) -> None:
    with pytest.raises(WireError, match=r"another before it|no value"):
        Document(b'["a"]').cut(path or ("x",))


def test_elements_that_are_known_are_not_looked_for_again() -> None:
    body = b'[{"a":1}, {"b":2},{"c":3}]'
    known = elements(body, Span(0, len(body)))
    for count in range(4):
        assert elements(body, Span(0, len(body)), known[:count]) == known


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b" ",
        b"{",
        b"}",
        b'{"a"}',
        b'{"a":}',
        b'{"a":1,}',
        b"{1:2}",
        b'{"a":tru}',
        b"[1,]",
        b"[,]",
        b"[1 2]",
        b"[1",
        b"]",
        b'["a]',
        b"nul",
        b"01",
        b"NaN",
        b"\xff",
        b'"\xff"',
        b'["\\x"]',
        b'{"a":1}{',
        b"[NaN]",
        b"[-Infinity]",
        b'{"a":1 "b":2}',
        b"\xef\xbb\xbf{}",
    ],
)
def test_what_is_no_json_is_an_error_of_its_own(body: bytes) -> None:
    with pytest.raises(WireError):
        decoded(body)
    span = Span(0, len(body))
    for question in (members, elements):
        with pytest.raises(WireError):
            question(body, span)


def test_bytes_that_are_no_utf8_are_an_error_where_they_are_decoded() -> None:
    document = Document(b'["\xed\xa0\x80", 1]')
    assert document.value((1,)) == 1
    with pytest.raises(WireError):
        document.value((0,))


@pytest.mark.parametrize("text", ["[" * 100_000, "[" * 100_000 + "]" * 100_000, '{"a":' * 100_000])
def test_depth_is_an_error_and_never_a_crash(text: str) -> None:
    with pytest.raises(WireError):
        decoded(text.encode())
    with pytest.raises(WireError):
        Document(text.encode()).value(())


def test_depth_beside_the_path_asked_for_is_an_error_too() -> None:
    deep = b'{"a": ' + b"[" * 100_000 + b"]" * 100_000 + b', "b": 1}'
    with pytest.raises(WireError, match="too deeply"):
        Document(deep).span(("b",))


@pytest.mark.parametrize("digits", [100, 5_000, 100_000])
def test_numbers_of_any_size_are_read(digits: int) -> None:
    assert decoded(b"1" * digits) is not None
    assert Document(b'{"n":' + b"1" * digits + b',"a":2}').value(("a",)) == 2


@given(st.text(st.characters()))
def test_a_quoted_text_is_the_text_again(text: str) -> None:
    assert json.loads(quoted(text)) == text
    quoted(text).decode()  # and UTF-8, surrogates or not


@given(TEXTS)
def test_equal_values_have_one_encoding(text: str) -> None:
    value = json.loads(text)
    again = json.loads(json.dumps(value, sort_keys=True))
    assert encoded(value) == encoded(again)
