"""Codex's settings, as far as they say where its model is served."""

import json
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any

_OVERRIDE = ("-c", "--config")
_PROFILE = ("-p", "--profile")
_BUILT_IN = "openai"


def codex_base(arguments: Sequence[str], config: Mapping[str, Any]) -> tuple[str, str | None]:
    """The model provider that is used and its base URL, None where that is the vendor's.

    `arguments` follow the name of the program, `config` is its parsed file.
    """
    overrides = dict(_overrides(arguments))
    profile = _last(arguments, _PROFILE) or overrides.get("profile") or config.get("profile")
    chosen = _table(_table(config, "profiles"), profile)
    settings: dict[str, Any] = {**config, **chosen, **overrides}
    provider = settings.get("model_provider")
    if not isinstance(provider, str) or provider == _BUILT_IN:
        return _BUILT_IN, _text(settings.get("openai_base_url"))
    table = {**_table(_table(config, "model_providers"), provider)}
    table |= _table(overrides, f"model_providers.{provider}")
    return provider, _text(
        overrides.get(f"model_providers.{provider}.base_url", table.get("base_url"))
    )


def with_base(command: Sequence[str], place: int, provider: str, url: str) -> tuple[str, ...]:
    """The command with a base URL for its provider, behind the program's name at `place`.

    Codex takes the last of several overrides, so ours also follows each of the user's that would
    undo it.
    """
    table = f"model_providers.{provider}"
    setting = "openai_base_url" if provider == _BUILT_IN else f"{table}.base_url"
    ours = ("-c", f"{setting}={json.dumps(url)}")
    kept: list[str] = []
    for before, word in pairwise(["", *command[place + 1 :]]):
        kept.append(word)
        if before in _OVERRIDE and word.partition("=")[0].strip() in {table, setting}:
            kept += ours
    return (*command[: place + 1], *ours, *kept)


def _overrides(arguments: Sequence[str]) -> Iterator[tuple[str, Any]]:
    for word, value in pairwise(arguments):
        if word in _OVERRIDE:
            name, separator, text = value.partition("=")
            if separator:
                yield name.strip(), _value(text.strip())


def _value(text: str) -> Any:  # noqa: ANN401 (a TOML value)
    """The value as Codex reads it: TOML, else the text itself."""
    try:
        return tomllib.loads(f"value = {text}")["value"]
    except (ValueError, KeyError, RecursionError):
        return text.strip("\"'")


def _last(arguments: Sequence[str], names: Sequence[str]) -> str | None:
    pairs = pairwise(arguments)
    return next((value for name, value in reversed([*pairs]) if name in names), None)


def _table(config: Mapping[str, Any], name: object) -> Mapping[str, Any]:
    value = config.get(name) if isinstance(name, str) else None
    return value if isinstance(value, Mapping) else {}


def _text(value: object) -> str | None:
    return value if isinstance(value, str) and value else None
