"""Headers: which of them go on, and which of them the core may see."""

from collections.abc import Iterable, Mapping

from multidict import CIMultiDict

RawHeaders = Iterable[tuple[bytes, bytes]]

BYPASS = "x-statetape-bypass"
TOKEN = "x-statetape-token"  # noqa: S105 (the name of a header)

# They speak of one connection only (RFC 9110, 7.6.1).
_HOP_BY_HOP = frozenset(
    {
        "connection",
        "keep-alive",
        "proxy-authenticate",
        "proxy-authorization",
        "proxy-connection",
        "te",
        "trailer",
        "transfer-encoding",
        "upgrade",
    }
)
_BETA = "anthropic-beta"
_OURS = frozenset({BYPASS, TOKEN})
# A header that has one of these words in its name may carry a credential, or says whose it is.
_SECRET = ("account", "auth", "cookie", "key", "organization", "project", "secret", "token")


def passed_on(raw: RawHeaders, *, without: Iterable[str] = ()) -> CIMultiDict[str]:
    """The headers for the other side, in their order and spelling, without those of the hop.

    `without` names more that stay here, in lower case. What is no UTF-8 is replaced: the library
    writes nothing else.
    """
    pairs = [(_text(name), _text(value)) for name, value in raw]
    named = {
        token.strip().lower()
        for name, value in pairs
        if name.lower() == "connection"
        for token in value.split(",")
    }
    dropped = _HOP_BY_HOP | _OURS | named | set(without)
    return CIMultiDict((name, value) for name, value in pairs if name.lower() not in dropped)


def lowered(raw: RawHeaders) -> dict[str, str]:
    """All headers by their names in lower case; of several of one name, joined by commas."""
    found: dict[str, str] = {}
    for name, value in raw:
        key, text = _text(name).lower(), _text(value)
        found[key] = f"{found[key]}, {text}" if key in found else text
    return found


def shown(headers: Mapping[str, str]) -> dict[str, str]:
    """The headers that the core may see: none that carries a credential. Names in lower case."""
    return {
        name: value for name, value in headers.items() if not any(word in name for word in _SECRET)
    }


def with_beta(headers: CIMultiDict[str], beta: str) -> CIMultiDict[str]:
    """The headers with one more value in `anthropic-beta`; the same object where it is there.

    The values of several headers of that name become one list; their order stays.
    """
    listed = headers.getall(_BETA, [])
    if any(beta == value.strip() for line in listed for value in line.split(",")):
        return headers
    changed = headers.copy()
    name = next((name for name in headers if name.lower() == _BETA), _BETA)
    changed[name] = ",".join(filter(None, (*listed, beta)))
    return changed


def _text(raw: bytes) -> str:
    return raw.decode("utf-8", "replace")
