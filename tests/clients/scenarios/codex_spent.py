"""Codex in its classic form: patches and here-documents that later ones write over."""

import sys
from pathlib import Path

import codex_common as given  # type: ignore[import-not-found]  # of the harness

sys.path.append(str(Path(__file__).parent))
from spent import FIRST, PATH, THIRD  # type: ignore[import-not-found]


def added(text: str) -> str:
    lines = "".join(f"+{line}\n" for line in text.splitlines())
    return f"*** Begin Patch\n*** Add File: {PATH}\n{lines}*** End Patch\n"


CHANGE = """*** Begin Patch
*** Update File: app/errors.py
@@
-    code = 1
-
-    def told(self):
-        return 'first'
+    code = 2
+
+    def told(self):
+        return 'second'
*** End Patch
"""
OVER = given.ec(f"cat <<'EOF' > {PATH}\n{THIRD}EOF")
TURNS = [
    {"text": "Add.", "calls": [["apply_patch", added(FIRST)]]},
    {"text": "Change.", "calls": [["apply_patch", CHANGE]]},
    {"text": "Write over.", "calls": [OVER]},
    {"text": "Twice in one.", "calls": [["apply_patch", added(FIRST)], OVER]},
    {"text": "Look.", "calls": [given.ec("true")]},
    {"text": "End."},
]
CLIENT = "codex"
NAME = "spent"
SCRIPT = {"[[MAIN]]": TURNS}
FILES = {".codex/config.toml": given.CONFIG, **given.PROFILE}
STEPS = given.steps(model="gpt-5.5")[:1]
