"""Models over HTTP: both kinds of API, every fault, and the cache that replays rest on."""

import json
import time
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.llm.scripted import (
    Answer,
    Script,
    endless,
    json_answer,
    never,
    reset,
    said,
    serving,
)  # fmt: skip

from statetape.context.asking import (
    Ask,
    Message,
    Reply,
    Tool,
    ToolAnswer,
    ToolCall,
    question,
)
from statetape.errors import BadInput
from statetape.llm import anthropic, chat
from statetape.llm.cache import Cache, Entry, key
from statetape.llm.client import Client, Exchanges, Source
from statetape.llm.endpoint import Endpoint, Kind
from statetape.types import Usage

KINDS: list[Kind] = ["anthropic", "openai"]
SCHEMA = {"type": "object", "properties": {"x": {"type": "integer"}}, "required": ["x"]}
TOOLS = (Tool("source", "Shows code.", {"type": "object", "properties": {}}),)
ASK = question("What now?", purpose="test", system="Be brief.")
FULL = Ask(
    "test",
    (
        Message("user", "What now?"),
        Message("assistant", "I look.", calls=(ToolCall("c1", "source", '{"symbol": "f"}'),)),
        Message("user", answers=(ToolAnswer("c1", "def f(): ..."),)),
    ),
    "Be brief.",
    TOOLS,
    SCHEMA,
    last=True,
)


def soon() -> float:
    return time.monotonic() + 20


def asked(kind: Kind, script: Script, ask: Ask = ASK, until: float | None = None) -> Reply:
    with serving(script) as server:
        client = Client(Endpoint(kind, server.url, "m"), "k")
        return client.reply(ask, soon() if until is None else until)


@pytest.mark.parametrize("kind", KINDS)
def test_a_text_comes_back_with_what_it_cost(kind: Kind) -> None:
    reply = asked(kind, lambda path, _: said(path, "Nothing."))
    assert reply.text == "Nothing."
    assert reply.usage == Usage(input=100, cache_read=20, output=7)


@pytest.mark.parametrize("kind", KINDS)
def test_calls_come_back_as_calls(kind: Kind) -> None:
    reply = asked(kind, lambda path, _: said(path, "", ("source", {"symbol": "f"})))
    (call,) = reply.calls
    assert call.name == "source"
    assert json.loads(call.arguments) == {"symbol": "f"}
    assert reply.text is None
    assert reply.why is None


def test_the_messages_api_is_told_the_whole_exchange() -> None:
    with serving(lambda path, _: said(path, "", ("answer", {"x": 1}))) as server:
        reply = Client(Endpoint("anthropic", server.url, "m"), "secret").reply(FULL, soon())
        ((path, headers, body),) = server.heard
    assert reply == Reply('{"x":1}', usage=Usage(input=100, cache_read=20, output=7))
    assert path == "/v1/messages"
    lowered = {name.lower(): value for name, value in headers.items()}
    assert lowered["x-api-key"] == "secret"
    assert lowered["anthropic-version"] == "2023-06-01"
    assert body["system"] == "Be brief."
    assert body["max_tokens"] == 2_000
    assert [tool["name"] for tool in body["tools"]] == ["source", "answer"]
    assert body["tools"][1]["input_schema"] == SCHEMA
    assert body["tool_choice"] == {"type": "tool", "name": "answer"}
    assert body["messages"][1]["content"][1] == {
        "type": "tool_use", "id": "c1", "name": "source", "input": {"symbol": "f"},
    }  # fmt: skip
    assert body["messages"][2]["content"] == [
        {"type": "tool_result", "tool_use_id": "c1", "content": "def f(): ..."}
    ]


def test_chat_completions_are_told_the_whole_exchange() -> None:
    with serving(lambda path, _: said(path, '{"x":1}')) as server:
        Client(Endpoint("openai", f"{server.url}/v1", "m"), "secret").reply(FULL, soon())
        ((path, headers, body),) = server.heard
    assert path == "/v1/chat/completions"
    assert {k.lower(): v for k, v in headers.items()}["authorization"] == "Bearer secret"
    assert [message["role"] for message in body["messages"]] == [
        "system", "user", "assistant", "tool",
    ]  # fmt: skip
    assert body["messages"][2]["tool_calls"][0]["function"] == {
        "name": "source", "arguments": '{"symbol": "f"}',
    }  # fmt: skip
    assert body["messages"][3] == {
        "role": "tool", "tool_call_id": "c1", "content": "def f(): ...",
    }  # fmt: skip
    assert body["tool_choice"] == "none"
    assert body["response_format"]["json_schema"]["schema"] == SCHEMA


