import pytest
from hypothesis import given
from hypothesis import strategies as st

from statetape.agents.patch import edits, patched, replaced
from statetape.types import Edit

_PATCH = """*** Begin Patch
*** Add File: docs/new.md
+# Title
+
+text
*** Update File: src/a.py
*** Move to: src/b.py
@@ def second():
-    return 1
+    return 2
@@
     tail
*** End of File
*** Delete File: old.txt
*** End Patch"""


def test_every_kind_of_section_becomes_an_edit() -> None:
    assert edits(_PATCH) == (
        Edit("docs/new.md", content="# Title\n\ntext\n"),
        Edit(
            "src/a.py",
            moved_to="src/b.py",
            patch=(
                ("def second():\n", "def second():\n"),
                ("    return 1\n", "    return 2\n"),
                ("    tail", "    tail\n"),
            ),
        ),
        Edit("old.txt", absent=True),
    )


@pytest.mark.parametrize(
    "text",
    [
        "*** Update File: a\n@@\n-x\n+y\n",
        "apply_patch <<'EOF'\n*** Begin Patch\n*** Update File: a\n-x\n+y\n*** End Patch\nEOF\n",
        "  *** Begin Patch\n *** Update File:  a \n@@\n-x\n+y\n*** End Patch  \n\n",
        "*** Begin Patch\r\n*** Update File: a\r\n@@\r\n-x\r\n+y\r\n*** End Patch\r\n",
    ],
)
def test_a_patch_is_read_as_leniently_as_codex_reads_it(text: str) -> None:
    assert edits(text) == (Edit("a", patch=(("x\n", "y\n"),)),)


def test_a_context_line_that_looks_like_a_header_is_context() -> None:
    text = "*** Update File: a\n@@\n *** Delete File: b\n-x\n+y\n"
    old, new = "*** Delete File: b\nx\n", "*** Delete File: b\ny\n"
    assert edits(text) == (Edit("a", patch=((old, new),)),)


def test_a_text_that_is_no_patch_has_no_edits() -> None:
    assert edits("echo *** not a patch\n+ nothing") == ()


@pytest.mark.parametrize(
    ("text", "hunks", "expected"),
    [
        ("a\nb\nc\n", (("b\n", "B\n"),), "a\nB\nc\n"),
        ("a\nb\nc", (("b\n", "B\n"),), "a\nB\nc\n"),
        ("b\nb\n", (("b\n", "1\n"), ("b\n", "2\n")), "1\n2\n"),
        ("f\nx\ng\nx\n", (("g\n", "g\n"), ("x\n", "y\n")), "f\nx\ng\ny\n"),
        ("x\nq\nx\n", (("x", "y\n"),), "x\nq\ny\n"),
        ("a  \nb\n", (("a\nb\n", "c\n"),), "c\n"),
        ("    a\nb\n", (("a\nb\n", "c\n"),), "c\n"),
        ("say \u201chi\u201d\n", (('say "hi"\n', "bye\n"),), "bye\n"),
        ("a\n", (("", "b\n"),), "a\nb\n"),
        ("", (("", "b\n"),), "b\n"),
        ("a\nb\n", (("b\n\n", "c\n\n"),), "a\nc\n"),
        ("a\n", (("z\n", "y\n"),), None),
        ("b\na\n", (("a\n", "A\n"), ("b\n", "B\n")), None),
        ("  ctx\na\n", (("ctx\n", "ctx\n"), ("a\n", "b\n")), "  ctx\nb\n"),
    ],
)
def test_hunks_apply_as_codex_applies_them(
    text: str, hunks: tuple[tuple[str, str], ...], expected: str | None
) -> None:
    assert patched(text, hunks) == expected


_LINES = st.lists(st.text("ab \t", max_size=4), max_size=12)


@given(_LINES, st.data())
def test_a_hunk_made_from_the_text_applies_there(lines: list[str], data: st.DataObject) -> None:
    text = "".join(f"{number}{line}\n" for number, line in enumerate(lines))
    start = data.draw(st.integers(0, len(lines)))
    stop = data.draw(st.integers(start, len(lines)))
    own = text.splitlines(keepends=True)
    old = "".join(own[start:stop])
    expected = "".join([*own[:start], "new\n", *own[stop:]]) if old else text + "new\n"
    assert patched(text, ((old, "new\n"),)) == expected


@given(st.text("*+-@ \nabEndFileUpdate:PtchBgiMovo", max_size=300), st.text("ab\n ", max_size=60))
def test_no_text_raises(text: str, file: str) -> None:
    for edit in edits("*** Update File: x\n" + text) + edits(text):
        patched(file, edit.patch)


def test_ten_thousand_lines_take_no_time() -> None:
    lines = ["same"] * 10_000
    text = "\n".join(lines)
    assert patched(text, (("same\n" * 50 + "other\n", "x\n"),)) is None
    assert len(edits("*** Update File: x\n" + "-a\n+b\n" * 5_000)[0].patch[0][0]) == 10_000


@pytest.mark.parametrize(
    ("text", "old", "new", "every", "expected"),
    [
        ("abc", "b", "x", False, "axc"),
        ("abab", "a", "x", True, "xbxb"),
        ("abab", "a", "x", False, None),
        ("abc", "z", "x", False, None),
        ("abc", "z", "x", True, None),
        ("", "", "new", False, "new"),
        ("full", "", "new", False, None),
        ("a$1b", "$1", "\\1", False, "a\\1b"),
    ],
)
def test_a_replacement(text: str, old: str, new: str, *, every: bool, expected: str | None) -> None:
    assert replaced(text, old, new, every=every) == expected
