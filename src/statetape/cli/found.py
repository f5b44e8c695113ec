"""What the agents' own configuration files say, as far as the wiring has to know."""

import json
import os
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from statetape.shim.wiring import Found


def found(environment: Mapping[str, str], folder: Path) -> Found:
    """What agents started in `folder` would read; empty where it cannot be read."""
    stated: dict[str, Any] = {}
    for _, settings in claude_settings(environment, folder):
        if isinstance(settings.get("env"), dict):
            stated |= settings["env"]
    codex = _toml(codex_home(environment) / "config.toml")
    return Found(stated, codex, _opencode(environment, folder))


def codex_home(environment: Mapping[str, str]) -> Path:
    """Codex's folder."""
    return Path(environment.get("CODEX_HOME") or _home(environment) / ".codex")


def claude_settings(environment: Mapping[str, str], folder: Path) -> Iterator[tuple[Path, Any]]:
    """Claude Code's settings files that there are, with what they hold, weakest first."""
    user = Path(environment.get("CLAUDE_CONFIG_DIR") or _home(environment) / ".claude")
    for path in (
        user / "settings.json",
        folder / ".claude" / "settings.json",
        folder / ".claude" / "settings.local.json",
    ):
        if settings := _json(path):
            yield path, settings


def _opencode(environment: Mapping[str, str], folder: Path) -> dict[str, Any]:
    user = environment.get("XDG_CONFIG_HOME") or _home(environment) / ".config"
    named = environment.get("OPENCODE_CONFIG")
    paths = [Path(user) / "opencode" / "opencode.json", folder / "opencode.json"]
    providers: dict[str, Any] = {}
    for path in [*paths[:1], *([Path(named)] if named else []), *paths[1:]]:
        stated = _json(path).get("provider")
        if isinstance(stated, dict):
            providers |= stated
    return {"provider": providers}


def _home(environment: Mapping[str, str]) -> Path:
    return Path(environment.get("HOME") or os.path.expanduser("~"))  # noqa: PTH111 (never raises)


def _toml(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text("utf-8"))
    except (OSError, ValueError, RecursionError):
        return {}


def _json(path: Path) -> dict[str, Any]:
    try:
        value = json.loads(path.read_text("utf-8"))
    except (OSError, ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}
