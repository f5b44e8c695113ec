"""Reports as pages, pictures and Markdown: whatever words come in are words."""

import re
from collections.abc import Iterator
from pathlib import Path
from xml.etree.ElementTree import Element, fromstring

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.cli.test_page import browsed

from statetape.cli.bench.document import Document, Figure, Section, Table, between, ratio, share
from statetape.cli.bench.drawn import Bar, Curve, Part, curves, legend, lying, stacked
from statetape.cli.bench.written import markdown, page

HOSTILE = "</td><script>document.title='no'</script><img src=x onerror=alert(1)> \"'&|$title"


def document(words: str) -> Document:
    table = Table(words, (words, "n"), [(words, "1")])
    picture = lying([Bar(words, (Part("both", 3, words),))], "tokens", words)
    figure = Figure(words, picture, legend([("both", words)]), table)
    return Document(words, [words], [Section(words, [words, table, figure])])


def test_words_of_a_report_are_no_markup() -> None:
    text = page(document(HOSTILE))
    assert "<script" not in text
    assert "<img" not in text
    assert text.count("&lt;script&gt;") >= 8


def test_a_table_of_markdown_keeps_its_columns() -> None:
    lines = markdown(document(HOSTILE)).splitlines()
    rows = [line for line in lines if line.startswith("| ")]
    assert {len(re.findall(r"(?<!\\)\|", row)) for row in rows} == {3}


def parsed(picture: str) -> Element:
    return fromstring(picture)  # noqa: S314 (our own)


def shapes(picture: str, name: str) -> Iterator[dict[str, str]]:
    return (dict(each.attrib) for each in parsed(picture).iter(name))


def test_bars_stand_on_each_other_and_are_as_high_as_they_count() -> None:
    bar = Bar("1", (Part("unneeded", 30, "a"), Part("both", 10, "b")))
    lower, upper = shapes(stacked([("ours", [bar])], "tokens", "x"), "rect")
    assert float(lower["height"]) == pytest.approx(3 * float(upper["height"]), abs=0.2)
    assert float(upper["y"]) + float(upper["height"]) == pytest.approx(float(lower["y"]), abs=0.2)


def test_all_lying_bars_are_as_long() -> None:
    bars = [Bar("a", (Part("x", 1, ""), Part("y", 3, ""))), Bar("b", (Part("x", 900, ""),))]
    long = [float(each["width"]) for each in shapes(lying(bars, "tokens", "x"), "rect")]
    assert long[0] + long[1] == pytest.approx(long[2], abs=0.2)
    assert long[1] == pytest.approx(3 * long[0], abs=0.3)


def test_a_gap_breaks_a_curve() -> None:
    line = Curve("a", "l0", (1.0, None, 2.0, 3.0))
    (path,) = shapes(curves(list("abcd"), [line], "CE", "x"), "path")
    assert re.sub(r"[\d. ]+", "", path["d"]) == "MML"
    assert len(list(shapes(curves(list("abcd"), [line], "CE", "x"), "circle"))) == 3


def test_values_that_differ_much_stand_apart_by_powers() -> None:
    line = Curve("a", "l0", (1.0, 10.0, 1000.0))
    high = [float(each["cy"]) for each in shapes(curves(list("abc"), [line], "CE", "x"), "circle")]
    assert high[1] - high[2] == pytest.approx(2 * (high[0] - high[1]), abs=0.3)


values = st.one_of(st.none(), st.floats(0, 1e12))


@given(st.lists(st.lists(values, min_size=3, max_size=3), max_size=4), st.text())
def test_any_values_can_be_drawn(lines: list[list[float | None]], words: str) -> None:
    made = [Curve("a", "l0", tuple(line)) for line in lines]
    for each in shapes(curves(list("abc"), made, "CE", "x"), "circle"):
        assert 0 <= float(each["cy"]) <= 300
    sizes = [value for line in lines for value in line if value is not None]
    bar = Bar("a", tuple(Part("both", size, "a") for size in sizes))
    parsed(stacked([("a", [bar]), ("b", [])], "tokens", "x"))
    parsed(lying([bar], "tokens", "x"))
    assert "<script" not in page(document(words))


def test_figures_are_said_with_their_units() -> None:
    assert (share(0.7421), share(None)) == ("74.2 %", "-")
    assert (ratio(6.184), ratio(0.03456), ratio(1234.4), ratio(None)) == (
        "6.18", "0.0346", "1,234", "-"
    )  # fmt: skip
    assert between((0.1, 0.25), of_shares=True) == "10.0 to 25.0 %"
    assert (between((1.0, 2.5)), between(None)) == ("1.00 to 2.50", "-")


def test_a_browser_shows_the_page_and_runs_nothing(tmp_path: Path) -> None:
    found = browsed(page(document(HOSTILE)), tmp_path)
    assert "<title>&lt;/td&gt;" in found
    assert found.count("<details>") == 1
