"""Files that are shown in the client's own words, then edited: mentions, and notes of changes."""

from claude_common import ENV, B, E, R  # type: ignore[import-not-found]  # of the harness

CLIENT = "claude"
NAME = "told"
_HAND = "(sleep 0.3; sed -i 's/def slugify/def slug/' app/helpers.py) >/dev/null 2>&1 &"
_WHO = {"subagent_type": "general-purpose", "run_in_background": False}
_LOOK = ["Agent", {"description": "edit", "prompt": "[[SUB]] edit", **_WHO}]
SCRIPT = {
    "[[MAIN]]": [
        {"text": "mentioned", "calls": [E("app/server.py", "My Server", "Our Server")]},
        {"text": "read", "calls": [R("app/helpers.py"), R("app/config.py")]},
        {"text": "edit", "calls": [E("app/helpers.py", "legacy_helper", "old_helper")]},
        {"text": "edit", "calls": [E("app/config.py", "REQUIRED", "NEEDED", replace_all=True)]},
        {"text": "another hand", "calls": [B(_HAND)]},
        {"text": "wait", "calls": [B("sleep 1")]},
        {"text": "delegate", "calls": [_LOOK]},
        {"text": "look", "calls": [B("git status --short")]},
        {"text": "noted", "calls": [E("app/helpers.py", "def slug", "def my_slug")]},
        {"text": "and there", "calls": [E("app/config.py", "WANTED", "ASKED", replace_all=True)]},
        {"text": "rm", "calls": [B("rm app/server.py")]},
        {"text": "end"},
        {"text": "again", "calls": [E("app/helpers.py", "def my_slug", "def slug")]},
        {"text": "end of the second prompt"},
    ],
    "[[SUB]]": [
        {"text": "read", "calls": [R("app/config.py")]},
        {"text": "edit", "calls": [E("app/config.py", "NEEDED", "WANTED", replace_all=True)]},
        {"text": "report"},
    ],
}
_ARGS = ["--dangerously-skip-permissions", "--output-format", "stream-json", "--verbose"]
_FIRST = "[[MAIN]] Rename @app/server.py and @app/config.py#L1-12"
_SECOND = "on with @app/yaml_io.py and @app/helpers.py"


def steps(client: str, *model: str) -> list[dict[str, object]]:
    """Two prompts to a client; `model`: none, or the name of one."""
    chosen = ["--model", *model] if model else []
    return [
        {"argv": [client, "-p", *prompt, *chosen, *_ARGS], "env": ENV, "timeout": 100}
        for prompt in ([_FIRST], ["--continue", _SECOND])
    ]


STEPS = steps("claude")
