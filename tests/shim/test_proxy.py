"""Requests go on as they came, answers come back as they are."""

import asyncio
import gzip
import json
import sys
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

BODY = json.dumps({"model": "m", "messages": [{"role": "user", "content": "é\ud83d\ude00 1.0"}]})
RAW = BODY.encode()


async def test_method_path_query_and_body_go_on_as_they_came(shim: Any) -> None:
    async with shim() as running:
        for method, target in (
            ("POST", "/v1/messages?beta=true"),
            ("GET", "/v1/models?limit=1000&x=%2F%20+a"),
            ("HEAD", "/api/hello"),
            ("HEAD", "/"),
            ("DELETE", "/v1/files/a%2Fb"),
            ("PATCH", "/st/abc/v1/messages/count_tokens"),
        ):
            head = f"{method} {target} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 3\r\n\r\n"
            reader, writer = await running.raw(head.encode() + b"abc")
            assert (await reader.readuntil(b"\r\n\r\n")).startswith(b"HTTP/1.1 200 OK\r\n")
            writer.close()
            assert running.upstream.seen[-1].first == f"{method} {target} HTTP/1.1"
            assert running.upstream.seen[-1].body == b"abc"


async def test_a_path_of_the_upstream_goes_before_that_of_the_request(shim: Any) -> None:
    async with shim(prefix="/gateway/x") as running:
        await running.post()
        assert running.upstream.seen[0].first == "POST /gateway/x/v1/messages HTTP/1.1"


async def test_headers_keep_order_and_spelling_but_for_those_of_the_hop(shim: Any) -> None:
    lines = [
        "Accept: application/json",
        "X-Claude-Code-Session-Id: 1",
        "anthropic-BETA: a,b",
        "Authorization: Bearer s3cret",
        "X-Twice: 1",
        "X-Twice: 2",
        "Accept-Encoding: gzip, deflate, br, zstd",
        "Content-Length: 2",
    ]
    hop = ["Host: localhost", "Connection: keep-alive, X-Mine", "X-Mine: 1", "Keep-Alive: 5"]
    hop += ["TE: trailers", "Proxy-Authorization: Basic x", "x-statetape-bypass: 1"]
    async with shim() as running:
        head = "\r\n".join(["POST /v1/messages HTTP/1.1", *hop, *lines, "", ""])
        reader, writer = await running.raw(head.encode() + b"{}")
        await reader.readuntil(b"\r\n\r\n")
        writer.close()
        sent = [f"{name}: {value}" for name, value in running.upstream.seen[0].headers]
        assert sent == [f"Host: 127.0.0.1:{running.upstream.url.rpartition(':')[2]}", *lines]


async def test_headers_of_an_answer_keep_order_and_spelling_and_none_are_added(shim: Any) -> None:
    lines = ["request-id: r1", "X-Should-Retry: true", "Set-Cookie: a=1", "Set-Cookie: b=2"]

    async def script(reader: Any, writer: Any) -> None:
        await running.upstream.request(reader)
        head = ["HTTP/1.1 529 Odd Reason", *lines, "Connection: close", "Content-Length: 2", "", ""]
        writer.write("\r\n".join(head).encode() + b"no")

    async with shim() as running:
        running.upstream.script = script
        reader, writer = await running.raw(b"GET /x HTTP/1.1\r\nHost: [::1]:1\r\n\r\n")
        head = await reader.readuntil(b"\r\n\r\n")
        assert head.decode().split("\r\n") == [
            "HTTP/1.1 529 Odd Reason",
            *lines,
            "Content-Length: 2",
            "",
            "",
        ]
        assert await reader.readexactly(2) == b"no"
        writer.close()


async def test_a_redirect_is_for_the_client_to_follow(shim: Any) -> None:
    async def script(reader: Any, writer: Any) -> None:
        while True:
            running.upstream.seen.append(await running.upstream.request(reader))
            writer.write(running.upstream.answer(b"", "307 Elsewhere", "Location: /v2"))

    async with shim() as running:
        running.upstream.script = script
        target = running.url + "/v1/messages"
        async with running.session.post(target, data=RAW, allow_redirects=False) as response:
            assert (response.status, response.headers["Location"]) == (307, "/v2")
        assert len(running.upstream.seen) == 1


