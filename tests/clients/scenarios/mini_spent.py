"""mini-swe-agent: here-documents that later ones write over."""

import sys
from pathlib import Path

import mini_common as given  # type: ignore[import-not-found]  # of the harness

sys.path.append(str(Path(__file__).parent))
from spent import FIRST, PATH, SECOND, THIRD  # type: ignore[import-not-found]


def put(text: str) -> list[object]:
    call: list[object] = given.B(f"cat <<'EOF' > {PATH}\n{text}EOF")
    return call


TURNS = [
    {"text": "Write.", "calls": [put(FIRST)]},
    {"text": "Write over.", "calls": [put(SECOND)]},
    {"text": "Twice in one.", "calls": [put(FIRST), put(THIRD)]},
    {"text": "Look.", "calls": [given.B("true")]},
    {"text": "Submit.", "calls": [given.B("echo COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT")]},
]
CLIENT = "mini"
NAME = "spent"
SCRIPT = {"[[MAIN]]": TURNS}
_ASKED = ["-m", "openai/my-model", "-o", "{HOME}/traj.json", "-t", "[[MAIN]] Write."]
STEPS = [
    {
        "argv": ["mini", "-y", "--exit-immediately", "-l", "0", *_ASKED],
        "env": {**given.E, "OPENAI_API_BASE": "{BASE}/v1"},
        "timeout": 120,
    }
]
