"""What `statetape doctor` looks at. Each check is findings, and changes nothing."""

import os
import platform
import shutil
import sqlite3
import ssl
import subprocess
from collections.abc import Iterator, Mapping
from importlib import metadata
from importlib.util import find_spec
from pathlib import Path
from typing import Literal, NamedTuple

from statetape import __version__
from statetape.cli.found import claude_settings
from statetape.code.languages import LANGUAGES
from statetape.shim.wiring import Found, wired

_PATIENCE = 10  # seconds for a program to say its version
_PROGRAMS = {
    "claude": "claude-code",
    "codex": "codex",
    "opencode": "opencode",
    "mini": "mini-swe-agent",
    "openhands": "openhands",
}
_BASE = "http://127.0.0.1:PORT"
# Settings with which Claude Code speaks to a cloud's own API.
_CLOUDS = ("CLAUDE_CODE_USE_BEDROCK", "CLAUDE_CODE_USE_VERTEX", "CLAUDE_CODE_USE_FOUNDRY")


class Finding(NamedTuple):
    """`bad`: something will not work; `note`: something will work less well, or has to be known."""

    kind: Literal["ok", "note", "bad"]
    topic: str
    words: str


def versions() -> Iterator[Finding]:
    """What this is and runs on."""
    parts = ("aiohttp", "click", "msgspec", "tree-sitter")
    libraries = ", ".join(f"{name} {metadata.version(name)}" for name in parts)
    yield Finding("ok", "statetape", f"{__version__}, Python {platform.python_version()}")
    yield Finding("ok", "libraries", f"{libraries}, SQLite {sqlite3.sqlite_version}")


def grammars() -> Iterator[Finding]:
    """Languages whose grammar is not installed."""
    missing = [each for each in LANGUAGES if each.grammar and find_spec(each.grammar) is None]
    if not missing:
        yield Finding("ok", "grammars", "all are installed")
    for each in missing:
        words = f"{each.grammar} is not installed: {', '.join(each.suffixes)} files are one symbol"
        yield Finding("note", "grammars", words)


def certificates() -> Iterator[Finding]:
    """Whether the API's certificate can be verified at all."""
    paths = ssl.get_default_verify_paths()
    if ssl.create_default_context().cert_store_stats()["x509_ca"] or paths.capath:
        yield Finding("ok", "certificates", paths.cafile or paths.capath or "of the system")
    else:
        yield Finding("bad", "certificates", "this Python trusts nobody; set SSL_CERT_FILE")


def store(path: Path) -> Iterator[Finding]:
    """Whether changes can be kept."""
    there = next(each for each in (path, *path.parents) if each.exists())
    if not os.access(there, os.W_OK):
        yield Finding("bad", "store", f"{there} cannot be written: no change would be kept")
    elif path.exists() and path.stat().st_mode & 0o077:
        yield Finding("note", "store", f"{path} can be read by others; chmod 600 it")
    else:
        yield Finding("ok", "store", str(path))


def proxies(environment: Mapping[str, str]) -> Iterator[Finding]:
    """Whether requests go on through a proxy of the user's."""
    for name in ("HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy"):
        if environment.get(name):
            yield Finding("note", "proxy", f"requests go on through the one that {name} names")
            return


def agents(environment: Mapping[str, str], folder: Path, told: Found) -> Iterator[Finding]:
    """Each agent that is installed, and how `statetape run` wires it."""
    installed = {name: path for name in _PROGRAMS if (path := shutil.which(name))}
    if not installed:
        yield Finding("note", "agents", f"none on the path of {', '.join(_PROGRAMS)}")
    for name, path in installed.items():
        agent = _PROGRAMS[name]
        yield Finding("ok", name, f"{_version(path)} ({path})")
        wiring = wired(agent, (name,), environment, _BASE, told)
        words = [f"{key}={value}" for key, value in wiring.environment.items()]
        words += wiring.command[1:]
        yield Finding("ok", name, f"wired by {' '.join(words)}")
        for server in wiring.upstreams:
            yield Finding("note", name, f"goes on to {server}, which it is told now")
        if agent == "claude-code":
            yield from _claude(environment, folder)


def _claude(environment: Mapping[str, str], folder: Path) -> Iterator[Finding]:
    for name in _CLOUDS:
        if environment.get(name):
            words = f"{name} is set: it does not speak the API that is maintained"
            yield Finding("bad", "claude", words)
    for path, settings in claude_settings(environment, folder):
        stated = settings.get("env")
        stated = stated if isinstance(stated, dict) else {}
        if stated.get("ANTHROPIC_BASE_URL"):
            words = f"{path} names a server: `run` goes on to it, but with --settings it cannot"
            yield Finding("note", "claude", words)
        for name in _CLOUDS:
            if stated.get(name):
                words = f"{path} sets {name}: it does not speak the API that is maintained"
                yield Finding("bad", "claude", words)


def _version(path: str) -> str:
    try:
        done = subprocess.run(  # noqa: S603 (an agent that the user has on the path)
            [path, "--version"],
            capture_output=True,
            text=True,
            errors="replace",
            timeout=_PATIENCE,
            stdin=subprocess.DEVNULL,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return "does not say its version"
    lines = done.stdout.split("\n")
    return lines[0].strip() or "does not say its version"
