"""`statetape run`: one command with a proxy between it and its model."""

import os
import sys
from pathlib import Path

import click

from statetape.cli.account import account
from statetape.cli.foreground import CannotStart, exit_status
from statetape.cli.found import found
from statetape.cli.hosting import proxy_options
from statetape.cli.keeper import Keeper
from statetape.cli.managing import managing
from statetape.errors import BadInput
from statetape.shim.upstreams import upstreams
from statetape.shim.wiring import AGENTS, agent_named, wired

# Agents that do not say where they work: it is where they are started.
_SILENT = ("mini-swe-agent", "litellm")


@click.command(context_settings={"allow_interspersed_args": False})
@click.option("--agent", metavar="AGENT", type=click.Choice(list(AGENTS)),
              help=f"What COMMAND starts: {', '.join(AGENTS)}."
              "  [default: told from its name]")  # fmt: skip
@click.option("--quiet", "-q", is_flag=True, help="Print no account at the end.")
@proxy_options
@click.argument("words", metavar="COMMAND...", nargs=-1, required=True, type=click.UNPROCESSED)
@click.pass_context
def command(
    context: click.Context,
    /,
    *,
    words: tuple[str, ...],
    agent: str | None,
    quiet: bool,
    upstream: tuple[str, ...],
    **options: object,
) -> None:
    """Run an agent and maintain its context meanwhile.

    COMMAND is claude, codex, opencode, mini, openhands or what starts one of them, with its
    arguments. It has the terminal, the signals and the exit code to itself. Only this process of
    the agent is told of the proxy: no settings file is written. At the end stderr says what was
    done.
    """
    known = agent or (named[0] if (named := agent_named(words)) else None)
    if known is None:
        raise BadInput(f"{words[0]} is no agent known here; name what it starts with --agent")
    environment = dict(os.environ)
    told = found(environment, Path.cwd())
    servers = upstream or wired(known, words, environment, "", told).upstreams
    upstreams(servers)
    managing(str(options["policy"]), dict(options))
    if known in _SILENT and options["repo"] is None:
        options["repo"] = Path.cwd()
    with Keeper(_options(options, servers)) as keeper:
        wiring = wired(known, words, environment, keeper.base, told)
        try:
            status = exit_status(wiring.command, environment | wiring.environment)
        except CannotStart as fault:
            click.echo(f"statetape: {fault}", err=True)
            context.exit(fault.status)
        state = {} if quiet else keeper.state()
    if not quiet:
        if sys.stderr.isatty():  # a screen need not have ended with a line
            click.echo(err=True)
        for line in account(state, restarts=keeper.restarts):
            click.echo(f"statetape: {line}", err=True)
    context.exit(status)


def _options(options: dict[str, object], upstream: tuple[str, ...]) -> list[str]:
    """The options of `serve` for those that were given here."""
    words = [word for each in upstream for word in ("--upstream", each)]
    for name, value in options.items():
        option = f"--{name.replace('_', '-')}"
        if value is True:
            words.append(option)
        elif value is not None and value is not False:
            words += [option, str(value)]
    return words
