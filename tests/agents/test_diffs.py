import difflib

from hypothesis import given
from hypothesis import strategies as st

from statetape.agents.diffs import DiffedFile, DiffHunk, edits, unified
from statetape.types import Edit

_GIT = """diff --git a/x.py b/x.py
index 111..222 100644
--- a/x.py
+++ b/x.py
@@ -1,2 +1,3 @@ def f():
 a
-b
+c
+d
@@ -9,0 +11 @@
+q
\\ No newline at end of file
diff --git a/old.py b/new.py
similarity index 100%
rename from old.py
rename to new.py
diff --git a/gone b/gone
deleted file mode 100644
--- a/gone
+++ /dev/null
@@ -1 +0,0 @@
-x
"""


def test_the_edits_of_a_diff() -> None:
    assert edits(_GIT) == (
        Edit("x.py", patch=(("a\nb\n", "a\nc\nd\n"), ("", "q\n"))),
        Edit("old.py", moved_to="new.py"),
        Edit("gone", absent=True),
    )
    assert edits("--- /dev/null\n+++ b/n\n@@ -0,0 +1,2 @@\n+x\n+y\n") == (
        Edit("n", content="x\ny\n"),
    )
    plain = "--- m.py.orig\n+++ m.py\n@@ -1 +1 @@\n-x\n+y\n"
    assert edits(plain) == (Edit("m.py", patch=(("x\n", "y\n"),)),)
    assert edits("@@ -1 +1 @@\n-x\n+y\n") == ()


def test_a_git_diff() -> None:
    assert unified(_GIT) == (
        DiffedFile(
            "x.py",
            "x.py",
            (DiffHunk(1, ("a", "b"), ("a", "c", "d")), DiffHunk(9, (), ("q",))),
        ),
        DiffedFile("old.py", "new.py", ()),
        DiffedFile("gone", None, (DiffHunk(1, ("x",), ()),)),
    )


def test_lines_that_look_like_headers_inside_a_hunk() -> None:
    diff = "--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n--- old\n+++ new\n kept\n"
    hunk = DiffHunk(1, ("-- old", "kept"), ("++ new", "kept"))
    assert unified(diff) == (DiffedFile("x", "x", (hunk,)),)


def test_bare_hunks_have_no_paths() -> None:
    assert unified("@@ -3 +3 @@\n-a\n+b\n") == (DiffedFile("", "", (DiffHunk(3, ("a",), ("b",)),)),)


def test_a_text_that_is_no_diff() -> None:
    assert unified("hello\nworld") == ()


_LINES = st.lists(st.text("ab", max_size=3), max_size=12)


@given(_LINES, _LINES, st.integers(0, 3))
def test_hunks_lead_from_one_text_to_the_other(old: list[str], new: list[str], n: int) -> None:
    diff = "\n".join(difflib.unified_diff(old, new, "a/x", "b/x", lineterm="", n=n))
    files = unified(diff)
    assert len(files) == (old != new)
    text = list(old)
    for hunk in reversed(files[0].hunks if files else ()):
        at = hunk.first - 1 if hunk.old else hunk.first
        assert tuple(text[at : at + len(hunk.old)]) == hunk.old
        text[at : at + len(hunk.old)] = hunk.new
    assert text == new


@given(st.text("@-+ 0123456789,\nab\\/devnullrenamfromtgi", max_size=300))
def test_no_text_raises(text: str) -> None:
    unified(text)


def test_a_hunk_ends_where_its_range_says() -> None:
    hunk = DiffHunk(1, ("a",), ("a",))
    assert unified("@@ -1 +1 @@\n a\n+no line of it\n") == (DiffedFile("", "", (hunk,)),)


def test_a_number_of_any_length_is_no_fault() -> None:
    assert unified(f"@@ -{'9' * 5000} +1 @@\n-a\n+b\n") == ()
