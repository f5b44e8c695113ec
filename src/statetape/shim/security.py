"""Who may speak to the proxy: this machine, or whoever has the token; never a web page."""

import hmac
import ipaddress
from collections.abc import Mapping
from typing import NamedTuple
from urllib.parse import urlsplit

from statetape.errors import BadInput
from statetape.shim.headers import TOKEN

OWN = "/_statetape/"
_AS = OWN + "as/"
HEALTH = OWN + "healthz"


class Refusal(NamedTuple):
    """Why a request does not go on, and the status that says so."""

    status: int
    reason: str


class Gate(NamedTuple):
    """What is asked of a request. Without `local`, a token is asked of all but the health check."""

    local: bool
    token: str | None

    def admitted(self, target: str, headers: Mapping[str, str]) -> str | Refusal:
        """The target without its token, or the refusal. Names of `headers` are lower-case.

        A page that a browser shows cannot reach us by a name of its own (DNS rebinding: `Host` is
        that name), nor by ours (`Origin` is the page's).
        """
        if not target.startswith("/"):
            return Refusal(400, "no request for a server")
        if "origin" in headers and not is_local(_host(headers["origin"])):
            return Refusal(403, "a web page")
        if self.local and not is_local(_host("//" + headers.get("host", ""))):
            return Refusal(403, "a name that is not of this machine")
        given, target = _given(target, headers)
        if self.token is None or target.partition("?")[0] == HEALTH:
            return target
        if not hmac.compare_digest(given.encode("utf-8", "replace"), self.token.encode()):
            return Refusal(403, "no token, or a wrong one")
        return target


def gate(host: str, *, remote: bool, token: str | None) -> Gate:
    """The gate of a proxy on an interface. BadInput unless it is a loopback or meant to be open."""
    local = is_local(host)
    if not local and not (remote and token):
        raise BadInput(
            f"{host} can be reached from other machines: that needs --allow-remote and a token"
        )
    if token is not None and not (token.isascii() and token.isalnum()):
        raise BadInput("a token is letters and digits")
    return Gate(local, token)


def prefix(token: str) -> str:
    """The path that says the token, for clients that know nothing but a base URL."""
    return _AS + token


def _given(target: str, headers: Mapping[str, str]) -> tuple[str, str]:
    if target.startswith(_AS):
        token, separator, rest = target.removeprefix(_AS).partition("/")
        return token, separator + rest or "/"
    return headers.get(TOKEN, ""), target


def is_local(host: str | None) -> bool:
    """Whether a host name or address is this machine's loopback."""
    if host is None:
        return False
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _host(url: str) -> str | None:
    try:
        return urlsplit(url).hostname
    except ValueError:
        return None
