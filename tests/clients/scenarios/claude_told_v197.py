"""`claude_told`, as an older client is told."""

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parent))
import claude_told as given  # type: ignore[import-not-found]

CLIENT = "claude"
NAME = "told_v197"
SCRIPT = given.SCRIPT
STEPS = given.steps("claude197", "claude-opus-4-8")
