"""Which server a request goes on to."""

import pytest

from statetape.errors import BadInput
from statetape.shim.proxy import _proxy
from statetape.shim.upstreams import Upstreams, upstreams

CLAUDE = {"anthropic-version": "2023-06-01"}
LOGIN = {"chatgpt-account-id": "a"}


@pytest.mark.parametrize(
    ("target", "headers", "url"),
    [
        ("/v1/messages?beta=true", {}, "https://api.anthropic.com/v1/messages?beta=true"),
        ("/v1/messages/count_tokens", {}, "https://api.anthropic.com/v1/messages/count_tokens"),
        ("/v1/models?limit=1000", CLAUDE, "https://api.anthropic.com/v1/models?limit=1000"),
        ("/v1/models", {"authorization": "x"}, "https://api.openai.com/v1/models"),
        ("/api/hello", {}, "https://api.anthropic.com/api/hello"),
        ("/", {}, "https://api.anthropic.com/"),
        ("/v1/responses", {}, "https://api.openai.com/v1/responses"),
        ("/v1/chat/completions", {}, "https://api.openai.com/v1/chat/completions"),
        ("/v1/responses?a=1", LOGIN, "https://chatgpt.com/backend-api/codex/responses?a=1"),
        ("/v1/models", LOGIN, "https://chatgpt.com/backend-api/codex/models"),
        (
            "/backend-api/codex/responses",
            LOGIN,
            "https://chatgpt.com/backend-api/codex/responses",
        ),
    ],
)
def test_the_vendor_is_told_from_path_and_headers(
    target: str, headers: dict[str, str], url: str
) -> None:
    assert Upstreams().url(target, headers) == url


def test_one_url_is_for_all_and_a_named_one_for_its_api() -> None:
    every = upstreams(["http://127.0.0.1:9/base/"])
    for target, headers in (("/v1/responses", LOGIN), ("/", {}), ("/backend-api/x", {})):
        assert every.url(target, headers) == f"http://127.0.0.1:9/base{target}"
    named = upstreams(["openai=https://gateway.example/o", "anthropic=http://[::1]:5"])
    assert named.url("/v1/responses", {}) == "https://gateway.example/o/v1/responses"
    assert named.url("/v1/responses", LOGIN) == "https://gateway.example/o/v1/responses"
    assert named.url("/v1/messages", {}) == "http://[::1]:5/v1/messages"
    assert named.hosts() == {
        "anthropic": "http://[::1]:5",
        "openai": "https://gateway.example",
        "chatgpt": "https://chatgpt.com",
    }


@pytest.mark.parametrize(
    "stated",
    ["", "gateway.example", "ftp://x", "http://", "http://[::1", "openai=", "vertex=https://x/y",
     "https://me:secret@x", "https://x?key=secret", "https://x#a", "http://x:0", "http://x:99999"],
)  # fmt: skip
def test_a_url_that_is_no_use_is_refused_without_repeating_it(stated: str) -> None:
    with pytest.raises(BadInput) as refused:
        upstreams([stated])
    assert "secret" not in str(refused.value)


def test_a_proxy_is_taken_from_the_environment_but_never_for_this_machine(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.lower(), raising=False)
    assert _proxy("https://api.anthropic.com/v1/messages") is None
    monkeypatch.setenv("HTTPS_PROXY", "proxy.example:3128")
    assert _proxy("https://api.anthropic.com/v1/messages") == "http://proxy.example:3128"
    assert _proxy("http://gateway.example/") is None
    assert _proxy("https://127.0.0.1:5/") is None
    monkeypatch.setenv("NO_PROXY", "anthropic.com")
    assert _proxy("https://api.anthropic.com/v1/messages") is None
