"""`claude_rewrite` without a rewriting proxy of its own, which would pass the shim by."""

import claude_rewrite as given  # type: ignore[import-not-found]  # of the harness

CLIENT = "claude"
NAME = "rewrite_through"
SCRIPT = given.SCRIPT
STEPS = given.steps()[:2]
