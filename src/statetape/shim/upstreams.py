"""Which server a request goes on to."""

from collections.abc import Iterable, Mapping
from urllib.parse import urlsplit

from msgspec import Struct

from statetape.errors import BadInput

VENDORS: Mapping[str, str] = {
    "anthropic": "https://api.anthropic.com",
    "openai": "https://api.openai.com",
    "chatgpt": "https://chatgpt.com",
}
_CODEX = "/backend-api/codex"


class Upstreams(Struct, frozen=True):
    """The server of each API: scheme, host and perhaps a path that goes before all others."""

    anthropic: str = VENDORS["anthropic"]
    openai: str = VENDORS["openai"]
    chatgpt: str = VENDORS["chatgpt"]

    def url(self, target: str, headers: Mapping[str, str]) -> str:
        """Where a request goes on to; `target` is its path and query, kept as they are.

        One exception: what Codex sends with a ChatGPT login is served elsewhere by the vendor,
        under another path; it goes to a server that was named like all else. Names of `headers`
        are lower-case.
        """
        if self == Upstreams(anthropic=self.anthropic) and "chatgpt-account-id" in headers:
            return self.chatgpt + _with_login(target)
        server: str = getattr(self, vendor(target, headers))
        return server + target

    def hosts(self) -> dict[str, str]:
        """The servers without their paths, which may hold what is nobody's business."""
        return {name: origin(getattr(self, name)) for name in VENDORS}


def vendor(target: str, headers: Mapping[str, str]) -> str:
    """Whose API a request is meant for."""
    path = target.partition("?")[0]
    if "/backend-api/" in path:
        return "chatgpt"
    if "anthropic-version" in headers or "x-api-key" in headers or "/v1/messages" in path:
        return "anthropic"
    return "openai" if "/v1/" in path else "anthropic"


def upstreams(stated: Iterable[str]) -> Upstreams:
    """The servers that `URL` (all of them) or `VENDOR=URL` name. BadInput where one is no use."""
    named: dict[str, str] = {}
    for text in stated:
        name, separator, url = text.partition("=")
        if not separator or name not in VENDORS:
            name, url = "", text
        for each in [name] if name else VENDORS:
            named[each] = _server(url)
    return Upstreams(**named)


def origin(url: str) -> str:
    """The scheme, host and port of a URL."""
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}"


def _server(url: str) -> str:
    try:
        parts = urlsplit(url)
        usable = parts.scheme in {"http", "https"} and parts.hostname and parts.port != 0
    except ValueError:
        usable = False
    if not usable:
        raise BadInput("an upstream is http://HOST or https://HOST, perhaps with a port and a path")
    if parts.username is not None or parts.query or parts.fragment or not url.isprintable():
        raise BadInput("an upstream has no user, query or fragment; credentials are the agent's")
    return url.rstrip("/")


def _with_login(target: str) -> str:
    path, separator, rest = target.partition("/v1/")
    return f"{path}{_CODEX}/{rest}" if separator else target
