"""`statetape serve`: the proxy as a process of its own."""

import asyncio
import signal
import socket
import sys
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from statetape.cli.hosting import TOKEN_VARIABLE, default_store, proxy_options
from statetape.cli.managing import managing
from statetape.cli.terms import means_of
from statetape.errors import BadInput, StatetapeError
from statetape.shim.app import Settings, serving
from statetape.shim.log import Log
from statetape.shim.maintainer import Maintainer
from statetape.shim.security import gate
from statetape.shim.upstreams import upstreams

if TYPE_CHECKING:
    from statetape.policies.hosted import Models
    from statetape.shim.billing import Means
    from statetape.shim.core import Core

READY = "ready"


@click.command()
@click.option("--port", metavar="PORT", type=click.IntRange(0, 65535), required=True,
              help="The port to listen on (0: one that is free).")  # fmt: skip
@click.option("--host", metavar="ADDRESS", default="127.0.0.1", show_default=True,
              help="The interface to listen on.")  # fmt: skip
@click.option("--allow-remote", is_flag=True,
              help="Allow an interface that other machines reach; needs a token too.")  # fmt: skip
@click.option("--token", metavar="TOKEN", envvar=TOKEN_VARIABLE, show_envvar=True,
              help="What a request has to say, in its path or a header.")  # fmt: skip
@click.option("--inherited", type=int, hidden=True)
@proxy_options
def command(
    *,
    port: int,
    host: str,
    allow_remote: bool,
    token: str | None,
    inherited: int | None,
    upstream: tuple[str, ...],
    repo: Path | None,
    policy: str,
    observe: bool,
    rewrite_inputs: bool,
    store: Path | None,
    deadline: float,
    log: Path | None,
    **terms: Any,
) -> None:
    """Maintain the context of agents that send their requests here.

    Each request goes on to the API it is meant for, with true text in place of stale text. If
    maintenance fails or is late, it goes on as it came. Give the agent http://127.0.0.1:PORT as
    its base URL. GET /_statetape/state says what was done, /_statetape/metrics the same for
    Prometheus. Ctrl-C ends it.
    """
    asked = managing(policy, terms)
    if asked.model is not None and not asked.behind:
        deadline += asked.deadline
    settings = Settings(
        gate(host, remote=allow_remote, token=token or None),
        upstreams(upstream),
        observe=observe,
        deadline=deadline,
    )
    if policy not in ("default", "heuristic", "model"):
        terms["notes"] = 0  # what rivals leave stale, nobody tells
    means = means_of(observe=observe, **terms)
    core = _core(repo, policy, means, asked.models(), rewrite_inputs=rewrite_inputs, store=store)
    core.patience = deadline / 2
    alone = inherited is None
    listener = _listener(host, port) if inherited is None else socket.socket(fileno=inherited)
    written = Log(log, _say if alone else lambda _: None)
    try:
        interrupted = asyncio.run(_served(settings, core, listener, written, alone=alone))
    finally:
        written.close()
    if interrupted:
        raise click.Abort


async def _served(
    settings: Settings, core: Maintainer, listener: socket.socket, log: Log, *, alone: bool
) -> bool:
    """Serve until a signal says stop, or, where it is not alone, until the parent is gone.

    Whether it was interrupted from a terminal.
    """
    loop = asyncio.get_running_loop()
    stop: asyncio.Future[bool] = loop.create_future()

    def end(*, interrupted: bool) -> None:
        if not stop.done():
            stop.set_result(interrupted)

    loop.add_signal_handler(signal.SIGTERM, lambda: end(interrupted=False))
    loop.add_signal_handler(signal.SIGINT, lambda: end(interrupted=alone))
    async with serving(settings, core, listener, log):
        if alone:
            _say(_announced(listener, settings))
        else:
            loop.add_reader(sys.stdin.fileno(), lambda: end(interrupted=False))
            print(READY, flush=True)  # noqa: T201 (the parent waits for it)
        return await stop


def _announced(listener: socket.socket, settings: Settings) -> str:
    address, number = listener.getsockname()[:2]
    said = f"[{address}]" if ":" in address else address
    servers = ", ".join(dict.fromkeys(settings.upstreams.hosts().values()))
    return f"http://{said}:{number} goes on to {servers}"


def _core(
    repo: Path | None,
    policy: str,
    means: "Means",
    models: "Models",
    *,
    rewrite_inputs: bool,
    store: Path | None,
) -> "Core":
    from statetape.shim.core import Core

    if repo is not None and not repo.is_dir():
        raise BadInput(f"{repo}: no folder")
    core = Core(
        repo=repo.absolute() if repo else None,
        policy=policy,
        rewrite_inputs=rewrite_inputs,
        store=store or default_store(),
        means=means,
        models=models,
    )
    threading.Thread(target=core.warm, name="statetape-warm", daemon=True).start()
    return core


def _listener(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        return socket.create_server((host, port), family=family)
    except OSError as error:
        # Python adds where it tried; the line has it already.
        what = (error.strerror or str(error)).partition(" (")[0]
        raise StatetapeError(f"{host} port {port}: {what}") from None


def _say(line: str) -> None:
    click.echo(f"statetape: {line}", err=True)