@pytest.mark.parametrize("status", [400, 401, 404, 413, 429, 500, 529])
async def test_an_error_of_the_upstream_comes_back_with_its_words(shim: Any, status: int) -> None:
    body = b'{"type": "error", "error": {"message": "prompt is too long"}}'

    async def script(reader: Any, writer: Any) -> None:
        await running.upstream.request(reader)
        writer.write(running.upstream.answer(body, f"{status} Such", "retry-after: 7"))

    async with shim() as running:
        running.upstream.script = script
        async with running.session.post(running.url + "/v1/messages", data=RAW) as response:
            assert (response.status, await response.read()) == (status, body)
            assert response.headers["retry-after"] == "7"


@pytest.mark.parametrize(
    ("added", "beta"),
    [
        (b'{"thinking":{"prefix_mismatch_behavior":"drop_block"}}', "thinking-binding-controls"),
        (b'{"cache_control":{"type":"ephemeral","ttl":"1h"}}', "extended-cache-ttl"),
    ],
)
async def test_what_was_put_into_a_body_goes_with_its_header(
    shim: Any, scripted: Any, added: bytes, beta: str
) -> None:
    async with shim(scripted(lambda _: added)) as running:
        await running.post(RAW)
        assert running.upstream.seen[0].named["anthropic-beta"].startswith(beta)
    async with shim(scripted()) as running:
        await running.post(added)
        assert "anthropic-beta" not in running.upstream.seen[0].named


async def test_a_changed_body_goes_on_with_its_own_length(shim: Any, scripted: Any) -> None:
    async with shim(scripted(lambda body: body + b" ")) as running:
        await running.post(RAW)
        assert running.upstream.seen[0].body == RAW + b" "
        assert running.upstream.seen[0].named["content-length"] == str(len(RAW) + 1)


@pytest.mark.parametrize("encoding", ["gzip", "zstd"])
async def test_an_encoded_body_is_read_and_goes_on_as_it_came_or_plain(
    shim: Any, scripted: Any, encoding: str
) -> None:
    packed = gzip.compress(RAW) if encoding == "gzip" else zstd.compress(RAW)
    core = scripted()
    async with shim(core) as running:
        await running.post(packed, "/v1/responses", Content_Encoding=encoding)
        core.change = lambda body: body + b" "
        await running.post(packed, "/v1/responses", Content_Encoding=encoding)
        same, changed = running.upstream.seen
    assert [body for _, _, body in core.asked] == [RAW, RAW]
    assert (same.body, same.named["content-encoding"]) == (packed, encoding)
    assert (changed.body, "content-encoding" in changed.named) == (RAW + b" ", False)


@pytest.mark.parametrize(
    ("encoding", "body"),
    [
        ("br", b"x"),
        ("gzip", b"not gzip"),
        ("zstd", zstd.compress(RAW)[:-3]),
        ("gzip", gzip.compress(b"0" * 2_000, mtime=0)),  # longer than the limit, unpacked
    ],
)
async def test_a_body_that_cannot_be_read_goes_on_as_it_came(
    shim: Any, scripted: Any, encoding: str, body: bytes
) -> None:
    core = scripted(lambda _: b"changed")
    async with shim(core, limit=1_000) as running:
        await running.post(body, Content_Encoding=encoding)
        state = await running.insight.state()
    assert (running.upstream.seen[0].body, core.asked) == (body, [])
    assert state["proxy"]["passed"] == {"unreadable body": 1}


@pytest.mark.parametrize("sent", ["whole", "in chunks"])
async def test_a_body_above_the_limit_goes_past_the_core(
    shim: Any, scripted: Any, sent: str
) -> None:
    core, body = scripted(lambda _: b"changed"), b"x" * 300_000

    async def chunks() -> Any:
        yield body[:100_000]
        yield body[100_000:]

    async with (
        shim(core, limit=1_000) as running,
        running.session.post(
            running.url + "/v1/messages", data=body if sent == "whole" else chunks()
        ) as response,
    ):
        assert response.status == 200
        assert (running.upstream.seen[0].body, core.asked) == (body, [])
        assert (await running.insight.state())["proxy"]["passed"] == {"too long": 1}


async def test_a_body_of_three_megabytes_is_maintained(shim: Any, scripted: Any) -> None:
    body = b"x" * 3_000_000
    async with shim(scripted(lambda body: body + b"y")) as running:
        await running.post(body)
        assert running.upstream.seen[0].body == body + b"y"


