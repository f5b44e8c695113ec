"""A reference patch as hunks of the files at the start."""

from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.bench.sessions import Told, before_edits, regions

from statetape.bench.chronicle import Chronicle
from statetape.bench.patch import patch_hunks
from statetape.bench.references import Jedi
from statetape.errors import BadInput

LIB = "def parse(text):\n    return text\n"
USE = "from lib import parse\n\n\ndef use(text):\n    return parse(text)\n\n\ndef more(text):\n    return parse(text)\n"  # noqa: E501
PATCH = """\
diff --git a/use.py b/use.py
--- a/use.py
+++ b/use.py
@@ -4,5 +4,5 @@
 def use(text):
-    return parse(text)
+    return parse(text, 1)
{0}
{0}
 def more(text):
""".format(" ")
TESTS = """--- a/tests/test_use.py
+++ b/tests/test_use.py
@@ -1,2 +1,2 @@
 def test():
-    parse(1)
+    parse(2)
"""


def told(folder: Path) -> Told:
    tests = "def test():\n    parse(1)\n"
    session = Told(folder, {"lib.py": LIB, "use.py": USE, "tests/test_use.py": tests})
    session.edit("lib.py", "def parse(text):", "def parse(text, strict):")
    session.read("use.py")
    session.edit("use.py", "def more(text):\n    return parse(text)",
                 "def more(text):\n    return parse(text, 2)")  # fmt: skip
    return session


def test_its_hunks_are_outstanding_and_not_the_later_edits(tmp_path: Path) -> None:
    first = before_edits(told(tmp_path).labelled())[0]
    assert regions(first, "G3") == [("use.py", "more", 8, 9)]
    first = before_edits(told(tmp_path).labelled(patch=PATCH + TESTS))[0]
    assert regions(first, "G3") == [("use.py", "use", 4, 5)]


def test_a_hunk_that_an_edit_has_touched_is_outstanding_no_more(tmp_path: Path) -> None:
    session = Told(tmp_path, {"lib.py": LIB, "use.py": USE})
    session.edit("use.py", "def use(text):\n    return parse(text)",
                 "def use(text):\n    return parse(text) + 1")  # fmt: skip
    session.read("lib.py")
    session.edit("lib.py", "def parse(text):", "def parse(text, strict):")
    last = before_edits(session.labelled(patch=PATCH))[-1]
    assert regions(last, "G3") == []


@pytest.fixture(scope="module")
def chronicle(tmp_path_factory: pytest.TempPathFactory) -> Chronicle:
    with Jedi() as references:
        return told(tmp_path_factory.mktemp("session")).walked(references).story.chronicle


ROWS = st.sampled_from([
    "--- a/use.py", "+++ b/use.py", "--- /dev/null", "@@ -4,2 +4,2 @@", "@@ -0,0 +1 @@",
    "@@ -0,3 +1 @@", "@@ -99999999999,2 +1 @@", " def use(text):", "-    return parse(text)", "-",
    "+", " ", "", "\\ No newline at end of file", "\udc80", "diff --git a/use.py b/use.py",
])  # fmt: skip


@given(st.lists(st.one_of(ROWS, st.text(max_size=20)), max_size=12))
def test_any_text_is_hunks_or_bad_input(chronicle: Chronicle, rows: list[str]) -> None:
    with suppress(BadInput):
        for hunk in patch_hunks("\n".join(rows), chronicle):
            assert set(hunk.old) <= set(chronicle.at(hunk.path, 0).numbers)


@pytest.mark.parametrize(("patch", "why"), [
    ("hello", "no hunks"),
    (PATCH.replace("return parse(text)\n", "return other(text)\n", 1), "does not fit use.py"),
    (PATCH.replace("@@ -4,5", "@@ -400,5"), "does not fit use.py"),
    ("--- a/use.py\n+++ b/use.py\n@@ -1,2 +1,2 @@\nbroken\n", "broken at line 4"),
])  # fmt: skip
def test_what_is_no_patch_of_these_files_is_bad_input(tmp_path: Path, patch: str, why: str) -> None:
    with pytest.raises(BadInput, match=why):
        told(tmp_path).labelled(patch=patch)
