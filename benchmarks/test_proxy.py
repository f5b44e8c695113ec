"""The shim as a proxy beside a bare pass-through of the same library, in the same run."""

import http.client
import json
import os
import socket
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

RATIOS: list[str] = []
SERVERS = Path(__file__).with_name("servers.py")
TOOLS = [{"name": name, "input_schema": {}} for name in ("Read", "Edit", "Bash")]
ROUNDS = 30


@pytest.fixture(scope="module", autouse=True)
def _ratios() -> Iterator[None]:
    yield
    print("\n\n" + "\n".join(RATIOS))  # noqa: T201 -- the figures are the point


def free() -> int:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port: int = server.getsockname()[1]
        return port


def started(port: int, *command: str, **given: str) -> "subprocess.Popen[bytes]":
    process = subprocess.Popen(
        [sys.executable, "-P", *command], env={**os.environ, **given}, stderr=subprocess.DEVNULL
    )
    until = time.monotonic() + 30
    while time.monotonic() < until:
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
        except OSError:
            time.sleep(0.02)
        else:
            return process
    raise TimeoutError(" ".join(command))


@pytest.fixture(scope="module")
def ports(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, int]]:
    """The ports of a bare proxy and of the shim, both before the same upstream; the shim's pid."""
    folder = tmp_path_factory.mktemp("proxy")
    repo = folder / "repo"
    repo.mkdir()
    for number in range(200):
        (repo / f"m{number}.py").write_text(f"def f{number}():\n    return {number}\n" * 40)
    up, bare, shim = free(), free(), free()
    url = f"http://127.0.0.1:{up}"
    serve = "import sys; from statetape.cli import main; main()"
    processes = [
        started(up, str(SERVERS), "upstream", str(up)),
        started(bare, str(SERVERS), "bare", str(bare), url),
        started(
            *(shim, "-c", serve, "serve", "--port", str(shim), "--upstream", url),
            *("--repo", str(repo), "--store", str(folder / "s.sqlite")),
            STATETAPE_CACHE=str(folder / "cache"),
        ),
    ]
    yield {"bare": bare, "shim": shim, "pid": processes[2].pid}
    for process in processes:
        process.terminate()
        process.wait()


def body(repo_file: str, size: int, salt: str = "") -> bytes:
    """A conversation that has read one file again and again."""
    shown = "\n".join(f"{n}\tdef f{n}(): return {n}" for n in range(1, 150))
    messages: list[dict[str, Any]] = [{"role": "user", "content": f"Go on. {salt}"}]
    while size > 0:
        name = f"t{salt}{len(messages)}"
        use = {"type": "tool_use", "id": name, "name": "Read", "input": {"file_path": repo_file}}
        result = {"type": "tool_result", "tool_use_id": name, "content": shown}
        messages += [{"role": "assistant", "content": [use]}, {"role": "user", "content": [result]}]
        size -= len(shown) + 300
    return json.dumps({"model": "m", "stream": True, "tools": TOOLS, "messages": messages}).encode()


def asked(port: int, data: bytes, answer: int, session: str) -> tuple[float, float]:
    """Seconds to the first byte of an answer of so many bytes, and to its last."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=120)
    headers = {"x-bytes": str(answer), "x-claude-code-session-id": session}
    begun = time.perf_counter()
    connection.request("POST", "/v1/messages", data, headers)
    response = connection.getresponse()
    response.read(1)
    first = time.perf_counter() - begun
    while response.read(1 << 16):
        pass
    connection.close()
    return first, time.perf_counter() - begun


def test_memory(benchmark: Any, ports: dict[str, int]) -> None:
    """First of all: large requests leave holes in the heap that stay with the process."""
    for number in range(10):
        for size in (900_000, 1_000_000):
            asked(ports["shim"], body(f"m{number}.py", size, f"c{number}"), 1000, f"m{number}")
    status = Path(f"/proc/{ports['pid']}/status").read_text()
    resident = int(status.partition("VmRSS:")[2].split()[0]) / 1024
    RATIOS.append(f"resident with ten conversations of 1 MB: {resident:.0f} MB")
    benchmark.pedantic(lambda: None, rounds=1)


@pytest.mark.parametrize("size", [700_000, 3_000_000])
def test_latency(benchmark: Any, ports: dict[str, int], size: int) -> None:
    data = body("m1.py", size)
    found: dict[str, list[float]] = {"bare": [], "shim": []}
    for _ in range(ROUNDS):
        for name, spent in found.items():
            spent.append(asked(ports[name], data, 1000, f"s{size}")[0])
    bare, shim = (statistics.median(found[name][3:]) for name in ("bare", "shim"))
    RATIOS.append(
        f"first byte, {len(data) / 1e3:.0f} kB request: {shim * 1e3:.1f} ms with the shim, "
        f"{bare * 1e3:.1f} ms bare: {shim / bare:.2f} x, {(shim - bare) * 1e3:.1f} ms more"
    )
    benchmark.pedantic(lambda: None, rounds=1)


def test_throughput(benchmark: Any, ports: dict[str, int]) -> None:
    data, answer = body("m1.py", 20_000), 20_000_000
    found: dict[str, list[float]] = {"bare": [], "shim": []}
    for _ in range(5):
        for name, spent in found.items():
            spent.append(answer / asked(ports[name], data, answer, "t")[1])
    bare, shim = (max(found[name]) for name in ("bare", "shim"))
    RATIOS.append(
        f"streamed answer: {shim / 1e6:.0f} MB/s with the shim, {bare / 1e6:.0f} MB/s bare: "
        f"{shim / bare:.2f} x"
    )
    benchmark.pedantic(lambda: None, rounds=1)
