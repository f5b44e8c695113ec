"""A compaction by the client, which then tells of the files that it had read; edits of those."""

from claude_common import ARGS, ENV, B, E, R  # type: ignore[import-not-found]  # of the harness

CLIENT = "claude"
NAME = "compact_told"
_FULL = {"input_tokens": 10, "cache_read_input_tokens": 192_000}
SCRIPT = {
    "[[MAIN]]": [
        {"text": "read", "calls": [R("app/config.py"), R("app/helpers.py")]},
        {"text": "compact", "calls": [R("app/server.py"), B("echo hi")], "usage": _FULL},
        {"text": "edit", "calls": [E("app/config.py", "REQUIRED", "NEEDED", replace_all=True)]},
        {"text": "edit", "calls": [E("app/helpers.py", "legacy_helper", "older_helper")]},
        {"text": "end"},
        {"text": "end"},
    ]
}
STEPS = [
    {
        "argv": ["claude", "-p", *prompt, *ARGS],
        "env": {**ENV, "CLAUDE_CODE_AUTO_COMPACT_WINDOW": "100000"},
        "timeout": 100,
    }
    for prompt in (["[[MAIN]] go"], ["--continue", "[[MAIN]] go on"])
]
