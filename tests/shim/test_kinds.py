"""Kinds of conversations and of files that break what seems plain: bytes in, bytes out."""

import json
import os
import shutil
import sqlite3
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from statetape.shim.core import Core
from statetape.store.state import StoreError

TOOLS = [{"name": name} for name in ("Read", "Edit", "Write", "Bash")]
SOURCE = "def f():\n    return 1\n\n\ndef g():\n    return f()\n"
OTHER = SOURCE.replace("1", "2")
Messages = list[dict[str, Any]]


def numbered(text: str, first: int = 1) -> str:
    return "\n".join(f"{n}\t{line}" for n, line in enumerate(text.split("\n"), first))


def call(name: str, tool: str, **given: object) -> dict[str, Any]:
    use = {"type": "tool_use", "id": name, "name": tool, "input": given}
    return {"role": "assistant", "content": [use]}


def result(name: str, text: str) -> dict[str, Any]:
    shown = {"type": "tool_result", "tool_use_id": name, "content": text}
    return {"role": "user", "content": [shown]}


def say(text: str) -> Messages:
    return [{"role": "assistant", "content": "ok"}, {"role": "user", "content": text}]


GO: Messages = [{"role": "user", "content": "go"}]


class Repo:
    """A repository with one file, and a core in front of it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder / "repo"
        self.folder.mkdir()
        self.store = folder / "state" / "changes.sqlite"
        self.write("a.py", SOURCE)
        self.core = self.started()

    def started(self) -> Core:
        return Core(repo=self.folder, policy="default", rewrite_inputs=False, store=self.store)

    def restart(self) -> None:
        self.core.close()
        self.core = self.started()

    def write(self, name: str, text: str | bytes) -> None:
        data = text.encode() if isinstance(text, str) else text
        (self.folder / name).write_bytes(data)

    def read(self, name: str, text: str, path: str = "a.py", **given: object) -> Messages:
        file = str(self.folder / path)
        return [call(name, "Read", file_path=file, **given), result(name, text)]

    def send(self, messages: Messages, session: str = "s", cwd: str | None = None) -> Any:
        """The texts of the results as they go on, by the id of their calls."""
        system = f" - Primary working directory: {cwd or self.folder}\n"
        asks = {"model": "m", "system": system, "tools": TOOLS, "messages": messages}
        body = json.dumps(asks).encode()
        sent = self.core.maintained("/v1/messages", {"x-claude-code-session-id": session}, body)
        sent.decode()  # no text that is no UTF-8
        contents = [message["content"] for message in json.loads(sent)["messages"]]
        blocks = [block for content in contents if isinstance(content, list) for block in content]
        return {it["tool_use_id"]: it["content"] for it in blocks if it["type"] == "tool_result"}


@pytest.fixture
def repo(tmp_path: Path) -> Iterator[Repo]:
    repo = Repo(tmp_path)
    yield repo
    repo.core.close()


READ = numbered(SOURCE)


# Conversations


def test_a_fork_that_comes_back_is_as_old_as_it_is(repo: Repo) -> None:
    """What was read before a write by other hands does not become new by being sent anew."""
    run = [call("t", "Bash", command="pytest -q"), result("t", "3 passed")]
    main = [*GO, *repo.read("r", READ), *run]
    repo.send(main)
    repo.send([*GO, *say("a sub-agent without a key of its own")])
    repo.write("a.py", OTHER)
    repo.send([*GO, *say("a sub-agent without a key of its own"), *say("more")])
    texts = repo.send([*main, *say("on")], session="and under another name")
    assert "return 2" in texts["r"]
    assert "Run it again" in texts["t"]


def test_a_rewind_that_is_taken_back_is_as_old_as_it_is(repo: Repo) -> None:
    repo.write("b.py", SOURCE)
    main = [*GO, *say("hm"), *repo.read("r", READ)]
    repo.send(main)
    repo.send([*GO, *say("something else")])
    repo.write("a.py", OTHER)
    repo.send([*GO, *say("something else"), *repo.read("b", READ, "b.py")])
    assert "return 2" in repo.send([*main, *say("on")])["r"]


def test_more_sub_agents_under_one_key_than_are_remembered(repo: Repo) -> None:
    main = [*GO, *repo.read("r", READ)]
    repo.write("a.py", SOURCE + "# 1\n")
    repo.send([{"role": "user", "content": "first"}, *repo.read("q", READ)])
    repo.write("a.py", SOURCE)
    repo.send(main)
    for number in range(15):
        repo.send([{"role": "user", "content": f"look {number}"}])
    repo.write("a.py", OTHER)
    repo.send([{"role": "user", "content": "look again"}, *repo.read("z", numbered(OTHER))])
    assert "return 2" in repo.send([*main, *say("on")])["r"]


def test_a_write_while_nobody_looked_is_seen_when_the_conversation_comes_back(repo: Repo) -> None:
    lines = [f"x{number} = {number}\n" for number in range(60)]
    repo.write("long.py", "".join(lines))
    cat = [call("c", "Bash", command="cat a.py"), result("c", SOURCE)]
    long = repo.read("l", numbered("".join(lines)), "long.py")
    gone = repo.read("g", numbered("x = 1\n"), "gone.py")
    repo.write("gone.py", "x = 1\n")
    main = [*GO, *repo.read("r", READ), *cat, *long, *gone, *say("and?")]
    texts = repo.send(main)
    assert (texts["r"], texts["c"]) == (READ, SOURCE)
    repo.core.close()
    repo.write("a.py", OTHER)
    lines[30] = "changed = 1\n"  # one line of many
    repo.write("long.py", "".join(lines))
    (repo.folder / "gone.py").unlink()
    repo.core = repo.started()
    texts = repo.send([*main, *say("on")])
    assert all("dropped" in texts[name] for name in "rclg")


def test_a_result_that_is_sent_anew_is_still_of_its_call(repo: Repo) -> None:
    read = repo.read("r", READ)
    repo.send([*GO, *read])
    repo.send([*GO, read[0]])
    repo.send([*GO, read[0], result("r", READ), *say("hm")])
    repo.write("a.py", OTHER)
    assert "return 2" in repo.send([*GO, *read, *say("hm"), *say("on")])["r"]


def test_an_id_that_comes_twice_is_left_alone(repo: Repo) -> None:
    main = [*GO, *repo.read("r", READ)]
    repo.send(main)
    repo.write("a.py", OTHER)
    assert "return 2" in repo.send([*main, *say("on")])["r"]
    twice = [*main, *say("on"), *repo.read("r", numbered(OTHER))]
    assert repo.send(twice)["r"] == numbered(OTHER)
    repo.write("a.py", SOURCE)
    assert repo.send([*twice, *say("on")])["r"] == numbered(OTHER)


def test_results_in_any_order_and_some_without_a_call(repo: Repo) -> None:
    repo.write("b.py", SOURCE)
    uses = [*repo.read("1", "")[0]["content"], *repo.read("2", "", "b.py")[0]["content"]]
    blocks = [result("2", READ)["content"][0], result("x", READ)["content"][0]]
    blocks += result("1", READ)["content"]
    main = [
        *GO,
        {"role": "assistant", "content": uses},
        {"role": "user", "content": blocks},
        {"role": "system", "content": "a reminder in between"},
    ]
    repo.send(main)
    repo.write("b.py", OTHER)
    texts = repo.send([*main, *say("on")])
    assert ("return 2" in texts["2"], texts["1"], texts["x"]) == (True, READ, READ)


def test_no_message_at_all(repo: Repo) -> None:
    assert repo.send([]) == {}
    assert repo.send([{"role": "user", "content": []}]) == {}


def test_a_session_that_moves_to_another_repository(repo: Repo) -> None:
    """What stands there is not taken for what stands here under the same name."""
    there = repo.folder.parent / "there"
    there.mkdir()
    (there / "a.py").write_text("x = 1\n")
    main = [*GO, call("r", "Read", file_path=str(there / "a.py")), result("r", "1\tx = 1\n2\t")]
    for more in ([], say("on"), [*say("on"), *say("on")]):
        repo.write("a.py", OTHER)
        assert repo.send([*main, *more], cwd=str(there))["r"] == "1\tx = 1\n2\t"
    assert "is not in" in str(repo.core.state()["nothing_done"])


def test_two_requests_of_one_session_at_once(repo: Repo) -> None:
    main = [*GO, *repo.read("r", READ)]
    repo.send(main)
    repo.write("a.py", OTHER)
    found: list[Any] = []
    threads = [
        threading.Thread(target=lambda n=n: found.append(repo.send([*main, *say(f"{n % 3}")])))
        for n in range(9)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert len(found) == 9
    assert len({texts["r"] for texts in found}) == 1
    assert "return 2" in found[0]["r"]


def test_a_repository_that_takes_long_keeps_what_was_sent_before(
    repo: Repo, monkeypatch: pytest.MonkeyPatch
) -> None:
    main = [*GO, *repo.read("r", READ)]
    repo.send(main)
    repo.write("a.py", OTHER)
    before = repo.send([*main, *say("on")])
    repo.restart()
    monkeypatch.setattr("statetape.shim.checkout.Checkout.ready", lambda *_: False)
    assert repo.send([*main, *say("on"), *say("on")]) == before


# The re-read trap

STUBS = [
    "Wasted call — file unchanged since your last Read. Refer to that earlier tool_result instead.",
    "File unchanged since last read. The content from the earlier Read tool_result is current",
    "<system-reminder>File unchanged since last read.</system-reminder>",
]


@pytest.mark.parametrize("stub", STUBS)
@pytest.mark.parametrize("given", [{}, {"offset": 5, "limit": 2}])
def test_a_stub_is_the_text_where_no_read_shows_it(
    repo: Repo, stub: str, given: dict[str, Any]
) -> None:
    wanted = numbered("def g():\n    return f()", 5) if given else READ
    again = repo.read("s", stub, **given)
    forgotten = [{"role": "user", "content": "a summary"}, *again]
    assert repo.send(forgotten)["s"] == wanted
    other_lines = repo.read("p", "1\tdef f():\n2\t    return 1", offset=1, limit=2)
    assert repo.send([*GO, *other_lines, *again], "other lines")["s"] == wanted
    kept = [*GO, *repo.read("r", READ), *again]
    assert repo.send(kept, "kept")["s"] == stub
    assert repo.send([*kept, *repo.read("s2", stub, **given)], "kept")["s2"] == stub
    repo.restart()
    assert repo.send([*forgotten, *say("on")])["s"] == wanted


@pytest.mark.parametrize("given", [{}, {"offset": 5, "limit": 2}])
def test_a_second_stub_does_not_lead_to_the_first(repo: Repo, given: dict[str, Any]) -> None:
    main = [*GO, *repo.read("r", READ), *repo.read("s", STUBS[0], **given)]
    repo.send(main)
    (repo.folder / "a.py").unlink()
    texts = repo.send([*main, *say("gone")])
    assert "dropped" in texts["r"]
    repo.write("a.py", SOURCE)
    texts = repo.send([*main, *say("gone"), *repo.read("s2", STUBS[0], **given)])
    assert "def g():" in texts["s"] + texts["s2"]


# Files


def test_a_file_that_is_no_utf8(repo: Repo) -> None:
    old = "# caf\xe9\nx = 1\n".encode("latin-1")
    repo.write("l.py", old)
    shown = numbered(old.decode("utf-8", "replace"))
    main = [*GO, *repo.read("r", shown, "l.py")]
    assert repo.send(main)["r"] == shown
    repo.write("l.py", old.replace(b"1", b"2"))
    text = repo.send([*main, *say("on")])["r"]
    assert "1\t# caf\ufffd\n2\tx = 2" in text
    repo.restart()
    assert repo.send([*main, *say("on"), *say("on")])["r"] == text


@pytest.mark.parametrize("name", ["caf\xe9.py".encode("latin-1"), b"a\nb.py", b"-x.py", b"*.py"])
def test_a_file_whose_name_is_odd(repo: Repo, name: bytes) -> None:
    path = os.fsdecode(name)
    repo.write(path, SOURCE)
    repo.restart()
    main = [*GO, *repo.read("r", READ, path)]
    repo.send(main)
    repo.write(path, OTHER)
    assert "return 2" in repo.send([*main, *say("on")])["r"]
    repo.restart()
    assert "return 2" in repo.send([*main, *say("on")])["r"]


def test_half_a_pair_in_an_id(repo: Repo) -> None:
    main = [*GO, *repo.read("\ud800", READ)]
    repo.send(main)
    repo.write("a.py", OTHER)
    text = repo.send([*main, *say("on")])["\ud800"]
    assert "return 2" in text
    repo.restart()
    assert repo.send([*main, *say("on")])["\ud800"] == text


@pytest.mark.parametrize("old", [b"\xef\xbb\xbfx = 1\r\ny = 1\r\n", b"x = 1\ry = 1\r"])
def test_marks_and_newlines_of_other_systems(repo: Repo, old: bytes) -> None:
    repo.write("w.py", old)
    main = [*GO, *repo.read("r", "1\tx = 1\n2\ty = 1\n3\t", "w.py")]
    assert repo.send(main)["r"] == "1\tx = 1\n2\ty = 1\n3\t"
    repo.write("w.py", old.replace(b"y = 1", b"y = 2"))
    assert repo.send([*main, *say("on")])["r"].startswith("1\tx = 1\n2\ty = 2\n")


def test_a_file_beyond_the_limit_of_the_parser_and_one_that_is_binary(repo: Repo) -> None:
    large = "".join(f"x{n} = {n}\n" for n in range(120_000)) + f"# {'x' * 90}\n" * 50_000
    repo.write("large.py", large)
    repo.write("b.bin", bytes(range(256)) * 50)
    shown = numbered("x10 = 10\nx11 = 11", 11)
    main = [*GO, *repo.read("r", shown, "large.py", offset=11, limit=2)]
    main += repo.read("b", "[binary]", "b.bin")
    assert repo.send(main) == {"r": shown, "b": "[binary]"}
    repo.write("large.py", large.replace("x11 = 11\n", "x11 = 0\n"))
    repo.write("b.bin", b"\0")
    assert "x11 = 0" in repo.send([*main, *say("on")])["r"]


def to_a_folder(file: Path) -> None:
    file.unlink()
    file.mkdir()
    (file / "inner.py").write_text(SOURCE)


def to_a_pipe(file: Path) -> None:
    file.unlink()
    os.mkfifo(file)


def to_a_link(file: Path) -> None:
    file.unlink()
    file.symlink_to("nowhere")


@pytest.mark.parametrize("become", [to_a_folder, to_a_pipe, to_a_link])
def test_a_file_that_becomes_something_else(repo: Repo, become: Callable[[Path], None]) -> None:
    main = [*GO, *repo.read("r", READ)]
    repo.send(main)
    become(repo.folder / "a.py")
    assert "def f" not in repo.send([*main, *say("on")])["r"]


def test_links_lead_to_the_file_that_is_written(repo: Repo) -> None:
    (repo.folder / "lib").mkdir()
    repo.write("lib/c.py", SOURCE)
    (repo.folder / "other").symlink_to("lib")
    (repo.folder / "one.py").symlink_to("a.py")
    (repo.folder / "away.py").symlink_to("/etc/hostname")
    main = [*GO, *repo.read("1", READ, "one.py"), *repo.read("2", READ, "other/c.py")]
    main += repo.read("3", numbered("host\n"), "away.py")
    assert repo.send(main) == {"1": READ, "2": READ, "3": numbered("host\n")}
    repo.write("a.py", OTHER)
    repo.write("lib/c.py", OTHER)
    texts = repo.send([*main, *say("on")])
    assert ("return 2" in texts["1"], "return 2" in texts["2"]) == (True, True)


def test_an_agent_in_a_sub_folder_under_a_link(repo: Repo) -> None:
    (repo.folder / "lib").mkdir()
    repo.write("lib/c.py", SOURCE)
    link = repo.folder.parent / "link"
    link.symlink_to(repo.folder)
    read = [call("r", "Bash", command="cat c.py ../a.py"), result("r", SOURCE + SOURCE)]
    main = [*GO, *read, call("q", "Read", file_path=str(link / "a.py")), result("q", READ)]
    cwd = str(link / "lib")
    repo.send(main, cwd=cwd)
    repo.write("lib/c.py", OTHER)
    repo.write("a.py", OTHER)
    texts = repo.send([*main, *say("on")], cwd=cwd)
    assert texts["r"].count("return 2") == 2
    assert "return 2" in texts["q"]


def test_a_file_that_nobody_read_is_deleted(repo: Repo) -> None:
    run = [call("t", "Bash", command="pytest -q"), result("t", "3 passed")]
    repo.send([*GO, *run])
    (repo.folder / "a.py").unlink()
    rm = [call("d", "Bash", command="rm a.py"), result("d", "")]
    assert "Run it again" in repo.send([*GO, *run, *rm])["t"]


def test_a_file_that_came_and_went_falsifies_nothing(repo: Repo) -> None:
    run = [call("t", "Bash", command="pytest -q"), result("t", "3 passed")]
    repo.send([*GO, *run])
    repo.write("temporary.py", "x")
    (repo.folder / "temporary.py").unlink()
    more = [call("m", "Bash", command="make x"), result("m", "")]
    assert repo.send([*GO, *run, *more])["t"] == "3 passed"


# The folder and the watch


def test_another_repository_in_the_place_of_the_first(repo: Repo) -> None:
    run = [call("t", "Bash", command="pytest -q"), result("t", "3 passed")]
    main = [*GO, *repo.read("r", READ), *run]
    repo.send(main)
    away = repo.folder.rename(repo.folder.parent / "away")
    shutil.copytree(away, repo.folder)
    repo.write("new.py", OTHER)
    make = [call("m", "Bash", command="make"), result("m", "")]
    texts = repo.send([*main, *make])
    assert texts["r"] == READ
    assert "Run it again" in texts["t"]
    again = [call("t2", "Bash", command="pytest -q"), result("t2", "4 passed")]
    repo.send([*main, *make, *again])
    repo.write("newer.py", OTHER)
    texts = repo.send([*main, *make, *again, call("n", "Bash", command="make"), result("n", "")])
    assert "Run it again" in texts["t2"]


def test_a_folder_that_the_system_does_not_watch(
    repo: Repo, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(*_: object, **__: object) -> Iterator[set[Any]]:
        raise OSError(28, "inotify watch limit reached")

    monkeypatch.setattr("statetape.watch.watch", refused)
    run = [call("t", "Bash", command="pytest -q"), result("t", "3 passed")]
    repo.send([*GO, *run])
    repo.write("new.py", SOURCE)
    make = [call("m", "Bash", command="make"), result("m", "")]
    assert "Run it again" in repo.send([*GO, *run, *make])["t"]


# The store


def test_a_full_disk_passes_and_nothing_is_lost_when_there_is_room(repo: Repo) -> None:
    main = [*GO, *repo.read("r", READ)]
    repo.send(main)
    changes = repo.core._changes
    assert changes is not None
    changes._connection.execute("PRAGMA max_page_count = 1")
    repo.write("a.py", "# " + "x" * 200_000 + "\n" + OTHER)
    with pytest.raises(StoreError, match="full"):
        repo.send([*main, *say("on")])
    changes._connection.execute("PRAGMA max_page_count = 1000000")
    assert "return 2" in repo.send([*main, *say("on")])["r"]


def test_a_store_that_may_only_be_read(repo: Repo) -> None:
    main = [*GO, *repo.read("r", READ)]
    repo.send(main)
    changes = repo.core._changes
    assert changes is not None
    changes._connection.execute("PRAGMA query_only = 1")
    repo.write("a.py", OTHER)
    with pytest.raises(StoreError, match="readonly"):
        repo.send([*main, *say("on")])
    changes._connection.execute("PRAGMA query_only = 0")
    assert "return 2" in repo.send([*main, *say("on")])["r"]


def test_what_is_kept_are_the_texts_that_were_sent(repo: Repo) -> None:
    """No file that nobody asked for, no request, no credential."""
    repo.write("secret.env", "TOKEN=hunter2\n")
    repo.write("b.py", "PASSWORD = 'hunter3'\n")
    main = [{"role": "user", "content": "hunter4"}, *repo.read("r", READ)]
    repo.send(main)
    repo.write("a.py", OTHER)
    repo.write("b.py", "PASSWORD = 'hunter33'\n")
    repo.send([*main, *say("hunter5")])
    texts = [row[0] for row in sqlite3.connect(repo.store).execute("SELECT text FROM changes")]
    assert len(texts) == 1
    files = [file for file in repo.store.parent.rglob("*") if file.is_file()]
    assert files
    assert not [file for file in files if b"hunter" in file.read_bytes()]
    assert "hunter" not in json.dumps(repo.core.state())