async def test_the_core_is_asked_about_conversations_only(shim: Any, scripted: Any) -> None:
    core = scripted(lambda _: b"changed")
    async with shim(core) as running:
        for path in ("/v1/messages/count_tokens?beta=true", "/v1/files", "/api/event_logging"):
            await running.post(RAW, path)
        assert core.asked == []
        for path in ("/v1/messages?beta=true", "/v1/responses", "/a/v1/chat/completions"):
            await running.post(RAW, path)
    assert [one.body for one in running.upstream.seen] == [RAW] * 3 + [b"changed"] * 3
    assert [path for path, _, _ in core.asked] == [
        "/v1/messages",
        "/v1/responses",
        "/a/v1/chat/completions",
    ]


async def test_the_bypass_header_goes_past_the_core_and_stays_here(
    shim: Any, scripted: Any
) -> None:
    core = scripted(lambda _: b"changed")
    async with shim(core) as running:
        await running.post(RAW, x_statetape_bypass="1")
    (sent,) = running.upstream.seen
    assert (sent.body, core.asked, "x-statetape-bypass" in sent.named) == (RAW, [], False)


async def test_observing_asks_the_core_and_forwards_the_same_bytes(
    shim: Any, scripted: Any
) -> None:
    core = scripted(lambda _: b"changed")
    packed = zstd.compress(RAW)
    async with shim(core, observe=True) as running:
        await running.post(packed, Content_Encoding="zstd")
        state = await running.insight.state()
    assert (running.upstream.seen[0].body, state["proxy"]["changed"]) == (packed, 1)
    assert [body for _, _, body in core.asked] == [RAW]


async def test_a_websocket_is_refused_with_426(shim: Any) -> None:
    head = (
        b"GET /v1/responses HTTP/1.1\r\nHost: localhost:1\r\nConnection: Upgrade\r\n"
        b"Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
        b"Sec-WebSocket-Key: z3pCh2qzCce+09CGeKiPww==\r\n\r\n"
    )
    async with shim() as running:
        reader, writer = await running.raw(head)
        assert (await reader.readline()).startswith(b"HTTP/1.1 426 ")
        writer.close()
        assert running.upstream.seen == []


async def test_a_client_that_waits_for_leave_to_send_gets_it(shim: Any) -> None:
    head = b"POST /v1/messages HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n"
    async with shim() as running:
        reader, writer = await running.raw(head + b"Expect: 100-continue\r\n\r\n")
        assert await reader.readuntil(b"\r\n\r\n") == b"HTTP/1.1 100 Continue\r\n\r\n"
        writer.write(b"{}")
        assert await reader.readline() == b"HTTP/1.1 200 OK\r\n"
        writer.close()
        assert "expect" not in running.upstream.seen[0].named


async def test_fifty_conversations_at_once_stay_apart(shim: Any, scripted: Any) -> None:
    async def script(reader: Any, writer: Any) -> None:
        while True:
            writer.write(running.upstream.answer((await running.upstream.request(reader)).body))

    async with shim(scripted(lambda body: body + b"!")) as running:
        running.upstream.script = script
        answers = await asyncio.gather(
            *(running.post(b"%d" % n, x_session_id=str(n)) for n in range(50))
        )
    assert answers == [b"%d!" % n for n in range(50)]


NAMES = st.from_regex(r"[A-Za-z][A-Za-z0-9_-]{0,30}", fullmatch=True)
VALUES = st.from_regex(
    r"(?:[!-~\x80-\xff](?:[\t !-~\x80-\xff]{0,40}[!-~\x80-\xff])?)?", fullmatch=True
)


@settings(max_examples=25)
@given(
    pairs=st.lists(st.tuples(NAMES, VALUES), max_size=12),
    junk=st.binary(max_size=60),
    body=st.binary(max_size=200),
)
def test_no_header_and_no_junk_brings_the_proxy_down(
    shim: Any, pairs: list[tuple[str, str]], junk: bytes, body: bytes
) -> None:
    async def run() -> None:
        async with shim() as running:
            _, writer = await running.raw(junk + b"\r\n\r\n")
            writer.close()
            named = "".join(f"{name}: {value}\r\n" for name, value in pairs)
            head = f"POST /v1/messages HTTP/1.1\r\nHost: localhost\r\n{named}\r\n"
            reader, writer = await running.raw(head.encode("latin-1") + body)
            writer.write_eof()
            await reader.read()
            writer.close()
            assert await running.post(RAW) == b"{}"
            assert running.upstream.seen[-1].body == RAW

    asyncio.run(run())
