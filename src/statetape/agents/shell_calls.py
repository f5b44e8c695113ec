"""A command's own words, and the commands that only run another one."""

import re
from collections.abc import Sequence
from typing import NamedTuple

from statetape.agents.shell_line import Word
from statetape.agents.shell_place import basename

_WRAPPERS: dict[str, frozenset[str]] = {
    "sudo": frozenset({"-u", "-g", "-h", "-p", "-C"}),
    "doas": frozenset({"-u"}),
    "env": frozenset({"-u", "-C", "--unset", "--chdir"}),
    "timeout": frozenset({"-s", "-k", "--signal", "--kill-after"}),
    "gtimeout": frozenset({"-s", "-k"}),
    "time": frozenset({"-f", "-o"}),
    "nohup": frozenset(),
    "command": frozenset(),
    "builtin": frozenset(),
    "exec": frozenset(),
    "nice": frozenset({"-n"}),
    "ionice": frozenset({"-c", "-n"}),
    "stdbuf": frozenset({"-o", "-i", "-e"}),
    "setsid": frozenset(),
    "unbuffer": frozenset(),
    "caffeinate": frozenset(),
    "arch": frozenset(),
    "npx": frozenset({"-p", "--package", "-c"}),
    "bunx": frozenset(),
    "uvx": frozenset({"--from", "--with", "--python", "-p"}),
    "pnpx": frozenset(),
    "corepack": frozenset(),
    "rtk": frozenset(),
    "dotenv": frozenset({"-e", "-f"}),
    "cross-env": frozenset(),
    "xvfb-run": frozenset({"-n", "-s"}),
}
# Wrappers of which the words before the command are several.
_RUNNERS: dict[str, frozenset[tuple[str, ...]]] = {
    "uv": frozenset({("run",), ("tool", "run")}),
    "poetry": frozenset({("run",)}),
    "pipenv": frozenset({("run",)}),
    "pipx": frozenset({("run",)}),
    "rye": frozenset({("run",)}),
    "pixi": frozenset({("run",)}),
    "bundle": frozenset({("exec",)}),
    "fnm": frozenset({("exec",)}),
    "mise": frozenset({("exec",), ("x",)}),
    "asdf": frozenset({("exec",)}),
    "direnv": frozenset({("exec",)}),
    "nix": frozenset({("develop",), ("shell",)}),
    "doppler": frozenset({("run",)}),
    "npm": frozenset({("exec",), ("x",)}),
    "pnpm": frozenset({("exec",), ("dlx",)}),
    "yarn": frozenset({("exec",), ("dlx",)}),
    "bun": frozenset({("x",)}),
}
_RUNNER_VALUED = frozenset({"--with", "--extra", "--group", "--python", "-p", "--filter", "-C"})
_ASSIGNMENT = re.compile(r"[A-Za-z_]\w*=")
_SHELLS = frozenset({"bash", "sh", "zsh", "dash", "ksh", "fish"})


class Called(NamedTuple):
    """The command that really runs: its name without folders, and the words after it."""

    name: str
    words: tuple[Word, ...]

    def all(self) -> tuple[Word, ...]:
        """Name and words."""
        return (Word(self.name), *self.words)


def called(words: Sequence[Word]) -> Called | None:
    """The command behind `sudo`, `env X=1`, `timeout 5`, `uv run` and the like.

    None where its name is known only to the shell, or where there is no command.
    """
    rest = tuple(words)
    while rest:
        if rest[0].kind != "literal":
            return None
        name = basename(rest[0].text).removesuffix(".exe")
        inner = _unwrapped(name, rest[1:])
        if inner is None:
            return Called(name, rest[1:])
        rest = inner
    return None


def _unwrapped(name: str, words: tuple[Word, ...]) -> tuple[Word, ...] | None:
    """The command that a wrapper runs; None for a command that is no wrapper."""
    if name in _WRAPPERS:
        if name == "command" and words[:1] and words[0].text in ("-v", "-V"):
            return (Word("which"), *words[1:])
        rest = _without_options(words, _WRAPPERS[name])
        if name in ("timeout", "gtimeout"):
            rest = rest[1:]
        while name in ("env", "sudo", "cross-env") and rest and _ASSIGNMENT.match(rest[0].text):
            rest = rest[1:]
        return rest or ((Word("env"), Word("--help")) if name == "env" else ())
    for prefix in _RUNNERS.get(name, ()):
        plain = _without_options(words, _RUNNER_VALUED)
        if tuple(word.text for word in plain[: len(prefix)]) == prefix:
            rest = _without_options(plain[len(prefix) :], _RUNNER_VALUED)
            rest = rest[1:] if name == "direnv" else rest
            return rest if rest and not rest[0].text.startswith("-") else None
    return None


def _without_options(words: tuple[Word, ...], valued: frozenset[str]) -> tuple[Word, ...]:
    at = 0
    while at < len(words) and words[at].text.startswith("-") and words[at].kind == "literal":
        text = words[at].text
        at += 2 if text in valued else 1
        if text == "--":
            break
    return words[at:]


def script(call: Called) -> Word | None:
    """The command line that `bash -c` or `eval` runs; None for any other command."""
    if call.name == "eval":
        known = all(word.kind == "literal" for word in call.words)
        return Word(" ".join(word.text for word in call.words), "literal" if known else "unknown")
    if call.name not in _SHELLS:
        return None
    for at, word in enumerate(call.words):
        if not word.text.startswith(("-", "+")):
            return None
        if not word.text.startswith("--") and "c" in word.text and at + 1 < len(call.words):
            return call.words[at + 1]
    return None
