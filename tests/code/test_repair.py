"""One damaged line costs the definition it stands in, and no other."""

import pytest

from statetape.code import languages

TEXT = """import os

LIMIT = 1


def first(a):
    return a


class K:
    \"\"\"What it is.\"\"\"

    size = 1

    @property
    def one(self):
        return [1,
            2]

    def two(self):
        def inner():
            return 2
        return inner()


def last():
    return K()
"""
BROKEN = (
    ("    return a\n", "    return (a\n", {"first"}),
    ("def first(a):", "def first(a)", {"first"}),
    ("def first(a):", "def first(a", {"first"}),
    ("    size = 1", "    size = (1", {"K.size"}),
    ("    def two(self):", "    def new(self, x\n\n    def two(self):", {"K"}),
    ("        return [1,", "        return [1", {"K.one"}),
    ("            return 2\n", "            return {2\n", {"K.two.inner"}),
    ("LIMIT = 1", "LIMIT = (1", {"LIMIT"}),
    ("LIMIT = 1", "<<<<<<< ours\nLIMIT = 1\n=======\nLIMIT = 2\n>>>>>>> theirs", set[str]()),
    ('    """What it is."""', '    """What it is.', {"K"}),
    ("    return K()\n", '    return """K()\n', {"last"}),
)


@pytest.mark.parametrize(("old", "new", "changed"), BROKEN)
def test_a_damaged_line_costs_its_own_definition(old: str, new: str, changed: set[str]) -> None:
    before, after = (
        {definition.name: definition.digest for definition in facts.definitions}
        for facts in (
            languages.facts("a.py", TEXT.encode()),
            languages.facts("a.py", TEXT.replace(old, new).encode()),
        )
    )
    assert old in TEXT
    assert {name for name in before if name and after.get(name) != before[name]} == changed


def test_broken_text_says_so() -> None:
    assert not languages.facts("a.py", TEXT.encode()).broken
    assert languages.facts("a.py", (TEXT + "(").encode()).broken


BLOCKS = '''import os

try:
    from fast import load
    SPEED = 2
except ImportError:
    SPEED = 1
    if os.name == "nt":
        NAME = "w"
        SHELL = (
            "cmd"
        )

LAST = """
text of
several lines
"""
'''


@pytest.mark.parametrize(
    ("old", "new", "changed"),
    [
        ('NAME = "w"', 'NAME = ("w"', {"NAME"}),
        ("import os", "import os (", set[str]()),
        ("    from fast import load", "    from fast import (", set[str]()),
        ('            "cmd"', '            "cmd', {"SHELL"}),
    ],
)
def test_a_damaged_statement_in_a_block_costs_its_own_name(
    old: str, new: str, changed: set[str]
) -> None:
    before, after = (
        {definition.name: definition.digest for definition in facts.definitions}
        for facts in (
            languages.facts("a.py", BLOCKS.encode()),
            languages.facts("a.py", BLOCKS.replace(old, new).encode()),
        )
    )
    assert old in BLOCKS
    assert before.keys() >= {"NAME", "SHELL", "SPEED", "LAST"}
    assert {name for name in before if name and after.get(name) != before[name]} == changed
