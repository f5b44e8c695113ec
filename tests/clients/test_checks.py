"""The checks of the client tests see what is wrong. Needs no harness."""

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
from tests.clients import told
from tests.clients.driven import Driven, Request, compared
from tests.clients.forwarded import undeclared
from tests.clients.tee import keeping, port_of, tee

Messages = list[dict[str, Any]]
OWN = "1\tx"
NOW = "2\tnow"


def messages(shown: str = OWN, *, note: str = "said", old: str = "def f\n") -> Messages:
    use = {"type": "tool_use", "id": "a", "name": "Edit", "input": {"path": "p", "old": old}}
    result = {"type": "tool_result", "tool_use_id": "a", "content": shown}
    return [
        {"role": "user", "content": "go"},
        {"role": "assistant", "content": [use]},
        {"role": "user", "content": [result]},
        {"role": "system", "content": note},
    ]


def request(said: Messages) -> Request:
    return Request("POST /v1/messages HTTP/1.1", (), json.dumps({"messages": said}).encode())


def run(*passed: tuple[Messages, Messages, dict[tuple[str, str], str]]) -> Driven:
    judged = [{"declared": [[*slot, text] for slot, text in d.items()]} for _, _, d in passed]
    front, behind = [request(own) for own, _, _ in passed], [request(sent) for _, sent, _ in passed]
    return Driven([], [], {}, front, behind, judged)


RESULT, INPUT, SAY = ("a", "result"), ("a", "input"), ("0f:1", "say")
ADDED = ("a", "added")


@pytest.mark.parametrize(
    ("sent", "declared", "wrong"),
    [
        (messages(), {}, 0),
        (messages(NOW), {RESULT: NOW}, 0),
        (messages(NOW), {}, 1),
        (messages(NOW), {RESULT: "2\tother"}, 1),
        (messages(NOW), {INPUT: NOW}, 1),
        (messages(old=NOW), {INPUT: NOW}, 0),
        (messages(old=NOW), {RESULT: NOW}, 1),
        (messages(note=NOW), {SAY: NOW}, 0),
        (messages(note=f"{NOW} and more"), {SAY: NOW}, 1),
        (messages(note="sa"), {SAY: NOW}, 1),
        (messages(f"{OWN}\n{NOW}"), {ADDED: NOW}, 0),
        (messages(f"{OWN}\n{NOW}"), {RESULT: NOW}, 1),
        (messages(f"{OWN}\n{NOW}"), {}, 1),
        (messages(f"{NOW}\n{NOW}"), {RESULT: NOW, ADDED: NOW}, 0),
    ],
)
def test_what_differs_must_be_declared(sent: Messages, declared: Any, wrong: int) -> None:
    assert len(undeclared(run((messages(), sent, declared)))) == wrong


def test_what_was_sent_must_not_change_again_but_as_declared() -> None:
    first, second = messages(NOW), messages("3\tlater")
    changed = {RESULT: NOW}, {RESULT: "3\tlater"}
    assert not undeclared(run((messages(), first, changed[0]), (messages(), second, changed[1])))
    both = {RESULT: NOW}
    assert len(undeclared(run((messages(), first, both), (messages(), messages(), both)))) == 1


def test_nothing_else_may_differ() -> None:
    sent = messages()
    sent[0]["role"] = "system"
    with pytest.raises(AssertionError, match="nobody sent"):
        undeclared(run((messages(), sent, {})))
    with pytest.raises(AssertionError, match="never left"):
        undeclared(run((messages(), messages(), {}))._replace(behind=[], judged=[]))


def test_words_about_files_are_compared_with_the_disk(tmp_path: Path) -> None:
    file = tmp_path / "a.py"
    file.write_text("x\ny\nz\n")
    note = (
        f"Note: {file} changed on disk since you last read it:\n1\tx\n...\n3\tz\nsaid\n9\tno line"
    )
    body = request(messages(note=note)).body
    assert told.stale(body, tmp_path) == []
    file.write_text("x\ny\nnew\n")
    assert len(told.stale(body, tmp_path)) == 1
    file.unlink()
    assert len(told.stale(body, tmp_path)) == 2


def test_a_tee_passes_bytes_and_keeps_requests(tmp_path: Path) -> None:
    sent = (
        b"POST /a HTTP/1.1\r\nContent-Length: 3\r\n\r\nabc"
        b"POST /b HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n2;x=y\r\nde\r\n1\r\nf\r\n0\r\n\r\n"
        b"GET /c HTTP/1.1\r\n\r\n"
    )

    async def passed() -> bytes:
        came = b""

        async def met(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            nonlocal came
            came = await reader.readexactly(len(sent))
            writer.write(b"answer")
            writer.close()

        async with (
            await asyncio.start_server(met, "127.0.0.1", 0) as server,
            await tee(0, port_of(server), keeping(tmp_path / "kept")) as between,
        ):
            reader, writer = await asyncio.open_connection("127.0.0.1", port_of(between))
            writer.write(sent)
            assert await reader.read() == b"answer"
            writer.close()
        return came

    assert asyncio.run(passed()) == sent
    kept = [
        file.read_bytes().partition(b"\r\n\r\n")[2]
        for file in sorted((tmp_path / "kept").iterdir())
    ]
    assert kept == [b"abc", b"def", b""]


@pytest.mark.parametrize(
    ("started", "ended", "is_told"),
    [
        ('"is_backgrounded":false,"task_type":"local_bash"', '"output_file":"f"', False),
        ('"task_type":"local_bash"', '"output_file":""', False),
        ('"task_type":"local_bash"', '"output_file":"f"', True),
        ('"task_type":"local_agent"', '"output_file":""', True),
    ],
)
def test_what_is_told_of_slow_commands_in_front_is_not_compared(
    started: str, ended: str, *, is_told: bool
) -> None:
    head = '{"type":"system","subtype":"task_%s","task_id":"b1",'
    lines = [f"{head % 'started'}{started}}}", f"{head % 'notification'}{ended}}}"]
    assert compared("\n".join([*lines, "Reconnecting... 1/5", "end"])) == (
        "\n".join([*lines, "end"]) if is_told else "end"
    )
