"""Where a model is: what kind of API, under what URL, and whose key it gets."""

from collections.abc import Mapping
from typing import Literal, NamedTuple
from urllib.parse import urlsplit

from statetape.errors import BadInput

Kind = Literal["anthropic", "openai"]

OWN_KEY = "STATETAPE_MANAGER_KEY"
OWN_URL = "STATETAPE_MANAGER_URL"

_VENDORS: Mapping[Kind, tuple[str, str]] = {
    "anthropic": ("https://api.anthropic.com", "ANTHROPIC_API_KEY"),
    "openai": ("https://api.openai.com/v1", "OPENAI_API_KEY"),
}
_SHOWN = 60  # characters of what was said


class Endpoint(NamedTuple):
    """One model. `url` is that of the API without a last slash, `kind` what it speaks.

    `anthropic`: the Messages API, at `/v1/messages`; `openai`: Chat Completions, at
    `/chat/completions` (Ollama, llama.cpp and vLLM have it under `/v1`).
    """

    kind: Kind
    url: str
    model: str

    @property
    def is_vendors(self) -> bool:
        """Whether it is the server of the vendor whose API it speaks."""
        return urlsplit(self.url).hostname == urlsplit(_VENDORS[self.kind][0]).hostname

    @property
    def key_name(self) -> str:
        """The variable in which its key is looked for, where ours is not set."""
        return _VENDORS[self.kind][1] if self.is_vendors else OWN_KEY


def endpoint(model: str, url: str | None, environment: Mapping[str, str]) -> Endpoint:
    """The endpoint of a model, at `url`, else at that of the environment, else at its vendor.

    A URL may say what it speaks, `anthropic=URL` or `openai=URL`; otherwise the name of the
    model or the vendor's host says it. BadInput for a URL that is none, or has a password.
    """
    stated = url or environment.get(OWN_URL) or ""
    word, equals, rest = stated.partition("=")
    named = equals == "=" and word in _VENDORS
    place = (rest if named else stated).rstrip("/")
    if named:
        kind: Kind = "anthropic" if word == "anthropic" else "openai"
    else:
        kind = "anthropic" if _is_anthropics(model, place) else "openai"
    if not place:
        place = _VENDORS[kind][0]
    _check(place)
    return Endpoint(kind, place, model)


def credential(place: Endpoint, environment: Mapping[str, str]) -> str | None:
    """The key that an endpoint is sent; None: there is none.

    A vendor's key goes to that vendor's server alone. BadInput for one that no header can carry.
    """
    name = OWN_KEY if environment.get(OWN_KEY) else place.key_name
    key = (environment.get(name) or "").strip()
    if not key.isascii() or not key.isprintable():
        raise BadInput(f"{name}: a key has printable ASCII characters only")
    return key or None


def _is_anthropics(model: str, place: str) -> bool:
    if place:
        host = urlsplit(place).hostname or "" if _is_url(place) else ""
        return host == urlsplit(_VENDORS["anthropic"][0]).hostname
    return model.startswith("claude")


def _is_url(place: str) -> bool:
    try:
        parts = urlsplit(place)
        port = parts.port
    except ValueError:
        return False
    return parts.scheme in ("http", "https") and bool(parts.hostname) and port != 0


def _check(place: str) -> None:
    shown = repr(place[:_SHOWN])
    if not _is_url(place) or not place.isascii() or not place.isprintable() or " " in place:
        raise BadInput(f"--manager-url {shown}: not http://HOST[:PORT][/PATH] or https://...")
    parts = urlsplit(place)
    if parts.username is not None or parts.password is not None:
        raise BadInput(f"--manager-url: a key does not belong into a URL; set {OWN_KEY}")
    if parts.query or parts.fragment:
        raise BadInput(f"--manager-url {shown}: it has a query or a fragment")
