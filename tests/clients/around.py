"""A shim with a tee on either side, as one command for the harness.

around.py PORT UPSTREAM REPO OUT [OPTION...]: on PORT a tee that keeps each request in OUT/front,
behind it `statetape serve`, behind that one which keeps them in OUT/behind and writes a line of
JSON to OUT/judged.jsonl for each: what the oracle says of it, and what the store declares.
"""

import asyncio
import json
import re
import signal
import socket
import sqlite3
import sys
from contextlib import closing, suppress
from pathlib import Path
from urllib.parse import urlsplit

import oracle  # type: ignore[import-not-found]  # beside this script
import told  # type: ignore[import-not-found]
from tee import Heard, decoded, keeping, port_of, tee  # type: ignore[import-not-found]

_CONVERSATIONS = ("/messages", "/responses", "/chat/completions")
_ZSTD = re.compile(rb"^content-encoding: *zstd", re.IGNORECASE | re.MULTILINE)
_STORE = Path.home() / ".local/state/statetape/changes.sqlite"


def judging(repo: Path, out: Path) -> Heard:
    """Keeps requests in a folder, and writes what there is to say of each."""
    seen: dict[str, tuple[str, str]] = {}
    keep = keeping(out / "behind")
    (out / "judged.jsonl").touch()

    def heard(request: bytes) -> None:
        head, _, body = request.partition(b"\r\n\r\n")
        target = head.split(b" ")[1].decode().partition("?")[0]
        said: dict[str, object] = {"stale": [], "inputs": [], "declared": declared()}
        if body and target.endswith(_CONVERSATIONS):
            if _ZSTD.search(head):
                body = decoded(body, "zstd")
            with suppress(ValueError, UnicodeDecodeError):  # broken on purpose
                said["stale"] = oracle.stale(body, repo, seen) + told.stale(body, repo)
                said["inputs"] = oracle.stale_inputs(body, repo)
        with (out / "judged.jsonl").open("a") as file:
            file.write(json.dumps(said) + "\n")
        keep(request)

    return heard


def declared() -> list[tuple[str, str, str]]:
    """All changes that the store has now: id and side of the slot, and the text."""
    if not _STORE.exists():
        return []
    with closing(sqlite3.connect(f"file:{_STORE}?mode=ro", uri=True)) as database:
        try:
            return database.execute("SELECT id, side, text FROM changes").fetchall()
        except sqlite3.OperationalError:  # it is being made
            return []


def free() -> int:
    """A port that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


async def main(port: str, upstream: str, repo: str, out: str, *options: str) -> None:
    target, own = urlsplit(upstream).port, free()
    behind = await tee(0, target, judging(Path(repo), Path(out)))
    program = [sys.executable, "-P", "-c", "from statetape.cli import main; main()"]
    if options[:1] and options[0].endswith(".py"):  # a statetape with a policy of its own
        program, options = [sys.executable, "-P", options[0]], options[1:]
    shim = await asyncio.create_subprocess_exec(
        *program,
        *("serve", "--port", str(own), "--upstream", f"http://127.0.0.1:{port_of(behind)}"),
        *("--repo", repo, "--deadline", "60", *options),
    )
    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, shim.terminate)
    while not _listens(own):
        if shim.returncode is not None:
            sys.exit(shim.returncode)
        await asyncio.sleep(0.05)
    async with await tee(int(port), own, keeping(Path(out) / "front")):
        code = await shim.wait()
    sys.exit(max(code, 0))


def _listens(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
