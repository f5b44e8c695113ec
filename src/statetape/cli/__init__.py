"""The command line: `statetape COMMAND`, as `COMMANDS` names them.

Exit codes: 0 done, 1 the run failed, 2 bad use or unreadable input, 130 interrupted. Results go
to stdout, everything else to stderr; with `--json` stdout holds one JSON document.
"""

import os
import sys

import click

from statetape import __version__
from statetape.cli.lazy import LazyGroup

COMMANDS = {
    "run": "Run an agent and maintain its context meanwhile.",
    "serve": "Maintain the context of agents that send their requests here.",
    "replay": "Replay recorded sessions: what went stale, and what maintenance would send.",
    "show": "Show the timeline of one recorded session.",
    "drift": "Name the symbols that differ between two states of a repository.",
    "graph": "Ask the code graph of a repository.",
    "skills": "List the questions that graph and tape answer without a model.",
    "skill": "Ask one such question of a recorded session, as it stands after a step.",
    "bill": "Show what requests cost, and what they would have cost without us.",
    "prices": "Show what models cost, and where that is known from.",
    "bench": "Measure maintenance over many sessions.",
    "doctor": "Look for what would go wrong.",
}


@click.group(
    cls=LazyGroup, commands_and_help=COMMANDS, package=__name__, invoke_without_command=True
)
@click.version_option(__version__, message="%(prog)s %(version)s")
@click.pass_context
def cli(context: click.Context) -> None:
    """Keeps a coding agent's context true: maintenance at every write."""
    if os.environ.get("NO_COLOR"):
        context.color = False
    if os.environ.get("STATETAPE_PARSE_LIMIT"):
        from statetape.store.index.limits import heed

        heed()
    if context.invoked_subcommand is None:
        click.echo(context.get_help(), err=True)
        context.exit(2)


def main() -> None:
    """Run the command line on `sys.argv` and exit the process."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")
    cli(prog_name="statetape")
