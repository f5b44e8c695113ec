"""Which conversation a request belongs to, by what its client says of it.

Only the headers and fields named here are read: never one that carries a credential.
"""

import re
from collections.abc import Mapping
from hashlib import blake2b
from typing import Any

from statetape.types import Say
from statetape.wire.reading import Reading, Side
from statetape.wire.values import WireError, decoded, encoded, mapping

_PLAIN = re.compile(r"[!-~]{1,200}")
_KINDS: Mapping[object, Side] = {"compaction": "compaction", "prewarm": "probe"}


def key(headers: Mapping[str, str], reading: Reading) -> str:
    """The key of the conversation, in printable ASCII: equal keys, one client's one thread.

    A fork or a rewind keeps it, so that the chain decides. Where the client names no session it
    is a digest of the system prompt and the user's first message. Header names in any case.
    """
    given = {name.lower(): value for name, value in headers.items()}
    if named := _session(given):
        return named
    if reading.session:
        client = {"anthropic": "claude-code", "responses": "codex"}.get(reading.wire, "chat")
        return _named(client, reading.session)
    return f"digest:{_digest((reading.system, _first(reading)))}"


def session(headers: Mapping[str, str]) -> str:
    """The key as far as the headers alone tell it, empty where they do not."""
    return _session({name.lower(): value for name, value in headers.items()}) or ""


def _session(given: Mapping[str, str]) -> str | None:
    if session := given.get("x-claude-code-session-id"):
        return _named("claude-code", session, given.get("x-claude-code-agent-id"))
    if session := given.get("x-session-id"):
        return _named("session", session)
    if thread := given.get("thread-id") or given.get("session-id"):
        return _named("codex", thread)
    if session := given.get("x-litellm-session-id"):
        return _named("litellm", session)
    return None


def workspaces(headers: Mapping[str, str]) -> tuple[str, ...]:
    """The roots of the repositories that Codex names; none of other clients."""
    return tuple(filter(None, mapping(_turn(headers).get("workspaces"))))


def side(headers: Mapping[str, str]) -> Side | None:
    """What Codex's headers say a request is for; None for a turn, and for other clients."""
    kind = _turn(headers).get("request_kind")
    return _KINDS.get(kind) if isinstance(kind, str) else None


def _turn(headers: Mapping[str, str]) -> dict[str, Any]:
    for name, value in headers.items():
        if name.lower() == "x-codex-turn-metadata":
            try:
                return mapping(decoded(value.encode()))
            except (WireError, UnicodeEncodeError):
                return {}
    return {}


def _named(client: str, *names: str | None) -> str:
    said = [name if _PLAIN.fullmatch(name) else _digest(name) for name in names if name]
    return ":".join((client, *said))


def _first(reading: Reading) -> str:
    for turn in reading.turns:
        for block in turn.blocks:
            if isinstance(block, Say) and block.role == "user":
                return block.text
    return ""


def _digest(value: object) -> str:
    return blake2b(encoded(value), digest_size=16).hexdigest()
