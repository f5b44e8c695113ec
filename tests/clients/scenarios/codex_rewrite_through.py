"""`codex_rewrite` without a rewriting proxy of its own, which would pass the shim by."""

import codex_rewrite as given  # type: ignore[import-not-found]  # of the harness

CLIENT = "codex"
NAME = "rewrite_through"
SCRIPT = given.SCRIPT
FILES = {".codex/config.toml": given.CONFIG, **given.PROFILE}
STEPS = given.STEPS
