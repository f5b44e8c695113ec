"""`claude_rewrite_v197` without a rewriting proxy of its own, which would pass the shim by."""

import claude_rewrite_v197 as given  # type: ignore[import-not-found]  # of the harness

CLIENT = "claude"
NAME = "rewrite_through_v197"
SCRIPT = given.SCRIPT
STEPS = given.steps(model="claude-opus-4-8", claude="claude197")[:2]
