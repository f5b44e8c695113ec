"""What a `tsconfig.json` or `jsconfig.json` says about where modules are."""

import re

import msgspec

NAMES = ("tsconfig.json", "jsconfig.json")
_NOISE = re.compile(rb"""("(?:[^"\\\n]++|\\.)*+")|//[^\n]*+|/\*(?s:.*?)(?:\*/|\Z)|,(?=\s*[}\]])""")


class PathOptions(msgspec.Struct, frozen=True, rename="camel"):
    """`baseUrl` and `paths` of the compiler options."""

    base_url: str | None = None
    paths: dict[str, list[str]] = msgspec.field(default_factory=dict)


class _Config(msgspec.Struct, frozen=True, rename="camel"):
    compiler_options: PathOptions = PathOptions()


def path_options(data: bytes) -> PathOptions | None:
    """The options of a configuration, comments and trailing commas allowed; None: unreadable."""
    try:
        config = msgspec.json.decode(_NOISE.sub(rb"\1", data), type=_Config)
    except msgspec.DecodeError:
        return None
    return config.compiler_options
