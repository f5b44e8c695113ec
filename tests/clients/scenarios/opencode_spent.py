"""opencode: edits that later ones write over."""

import sys
from pathlib import Path

import opencode_common as given  # type: ignore[import-not-found]  # of the harness

sys.path.append(str(Path(__file__).parent))
from spent import FIRST, PATH, SECOND, THIRD  # type: ignore[import-not-found]

TURNS = [
    {"text": "Write.", "calls": [given.W(PATH, FIRST)]},
    {"text": "Edit.", "calls": [given.E(PATH, FIRST, SECOND)]},
    {"text": "Write over.", "calls": [given.W(PATH, THIRD)]},
    {"text": "By the shell.", "calls": [given.B(f"cat <<'EOF' > {PATH}\n{SECOND}EOF")]},
    {"text": "Look.", "calls": [given.B("true")]},
    {"text": "End."},
]
CLIENT = "opencode"
NAME = "spent"
SCRIPT = {"[[MAIN]]": TURNS}
FILES = given.FILES
STEPS = given.steps("anthropic/claude-sonnet-4-5")[:1]
