"""Python that CPython refuses: what is read of it, and on which lines."""

import ast
import random
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from statetape.code.resolve.python_lenient import read

WHOLE = """\
import os
if os:
    def f():
        for x in y:
            g(x)
        return 1
    z = (
        2)
class A:
    b = 1
    def c(self): 0
w = {'k': f}
"""


def said(text: str) -> list[tuple[int, str]]:
    """The statements that are read, each with its line; not those without a meaning."""
    found = read(text)
    nodes = ast.walk(found.tree) if found else ()
    return sorted(
        (node.lineno, type(node).__name__ + ast.unparse(node).split("\n")[0])
        for node in nodes
        if isinstance(node, ast.stmt) and not isinstance(node, ast.Pass)
    )


@pytest.mark.parametrize("blanks", ["   ", "\t", "         "])
@pytest.mark.parametrize("line", [1, 6, 7, 12])
def test_a_line_too_far_right_says_what_it_said(line: int, blanks: str) -> None:
    lines = WHOLE.split("\n")
    lines[line - 1] = blanks + lines[line - 1]
    assert said("\n".join(lines)) == said(WHOLE)


@pytest.mark.parametrize("header", ["if a:", "for a in b:  # c: d", "def n(a):", "else:", "@a"])
def test_a_header_of_nothing_leaves_the_others(header: str) -> None:
    lines = WHOLE.split("\n")
    for at in (1, 3, 5, 11):
        blank = lines[at][: len(lines[at]) - len(lines[at].lstrip())]
        text = "\n".join([*lines[:at], blank + header, *lines[at:]])
        expected = {(n + (n > at), words) for n, words in said(WHOLE)}
        assert expected <= set(said(text)) or (header, at) == ("@a", 1), (header, at)


def test_a_try_without_an_end_is_a_block() -> None:
    assert said("try:\n    a()\n    try:\n        b()\n    except E:\n        c()\nd()\n") == [
        (1, "Ifif 1:"),
        (2, "Expra()"),
        (3, "Trytry:"),
        (4, "Exprb()"),
        (6, "Exprc()"),
        (7, "Exprd()"),
    ]


def test_a_condition_without_colon_leaves_what_stands_under_it() -> None:
    lines = WHOLE.split("\n")
    for at in (1, 2, 3, 8):
        comment = "  # é: to come" if at % 2 else ""
        damaged = [*lines[:at], lines[at].replace(":", comment), *lines[at + 1 :]]
        assert said("\n".join(damaged)) == said(WHOLE), at


def test_of_a_conflict_one_side_is_read() -> None:
    lines = WHOLE.split("\n")
    for at in (0, 2, 4, 10):
        marked = ["<<<<<<< a", lines[at], "=======", lines[at] + "  # é", ">>>>>>> b"]
        text = "\n".join([*lines[:at], *marked, *lines[at + 1 :]])
        assert [words for _, words in said(text)] == [words for _, words in said(WHOLE)], at


def test_the_text_is_the_one_that_was_parsed() -> None:
    found = read("  a = f(1)\n b = 2\n")
    assert found is not None
    assert found.text == "a = f(1)\nb = 2\n"
    assert ast.dump(found.tree) == ast.dump(ast.parse(found.text))


def test_too_much_damage_is_not_read() -> None:
    assert read("1 +\n" * 40) is None
    assert read("") is not None


@given(st.lists(st.sampled_from([*WHOLE.split("\n"), "try:", "@a", "\tx", "'''", ")", "def"])))
def test_any_lines_are_read_or_not(lines: list[str]) -> None:
    text = "\n".join(lines)
    found = read(text)
    if found is not None:
        assert len(found.text.split("\n")) == len(lines or [""])
        ast.parse(found.text)


def test_one_shifted_line_leaves_the_statements_of_real_files() -> None:
    chance = random.Random(1)  # noqa: S311 -- the same lines each time
    files = sorted(Path(ast.__file__).parent.glob("[a-d]*.py"))
    read_at_all = same = 0
    for file in chance.sample(files, 12):
        lines = file.read_text(errors="replace").split("\n")
        at = chance.choice([i for i, line in enumerate(lines) if line.strip()])
        damaged = [*lines[:at], "   " + lines[at], *lines[at + 1 :]]
        found = read("\n".join(damaged))
        read_at_all += found is not None
        same += found is not None and len(said("\n".join(lines))) == len(said("\n".join(damaged)))
    assert read_at_all == 12
    assert same >= 11
