"""`claude_told`, as an older model is told."""

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parent))
import claude_told as given  # type: ignore[import-not-found]

CLIENT = "claude"
NAME = "told_haiku45"
SCRIPT = given.SCRIPT
STEPS = given.steps("claude", "claude-haiku-4-5")
