"""How each agent is told to speak to the proxy, for one process and without a file of its own."""

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import PurePath
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from statetape.shim.codex_options import codex_base, with_base
from statetape.shim.upstreams import origin

Environment = Mapping[str, str]

# Names of programs and packages by agent.
_PROGRAMS: Mapping[str, str] = {
    "claude": "claude-code",
    "claude-code": "claude-code",
    "codex": "codex",
    "opencode": "opencode",
    "opencode-ai": "opencode",
    "mini": "mini-swe-agent",
    "mini-swe-agent": "mini-swe-agent",
    "openhands": "openhands",
    "openhands-ai": "openhands",
}
_LAUNCHERS = 4  # arguments in which the program is looked for: `npx -y pkg`, `env A=1 claude`
_CLAUDE = "ANTHROPIC_BASE_URL"
# Providers of opencode that the proxy speaks for.
_PROVIDERS = ("anthropic", "openai")


class Found(NamedTuple):
    """What agents are told by files of their own, parsed; of Claude Code `env` in its settings."""

    claude: Mapping[str, Any] = {}
    codex: Mapping[str, Any] = {}
    opencode: Mapping[str, Any] = {}


class Wiring(NamedTuple):
    """The command and the changes to its environment; `upstreams` are those it had before.

    An upstream is `URL` or `VENDOR=URL`, as `upstreams` takes them.
    """

    command: tuple[str, ...]
    environment: dict[str, str]
    upstreams: tuple[str, ...] = ()


class _Base(NamedTuple):
    """A base URL that the agent is given in place of another, and what that one was."""

    url: str
    upstream: tuple[str, ...]


def agent_named(command: Sequence[str]) -> tuple[str, int] | None:
    """The agent that a command starts and the place of its name, None where it names none."""
    for place, word in enumerate(command[:_LAUNCHERS]):
        name = PurePath(word).name.partition("@")[0] or word
        name = name.removesuffix(".cmd").removesuffix(".exe")
        if name in _PROGRAMS and not word.startswith("-"):
            return _PROGRAMS[name], place
    return None


def wired(
    agent: str, command: Sequence[str], environment: Environment, base: str, found: Found
) -> Wiring:
    """How `command` becomes one that speaks to the proxy at `base` (a URL without a last slash).

    Base URLs that it had before become upstreams. `agent` is one of `AGENTS`.
    """
    wiring = AGENTS[agent](tuple(command), environment, base, found)
    return wiring._replace(environment=wiring.environment | _no_proxy(environment))


def _claude_code(
    command: tuple[str, ...], environment: Environment, base: str, found: Found
) -> Wiring:
    stated = found.claude.get(_CLAUDE)
    before = stated if isinstance(stated, str) else None
    given = _base(before or environment.get(_CLAUDE), base, "", "anthropic")
    told = {_CLAUDE: given.url}
    own = any(word.partition("=")[0] == "--settings" for word in command)
    if before and not own:  # its files go before the environment
        named = agent_named(command)
        place = named[1] + 1 if named else len(command)
        settings = ("--settings", json.dumps({"env": told}))
        command = (*command[:place], *settings, *command[place:])
    if not given.upstream:  # at the vendor's own server it is on without saying so
        told["ENABLE_TOOL_SEARCH"] = environment.get("ENABLE_TOOL_SEARCH", "true")
    return Wiring(command, told, given.upstream)


def _codex(command: tuple[str, ...], _: Environment, base: str, found: Found) -> Wiring:
    named = agent_named(command)
    place = named[1] if named and named[0] == "codex" else 0
    provider, before = codex_base(command[place + 1 :], found.codex)
    given = _base(before, base, "/v1", "")
    return Wiring(with_base(command, place, provider, given.url), {}, given.upstream)


def _opencode(
    command: tuple[str, ...], environment: Environment, base: str, found: Found
) -> Wiring:
    told = _object(environment.get("OPENCODE_CONFIG_CONTENT", ""))
    upstream: tuple[str, ...] = ()
    for name in _PROVIDERS:
        before = _option(told, name) or _option(found.opencode, name)
        given = _base(before, base, "/v1", name)
        told = _merged(told, {"provider": {name: {"options": {"baseURL": given.url}}}})
        upstream += given.upstream
    return Wiring(command, {"OPENCODE_CONFIG_CONTENT": json.dumps(told)}, upstream)


def _litellm(command: tuple[str, ...], environment: Environment, base: str, _: Found) -> Wiring:
    told: dict[str, str] = {}
    upstream: tuple[str, ...] = ()
    for vendor, path in (("anthropic", ""), ("openai", "/v1")):
        names = [f"{vendor.upper()}_API_BASE", f"{vendor.upper()}_BASE_URL"]
        before = next(filter(None, map(environment.get, names)), None)
        given = _base(before, base, path, vendor)
        told |= dict.fromkeys(names, given.url)
        upstream += given.upstream
    return Wiring(command, told, upstream)


def _openhands(command: tuple[str, ...], environment: Environment, base: str, _: Found) -> Wiring:
    model = environment.get("LLM_MODEL", "")
    path = "" if model.startswith(("anthropic/", "claude")) else "/v1"
    given = _base(environment.get("LLM_BASE_URL"), base, path, "")
    return Wiring(command, {"LLM_BASE_URL": given.url}, given.upstream)


AGENTS: Mapping[str, Callable[[tuple[str, ...], Environment, str, Found], Wiring]] = {
    "claude-code": _claude_code,
    "codex": _codex,
    "opencode": _opencode,
    "mini-swe-agent": _litellm,
    "openhands": _openhands,
    "litellm": _litellm,
}


def _base(before: str | None, base: str, path: str, vendor: str) -> _Base:
    """The proxy in place of `before`, whose path is kept; without it the usual path."""
    if not before:
        return _Base(base + path, ())
    server = origin(before)
    return _Base(
        base + urlsplit(before).path.rstrip("/"), (f"{vendor}={server}" if vendor else server,)
    )


def _no_proxy(environment: Environment) -> dict[str, str]:
    """The proxy of the environment is not for us: requests to this machine go there directly."""
    names = {name.lower() for name, value in environment.items() if value}
    if not names & {"http_proxy", "https_proxy", "all_proxy"}:
        return {}
    before = environment.get("NO_PROXY") or environment.get("no_proxy") or ""
    if before.strip() == "*":
        return {}
    return dict.fromkeys(("NO_PROXY", "no_proxy"), ",".join(filter(None, [before, "127.0.0.1"])))


def _object(text: str) -> dict[str, Any]:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


def _option(config: Mapping[str, Any], provider: str) -> str | None:
    value: Any = config
    for name in ("provider", provider, "options", "baseURL"):
        value = value.get(name) if isinstance(value, Mapping) else None
    return value if isinstance(value, str) else None


def _merged(one: Mapping[str, Any], other: Mapping[str, Any]) -> dict[str, Any]:
    both = {**one, **other}
    for name in one.keys() & other.keys():
        if isinstance(one[name], Mapping) and isinstance(other[name], Mapping):
            both[name] = _merged(one[name], other[name])
    return both
