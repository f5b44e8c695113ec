"""The core of the shim, bytes to bytes."""

import json
import subprocess
import threading
from pathlib import Path
from typing import Any

import pytest

from statetape.errors import BadInput
from statetape.shim.core import Core
from statetape.store.state import StoreError
from statetape.wire.values import WireError

SOURCE = "def f():\n    return 1\n"
SHOWN = "1\tdef f():\n2\t    return 1\n3\t"
HEADERS = {"x-claude-code-session-id": "s1", "x-api-key": "secret"}
TOOLS: list[dict[str, Any]] = [{"name": name} for name in ("Read", "Edit", "Bash")]


class Repo:
    """A repository with one file, and a core in front of it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder / "repo"
        self.folder.mkdir()
        self.file = self.folder / "a.py"
        self.file.write_text(SOURCE)
        self.store = folder / "state" / "changes.sqlite"
        self.core = self.started()

    def started(self, **given: Any) -> Core:
        options: dict[str, Any] = {"repo": self.folder, "policy": "default"}
        return Core(**{**options, "rewrite_inputs": False, "store": self.store, **given})

    def read(self, text: str = SHOWN) -> list[dict[str, Any]]:
        given = {"file_path": str(self.file)}
        use = {"type": "tool_use", "id": "t1", "name": "Read", "input": given}
        result = {"type": "tool_result", "tool_use_id": "t1", "content": text}
        return [
            {"role": "user", "content": "go"},
            {"role": "assistant", "content": [use]},
            {"role": "user", "content": [result]},
        ]

    def body(self, messages: list[dict[str, Any]], **given: Any) -> bytes:
        system = f"You help.\n - Primary working directory: {self.folder}\n"
        asks = {"model": "m", "stream": True, "system": system, "tools": TOOLS}
        return json.dumps({**asks, "messages": messages, **given}, indent=1).encode()

    def send(self, body: bytes, headers: dict[str, str] = HEADERS) -> bytes:
        return self.core.maintained("/v1/messages", headers, body)


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    return Repo(tmp_path)


MORE: list[dict[str, Any]] = [
    {"role": "assistant", "content": [{"type": "text", "text": "ok"}]},
    {"role": "user", "content": "and now?"},
]


def test_a_request_with_nothing_stale_is_the_same_object(repo: Repo) -> None:
    body = repo.body(repo.read())
    assert repo.send(body) is body
    assert repo.core.state()["requests"] == 1


def test_only_the_stale_text_is_replaced(repo: Repo) -> None:
    repo.send(repo.body(repo.read()))
    repo.file.write_text(SOURCE.replace("1", "2"))
    body = repo.body([*repo.read(), *MORE])
    sent = repo.send(body)
    new = json.loads(sent)["messages"][2]["content"][0]["content"]
    assert "return 2" in new
    assert sent == body.replace(json.dumps(SHOWN).encode(), json.dumps(new).encode())
    state = repo.core.state()
    assert state["changes"] == {"refresh": 1}
    assert state["tokens"]["with"] != state["tokens"]["without"]
    assert state["repositories"] == [str(repo.folder)]


def test_a_request_waits_for_others_on_its_repository_as_long_as_it_may(repo: Repo) -> None:
    repo.send(repo.body(repo.read()))
    repo.file.write_text(SOURCE.replace("1", "2"))
    body = repo.body([*repo.read(), *MORE])
    (checkout,) = repo.core._checkouts.values()
    held, over = threading.Event(), threading.Event()

    def hold() -> None:
        with checkout.lock:
            held.set()
            over.wait(60)

    other = threading.Thread(target=hold)
    other.start()
    held.wait(60)
    repo.core.patience = 0.01
    assert repo.core.maintained("/v1/messages", HEADERS, body) is body
    assert "the repository is being looked through" in repo.core.state()["nothing_done"]
    repo.core.patience = 60
    threading.Timer(0.02, over.set).start()
    assert b"return 2" in repo.core.maintained("/v1/messages", HEADERS, body)
    other.join()


def test_what_is_no_turn_passes(repo: Repo) -> None:
    title = repo.body([{"role": "user", "content": "Generate a title"}], tools=[])
    assert repo.send(title) is title
    other = repo.body(repo.read(), tools=[{"name": "get_weather"}])
    assert repo.send(other) is other
    assert repo.core.maintained("/v1/models", HEADERS, b"") == b""
    assert repo.core.maintained("/v1/messages/count_tokens", HEADERS, other) is other
    assert repo.core.state()["requests"] == 0
    assert "no agent that is known offers these tools" in repo.core.state()["nothing_done"]


def test_the_repository_is_found_from_the_request(repo: Repo) -> None:
    subprocess.run(["git", "init", "-q", str(repo.folder)], check=True)
    inner = repo.folder / "lib"
    inner.mkdir()
    system = f" - Primary working directory: {inner}\n"
    repo.core = repo.started(repo=None)
    repo.send(repo.body(repo.read(), system=system))
    repo.file.write_text(SOURCE.replace("1", "2"))
    assert b"return 2" in repo.send(repo.body([*repo.read(), *MORE], system=system))
    assert repo.core.state()["repositories"] == [str(repo.folder)]


@pytest.mark.parametrize(
    ("system", "why"),
    [
        ("nothing", "does not say where it works"),
        (" - Primary working directory: /no/such/folder\n", "/no/such/folder is no folder here"),
    ],
)
def test_without_a_repository_nothing_is_done_and_it_says_why(
    repo: Repo, system: str, why: str
) -> None:
    repo.core = repo.started(repo=None)
    body = repo.body(repo.read(), system=system)
    assert repo.send(body) is body
    assert why in next(iter(repo.core.state()["nothing_done"]))


def test_a_folder_under_another_name_is_the_one_that_was_given(repo: Repo) -> None:
    """An agent in a container sees the repository elsewhere."""
    there = [json.loads(json.dumps(m).replace(str(repo.folder), "/there")) for m in repo.read()]
    system = " - Primary working directory: /there\n"
    repo.send(repo.body(there, system=system))
    repo.file.write_text(SOURCE.replace("1", "2"))
    assert b"return 2" in repo.send(repo.body([*there, *MORE], system=system))


def test_threads_of_one_session_are_conversations_of_their_own(repo: Repo) -> None:
    thread = {**HEADERS, "x-claude-code-agent-id": "sub"}
    repo.send(repo.body(repo.read()))
    repo.send(repo.body([{"role": "user", "content": "look"}]), thread)
    repo.file.write_text(SOURCE.replace("1", "2"))
    assert b"return 2" in repo.send(repo.body([*repo.read(), *MORE]))
    assert repo.core.state()["conversations"] == 2


def test_a_result_in_an_envelope_is_replaced_inside_it(repo: Repo) -> None:
    envelope = json.dumps({"returncode": 0, "output": SOURCE}, indent=2)
    call = {"id": "c1", "type": "function"}
    function = {"name": "bash", "arguments": json.dumps({"command": "cat a.py"})}
    messages: list[dict[str, Any]] = [
        {"role": "user", "content": "go"},
        {"role": "assistant", "content": "", "tool_calls": [{**call, "function": function}]},
        {"role": "tool", "tool_call_id": "c1", "content": envelope},
    ]
    tools = [{"type": "function", "function": {"name": "bash"}}]
    path = "/v1/chat/completions"

    def body(messages: list[dict[str, Any]]) -> bytes:
        return json.dumps({"model": "m", "messages": messages, "tools": tools}).encode()

    repo.core.maintained(path, {}, body(messages))
    repo.file.write_text(SOURCE.replace("1", "2"))
    more = [*messages, {"role": "assistant", "content": "ok"}, {"role": "user", "content": "on"}]
    sent = json.loads(repo.core.maintained(path, {}, body(more)))
    inner = json.loads(sent["messages"][2]["content"])
    assert inner["returncode"] == 0
    assert inner["output"].startswith(SOURCE.replace("1", "2").rstrip("\n"))


def test_a_file_is_read_before_the_agent_writes_it(repo: Repo) -> None:
    body = repo.body([{"role": "user", "content": "go"}])
    repo.send(body)
    other = repo.folder / "b.py"
    other.write_text("old\n")
    given = json.dumps({"file_path": str(other), "content": "new\n"})
    events = [
        {"type": "content_block_start", "index": 0,
         "content_block": {"type": "tool_use", "id": "w", "name": "Write", "input": {}}},
        {"type": "content_block_delta", "index": 0,
         "delta": {"type": "input_json_delta", "partial_json": given}},
        {"type": "content_block_stop", "index": 0},
    ]  # fmt: skip
    stream = "".join(f"event: {e['type']}\ndata: {json.dumps(e)}\n\n" for e in events).encode()
    for at in range(0, len(stream), 50):
        repo.core.answered("/v1/messages", HEADERS, body, stream[at : at + 50])
    repo.core.answered("/v1/messages", HEADERS, body, None)
    other.write_text("new\n")
    repo.send(repo.body([{"role": "user", "content": "go"}, *MORE]))
    (checkout,) = repo.core._checkouts.values()
    (entry,) = checkout.workspace.tape.since(0)
    assert (entry.write.path, entry.write.before, entry.write.after) == ("b.py", b"old\n", b"new\n")


def test_faults_are_told_and_the_next_request_starts_anew(
    repo: Repo, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(WireError):
        repo.send(b"{")
    with pytest.raises(BadInput, match="no policy"):
        repo.started(policy="none")
    repo.store.mkdir(parents=True)  # no file can be made there
    with pytest.raises(StoreError):
        repo.send(repo.body(repo.read()))
    repo.store.rmdir()
    repo.send(repo.body(repo.read()))
    repo.file.write_text(SOURCE.replace("1", "2"))

    def failing(*_: object, **__: object) -> None:
        raise OSError("disk")

    later = repo.body([*repo.read(), *MORE])
    with monkeypatch.context() as patch:
        patch.setattr("statetape.shim.checkout.Checkout.catch_up", failing)
        with pytest.raises(OSError, match="disk"):
            repo.send(later)
    assert b"return 2" in repo.send(later) or b"dropped" in repo.send(later)


def test_no_credential_is_kept(repo: Repo) -> None:
    repo.send(repo.body(repo.read()), {**HEADERS, "authorization": "Bearer secret"})
    repo.file.write_text(SOURCE.replace("1", "2"))
    repo.send(repo.body([*repo.read(), *MORE]), {**HEADERS, "authorization": "Bearer secret"})
    assert "secret" not in json.dumps(repo.core.state())
    assert all(b"secret" not in file.read_bytes() for file in repo.store.parent.iterdir())
