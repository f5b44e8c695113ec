"""What a request cost, in the provider's own figures."""

from collections.abc import Mapping
from typing import Any, Literal

from statetape.types import Usage
from statetape.wire.values import mapping

_MOST = 10**9
"""Tokens; more is no count of one request."""


def usage(wire: Literal["anthropic", "responses", "chat"], figures: Mapping[str, Any]) -> Usage:
    """The figures of a `usage` object; what is missing or no count is 0."""
    return _anthropic(figures) if wire == "anthropic" else _openai(figures)


def _anthropic(figures: Mapping[str, Any]) -> Usage:
    written = _count(figures, "cache_creation_input_tokens")
    hour = _count(mapping(figures.get("cache_creation")), "ephemeral_1h_input_tokens")
    return Usage(
        input=_count(figures, "input_tokens"),
        cache_read=_count(figures, "cache_read_input_tokens"),
        cache_write_5m=max(written - hour, 0),
        cache_write_1h=hour,
        output=_count(figures, "output_tokens"),
    )


def _openai(figures: Mapping[str, Any]) -> Usage:
    # The Responses API says input, the Chat Completions API prompt; both count the cached in.
    details = mapping(figures.get("input_tokens_details") or figures.get("prompt_tokens_details"))
    sent = _count(figures, "input_tokens") or _count(figures, "prompt_tokens")
    read = _count(details, "cached_tokens")
    written = _count(details, "cache_write_tokens")
    return Usage(
        input=max(sent - read - written, 0),
        cache_read=read,
        cache_write_5m=written,
        output=_count(figures, "output_tokens") or _count(figures, "completion_tokens"),
    )


def _count(figures: Mapping[str, Any], name: str) -> int:
    value = figures.get(name)
    if isinstance(value, int) and not isinstance(value, bool):
        return value if 0 <= value <= _MOST else 0
    return 0