@pytest.mark.parametrize(
    ("last", "tools", "expected"),
    [(False, TOOLS, {"type": "auto"}), (True, TOOLS, {"type": "tool", "name": "answer"}),
     (False, (), {"type": "tool", "name": "answer"})],
)  # fmt: skip
def test_a_schema_is_a_tool_that_has_to_be_called(last: bool, tools: Any, expected: Any) -> None:  # noqa: FBT001
    ask = Ask("test", ASK.messages, tools=tools, schema=SCHEMA, last=last)
    assert anthropic.body(ask, "m")["tool_choice"] == expected
    formats = "response_format" in chat.body(ask, "m", vendors=False)
    assert formats is (last or not tools)
    names = [tool["name"] for tool in anthropic.body(ask, "m")["tools"]]
    assert ("answer" in names) is (last or not tools)


def test_a_vendors_newer_models_know_other_names() -> None:
    assert "max_completion_tokens" in chat.body(ASK, "m", vendors=True)
    assert "max_tokens" in chat.body(ASK, "m", vendors=False)


def test_where_a_format_is_unknown_it_is_left_out_from_then_on() -> None:
    def script(path: str, body: dict[str, Any]) -> Answer:
        return json_answer({}, 400) if "response_format" in body else said(path, "{}")

    ask = Ask("test", ASK.messages, schema=SCHEMA)
    with serving(script) as server:
        client = Client(Endpoint("openai", server.url, "m"))
        assert client.reply(ask, soon()).why == "refused"
        assert client.reply(ask, soon()).text == "{}"


@pytest.mark.parametrize("kind", KINDS)
class TestFaults:
    @pytest.mark.parametrize("status", [301, 400, 401, 429, 500, 529])
    def test_an_error_is_no_answer_and_is_not_asked_again(self, kind: Kind, status: int) -> None:
        with serving(lambda *_: json_answer({"error": "x"}, status)) as server:
            client = Client(Endpoint(kind, server.url, "m"), "k")
            assert client.reply(ASK, soon()) == Reply(None, why="refused")
            assert len(server.heard) == 1

    @pytest.mark.parametrize(
        "data",
        [b"", b"x", b"[]", b"{}", b"null", b'{"content": [], "choices": []}', b"[" * 100_000,
         b'{"content": "no", "choices": [{}]}', b'{"content": [7], "choices": [7]}', b"\xff\xfe",
         b'{"content": [{"type": "text", "text": "\\ud800"}], "choices": "\\ud800"}'],
    )  # fmt: skip
    def test_what_is_no_answer_is_malformed(self, kind: Kind, data: bytes) -> None:
        reply = asked(kind, lambda *_: (200, data))
        assert reply.text is None
        assert reply.why == "malformed"

    def test_a_model_that_declines_has_no_answer(self, kind: Kind) -> None:
        document = {
            "content": [{"type": "text", "text": "no"}], "stop_reason": "refusal",
            "choices": [{"message": {"refusal": "no", "content": "no"}}],
        }  # fmt: skip
        assert asked(kind, lambda *_: json_answer(document)).why == "refused"

    def test_a_connection_that_ends_without_a_word_is_made_once_more(self, kind: Kind) -> None:
        answers: list[Answer] = [reset]
        with serving(lambda p, _: answers.pop() if answers else said(p, "Here.")) as server:
            client = Client(Endpoint(kind, server.url, "m"), "k")
            assert client.reply(ASK, soon()).text == "Here."
            assert len(server.heard) == 2
            server.script = lambda *_: reset
            assert client.reply(ASK, soon()).why == "unreachable"
            assert len(server.heard) == 4

    def test_nobody_listens(self, kind: Kind) -> None:
        with serving(lambda *_: reset) as server:
            place = Endpoint(kind, server.url, "m")
        assert Client(place, "k").reply(ASK, soon()).why == "unreachable"

    def test_a_server_that_never_ends_is_late(self, kind: Kind) -> None:
        assert asked(kind, lambda *_: never, until=time.monotonic() + 0.2).why == "late"

    def test_no_time_is_left(self, kind: Kind) -> None:
        with serving(lambda p, _: said(p, "Here.")) as server:
            client = Client(Endpoint(kind, server.url, "m"), "k")
            assert client.reply(ASK, time.monotonic() - 1).why == "late"
            assert server.heard == []

    def test_an_endless_answer_is_not_read_to_its_end(self, kind: Kind) -> None:
        assert asked(kind, lambda *_: endless).why == "malformed"


@pytest.mark.parametrize("place", ["https://api.anthropic.com", "https://api.openai.com/v1"])
def test_without_a_key_a_vendor_is_not_called(place: str) -> None:
    kind: Kind = "anthropic" if "anthropic" in place else "openai"
    assert Client(Endpoint(kind, place, "m")).reply(ASK, soon()).why == "no key"
    name = f"{'OPENAI' if kind == 'openai' else 'ANTHROPIC'}_API_KEY is not set"
    with pytest.raises(BadInput, match=name):
        Client(Endpoint(kind, place, "m"), source="fill").reply(ASK, soon())


