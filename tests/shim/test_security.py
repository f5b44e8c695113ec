"""Who may speak to the proxy, and what is never told."""

import sqlite3
from pathlib import Path
from typing import Any

import pytest

from statetape.errors import BadInput
from statetape.shim.log import Log
from statetape.shim.security import Gate, Refusal, gate, prefix

LOCAL = {"host": "127.0.0.1:8080"}


@pytest.mark.parametrize(
    "host", ["127.0.0.1:1", "localhost", "localhost:99", "[::1]:5", "127.9.9.9"]
)
def test_names_of_this_machine_are_let_in(host: str) -> None:
    assert Gate(local=True, token=None).admitted("/v1/messages", {"host": host}) == "/v1/messages"


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"host": ""},
        {"host": "evil.example"},
        {"host": "evil.example:8080"},
        {"host": "localhost.evil.example"},
        {"host": "127.0.0.1.evil.example"},
        {"host": "[::1"},
        {"host": "10.0.0.1"},
        {"host": "user@evil.example"},
        {**LOCAL, "origin": "https://evil.example"},
        {**LOCAL, "origin": "null"},
        {**LOCAL, "origin": ""},
        {**LOCAL, "origin": "http://127.0.0.1.evil.example"},
    ],
    ids=str,
)
def test_pages_of_others_are_not(headers: dict[str, str]) -> None:
    for path in ("/v1/messages", "/_statetape/state", "/_statetape/healthz"):
        refused = Gate(local=True, token=None).admitted(path, headers)
        assert isinstance(refused, Refusal)
        assert refused.status == 403


def test_a_token_opens_by_its_header_or_by_the_path_and_goes_no_further() -> None:
    asked = Gate(local=False, token="abc123")
    away = {"host": "build-7.internal"}
    assert asked.admitted("/v1/messages?x=1", {**away, "x-statetape-token": "abc123"}) == (
        "/v1/messages?x=1"
    )
    assert asked.admitted(f"{prefix('abc123')}/v1/messages?x=1", away) == "/v1/messages?x=1"
    assert asked.admitted(prefix("abc123"), away) == "/"
    assert asked.admitted("/_statetape/healthz", away) == "/_statetape/healthz"
    for target in ("/v1/messages", f"{prefix('abc')}/v1/messages", prefix("abc1234"), prefix("")):
        assert isinstance(asked.admitted(target, away), Refusal)


def test_another_interface_needs_to_be_meant_and_a_token() -> None:
    assert gate("127.0.0.1", remote=False, token=None) == Gate(local=True, token=None)
    assert gate("::1", remote=False, token=None).local
    for settings in ({"remote": False, "token": "t"}, {"remote": True, "token": None}):
        with pytest.raises(BadInput, match="--allow-remote and a token"):
            gate("0.0.0.0", **settings)
    assert gate("0.0.0.0", remote=True, token="t") == Gate(local=False, token="t")
    with pytest.raises(BadInput, match="letters and digits"):
        gate("127.0.0.1", remote=False, token="a/b")


@pytest.mark.parametrize("target", ["http://evil.example/x", "*", "evil.example:443"])
def test_the_proxy_is_none_for_other_servers(target: str) -> None:
    assert Gate(local=True, token=None).admitted(target, LOCAL) == Refusal(
        400, "no request for a server"
    )


async def test_a_refused_request_goes_nowhere(shim: Any) -> None:
    async with shim() as running:
        for line in ("Host: evil.example", "Host: localhost\r\nOrigin: https://evil.example"):
            reader, writer = await running.raw(
                f"GET /v1/models HTTP/1.1\r\n{line}\r\n\r\n".encode()
            )
            assert (await reader.readline()).startswith(b"HTTP/1.1 403 ")
            writer.close()
        reader, writer = await running.raw(
            b"CONNECT evil.example:443 HTTP/1.1\r\nHost: evil.example:443\r\n\r\n"
        )
        assert (await reader.readline()).startswith(b"HTTP/1.1 400 ")
        writer.close()
        state = await running.insight.state()
    assert running.upstream.seen == []
    assert sum(state["proxy"]["refused"].values()) == 3


SECRET = "sk-ant-V3rySecret"


async def test_credentials_reach_the_upstream_and_nobody_else(
    shim: Any, scripted: Any, tmp_path: Path
) -> None:
    store = tmp_path / "store.sqlite"

    class Careless(scripted):  # type: ignore[misc]
        """Keeps and says whatever it gets."""

        def maintained(self, path: str, headers: Any, body: bytes) -> bytes:
            super().maintained(path, headers, body)
            with sqlite3.connect(store) as database:
                database.execute("CREATE TABLE IF NOT EXISTS kept (text)")
                database.execute("INSERT INTO kept VALUES (?)", (f"{path} {headers} {body!r}",))
            database.close()
            raise ValueError(f"{path} {headers}")

        def state(self) -> dict[str, Any]:
            return {"asked": repr(self.asked)}

    named: tuple[str, ...] = ("Authorization", "x-api-key", "Cookie", "api-key", "X-Goog-Api-Key")
    named += ("ChatGPT-Account-Id", "Proxy-Authorization", "x-some-token", "OpenAI-Organization")
    core = Careless()
    async with shim(core, tmp_path / "log") as running:
        target = f"{running.url}/v1/messages?key={SECRET}"
        headers = dict.fromkeys(named, f"Bearer {SECRET}") | {"session-id": "s1"}
        async with running.session.post(target, data=b"{}", headers=headers) as response:
            assert response.status == 200
        told = ""
        for page in ("state", "metrics", "healthz"):
            async with running.session.get(f"{running.url}/_statetape/{page}") as response:
                told += await response.text()
    (sent,) = running.upstream.seen
    assert SECRET in sent.first
    assert all(
        sent.named[name.lower()] == f"Bearer {SECRET}" for name in named if "Proxy" not in name
    )
    assert core.asked[0][1]["session-id"] == "s1"
    for kept in (told, (tmp_path / "log").read_text(), store.read_bytes().decode("latin-1")):
        assert kept
        assert SECRET not in kept


def test_a_log_is_for_its_user_alone(tmp_path: Path) -> None:
    path = tmp_path / "log"
    path.touch(0o644)
    Log(path).close()
    assert path.stat().st_mode & 0o777 == 0o600
    with pytest.raises(BadInput, match="log/x: "):
        Log(path / "x")


def test_a_log_that_cannot_be_written_is_no_trouble() -> None:
    log = Log(Path("/dev/full"))
    log.line("request")
    log.line("request")
    assert Path("/dev/full").stat().st_mode & 0o777 != 0o600


async def test_cookies_and_netrc_are_not_used(
    shim: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    netrc = tmp_path / "netrc"
    netrc.write_text("machine 127.0.0.1 login me password secret\n")
    netrc.chmod(0o600)
    monkeypatch.setenv("NETRC", str(netrc))

    async def script(reader: Any, writer: Any) -> None:
        while True:
            running.upstream.seen.append(await running.upstream.request(reader))
            writer.write(running.upstream.answer(b"{}", "200 OK", "Set-Cookie: a=1"))

    async with shim(host="localhost") as running:  # no cookies are kept for bare addresses
        running.upstream.script = script
        await running.post()
        await running.post()
    assert len(running.upstream.seen) == 2
    for sent in running.upstream.seen:
        assert not {"authorization", "cookie"} & sent.named.keys()
