"""Which conversation a request belongs to."""

import json
from typing import Any

import pytest

from statetape.wire import anthropic, chat, responses
from statetape.wire.keys import key, side, workspaces
from statetape.wire.reading import Reading

READ = {"anthropic": anthropic.read, "responses": responses.read, "chat": chat.read}
ANONYMOUS = {"Authorization": "Bearer secret", "User-Agent": "x"}


def reading(wire: str = "chat", first: str = "Fix it.", **others: Any) -> Reading:
    name = "input" if wire == "responses" else "messages"
    request = {name: [{"role": "user", "content": first}], **others}
    return READ[wire](json.dumps(request).encode())


@pytest.mark.parametrize(
    ("headers", "named"),
    [
        ({"X-Claude-Code-Session-Id": "s-1"}, "claude-code:s-1"),
        ({"x-claude-code-session-id": "s-1", "x-claude-code-agent-id": "a"}, "claude-code:s-1:a"),
        ({"session-id": "s-1", "thread-id": "t-1"}, "codex:t-1"),
        ({"session-id": "s-1"}, "codex:s-1"),
        ({"session-id": "s-1", "X-Session-Id": "s-1"}, "session:s-1"),
        ({"x-litellm-session-id": "s-1"}, "litellm:s-1"),
    ],
)
def test_clients_name_their_sessions_in_headers(headers: dict[str, str], named: str) -> None:
    assert key(headers | ANONYMOUS, reading()) == named


@pytest.mark.parametrize(
    ("wire", "named", "others"),
    [
        ("anthropic", "claude-code:s-1", {"metadata": {"user_id": '{"session_id": "s-1"}'}}),
        ("responses", "codex:s-1", {"prompt_cache_key": "s-1"}),
        ("chat", "chat:s-1", {"prompt_cache_key": "s-1"}),
    ],
)
def test_or_in_the_body(wire: str, named: str, others: dict[str, Any]) -> None:
    assert key(ANONYMOUS, reading(wire, **others)) == named


def test_a_header_and_the_body_of_claude_code_give_one_key() -> None:
    said = reading("anthropic", metadata={"user_id": '{"session_id": "s-1"}'})
    assert key({}, said) == key({"x-claude-code-session-id": "s-1"}, said)


def test_without_a_name_it_is_the_system_prompt_and_the_first_message() -> None:
    plain = key(ANONYMOUS, reading())
    assert plain.startswith("digest:")
    assert key({}, reading(tools=[], model="other")) == plain
    assert key(ANONYMOUS, reading(first="Fix that.")) != plain
    assert key(ANONYMOUS, reading("anthropic", system="Be kind.")) != plain


def test_the_key_stays_when_the_conversation_goes_on() -> None:
    first = {"role": "user", "content": "Fix it."}
    more = {"role": "assistant", "content": "Yes."}
    grown = chat.read(json.dumps({"messages": [first, more, first]}).encode())
    assert key({}, grown) == key({}, reading())


@pytest.mark.parametrize("name", ["x" * 10_000, "a b", "a\nb", "\udc80", "ü"])
def test_a_name_that_is_no_plain_word_becomes_a_digest(name: str) -> None:
    found = key({"x-session-id": name}, reading())
    assert found != key({"x-session-id": name + "."}, reading())
    assert found.isascii()
    assert found.isprintable()
    assert len(found) < 100


@pytest.mark.parametrize("headers", [{}, {"x-session-id": "s"}, {"thread-id": "t"}])
def test_no_credential_moves_it(headers: dict[str, str]) -> None:
    said = reading()
    for name in ("authorization", "x-api-key", "cookie", "chatgpt-account-id"):
        assert key(headers | {name: "one"}, said) == key(headers | {name: "other"}, said)


def metadata(value: object) -> dict[str, str]:
    return {"X-Codex-Turn-Metadata": json.dumps(value)}


def test_codex_names_its_repositories() -> None:
    assert workspaces(metadata({"workspaces": {"/r": {}, "/s": {}}})) == ("/r", "/s")
    assert workspaces({}) == ()


@pytest.mark.parametrize(
    ("kind", "known"),
    [("turn", None), ("compaction", "compaction"), ("prewarm", "probe"), ("new", None), ([], None)],
)
def test_codex_says_what_a_request_is_for(kind: Any, known: str | None) -> None:
    assert side(metadata({"request_kind": kind})) == known


@pytest.mark.parametrize(
    "value", ["", "{", "[]", "\udc80", '{"workspaces": 1}', '{"workspaces": []}']
)
def test_what_it_says_is_not_trusted(value: str) -> None:
    headers = {"x-codex-turn-metadata": value}
    assert workspaces(headers) == ()
    assert side(headers) is None