def test_a_text_that_no_request_can_carry_is_not_sent() -> None:
    with serving(lambda p, _: said(p, "Here.")) as server:
        client = Client(Endpoint("openai", server.url, "m"))
        reply = client.reply(question("half of a pair: \ud800", purpose="test"), soon())
        assert reply.why == "malformed"
        assert server.heard == []


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=9),
    lambda each: st.lists(each, max_size=3)
    | st.dictionaries(
        st.sampled_from(["content", "type", "text", "tool_use", "name", "input", "id", "usage",
                         "choices", "message", "tool_calls", "function", "arguments"]),
        each, max_size=5),
    max_leaves=20,
)  # fmt: skip


@given(document=JSON)
def test_any_json_is_a_reply(document: object) -> None:
    for reply in (anthropic.reply(document), chat.reply(document)):
        assert reply.text or reply.calls or reply.why


class TestCache:
    def client(self, url: str, folder: Path, source: Source = "model", model: str = "m") -> Client:
        return Client(Endpoint("openai", url, model), cache=Cache(folder), source=source)

    def test_what_was_asked_once_is_not_asked_again(self, tmp_path: Path) -> None:
        with serving(lambda path, _: said(path, "Once.")) as server:
            first = self.client(server.url, tmp_path).reply(ASK, soon())
            assert self.client(server.url, tmp_path).reply(ASK, soon()) == first
            assert len(server.heard) == 1
            self.client(server.url, tmp_path, model="n").reply(ASK, soon())
            assert len(server.heard) == 2
        assert self.client(server.url, tmp_path, "cache").reply(ASK, 0) == first

    def test_an_ask_that_is_missing_is_an_error_and_no_call(self, tmp_path: Path) -> None:
        with serving(lambda path, _: said(path, "Once.")) as server:
            client = self.client(server.url, tmp_path, "cache")
            with pytest.raises(BadInput, match=r"ask [0-9a-f]{12} \(test, round 1\); fill it"):
                client.reply(ASK, soon())
            assert server.heard == []

    def test_the_key_is_of_everything_that_was_asked(self) -> None:
        other = [
            question("What then?", purpose="test", system="Be brief."),
            question("What now?", purpose="other", system="Be brief."),
            question("What now?", purpose="test", system="Be long."),
            question("What now?", purpose="test", system="Be brief.", version="2"),
            FULL,
        ]
        keys = {key("openai", "m", ask) for ask in (ASK, *other)}
        keys |= {key("anthropic", "m", ASK), key("openai", "n", ASK)}
        assert len(keys) == 8
        schema = {"b": 1, "a": 2}
        swapped = {"a": 2, "b": 1}
        same = [Ask("t", ASK.messages, schema=each) for each in (schema, swapped)]
        assert key("openai", "m", same[0]) == key("openai", "m", same[1])

    def test_what_went_wrong_is_not_kept(self, tmp_path: Path) -> None:
        with serving(lambda *_: json_answer({}, 500)) as server:
            self.client(server.url, tmp_path).reply(ASK, soon())
        assert list(tmp_path.rglob("*.json")) == []

    @pytest.mark.parametrize("data", [b"", b"{}", b"\xff", b"[" * 99_999, b" " * 2_000_000])
    def test_a_damaged_entry_is_none(self, tmp_path: Path, data: bytes) -> None:
        name = key("openai", "m", ASK)
        Cache(tmp_path).put(name, Entry("openai", "m", "test", "1", Reply("a")))
        (place,) = tmp_path.rglob("*.json")
        assert place.stat().st_mode & 0o077 == 0
        place.write_bytes(data)
        assert Cache(tmp_path).get(name) is None

    def test_a_folder_that_cannot_be_written_fails_no_call(self, tmp_path: Path) -> None:
        (tmp_path / "file").write_text("x")
        with serving(lambda path, _: said(path, "Once.")) as server:
            client = self.client(server.url, tmp_path / "file" / "cache")
            assert client.reply(ASK, soon()).text == "Once."

    def test_no_key_is_kept(self, tmp_path: Path) -> None:
        with serving(lambda path, _: said(path, "Once.")) as server:
            place = Endpoint("openai", server.url, "m")
            Client(place, "very-secret", cache=Cache(tmp_path)).reply(ASK, soon())
        (entry,) = tmp_path.rglob("*.json")
        assert b"secret" not in entry.read_bytes()


def test_all_rounds_of_an_exchange_have_one_deadline(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = [0.0]
    monkeypatch.setattr(time, "monotonic", lambda: clock[0])
    seen: list[float] = []

    class Slow(Client):
        def reply(self, ask: Ask, until: float) -> Reply:  # noqa: ARG002
            seen.append(until - clock[0])
            clock[0] += 3
            return Reply("x")

    answer = Exchanges(Slow(Endpoint("openai", "http://h", "m")))
    for ask in (ASK, FULL, ASK):
        answer(ask)
    assert seen == [4.0, 1.0, 4.0]
