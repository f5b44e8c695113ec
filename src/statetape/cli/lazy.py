"""A click group that imports a command only when it runs, and turns faults into exit codes."""

import sys
from collections.abc import Mapping, Sequence
from functools import partial
from importlib import import_module
from typing import Any

import click

from statetape.cli.columns import clean
from statetape.errors import BadInput, StatetapeError


class LazyGroup(click.Group):
    """Commands named in `commands_and_help`; each is the `command` of its module in `package`.

    The short helps stand in the mapping, so that `--help` imports no command.
    """

    def __init__(
        self, *args: Any, commands_and_help: Mapping[str, str], package: str, **settings: Any
    ) -> None:
        super().__init__(*args, **settings)
        self._helps = commands_and_help
        self._package = package

    def list_commands(self, _ctx: click.Context) -> list[str]:
        """The names of the commands, in the order of the help."""
        return list(self._helps)

    def get_command(self, _ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command, imported now; None where there is none of that name."""
        if cmd_name not in self._helps:
            return None
        command: click.Command = import_module(f"{self._package}.{cmd_name}").command
        return command

    def format_commands(self, _ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the list of commands into the help."""
        with formatter.section("Commands"):
            formatter.write_dl(list(self._helps.items()))

    def main(
        self,
        args: Sequence[str] | None = None,
        prog_name: str | None = None,
        complete_var: str | None = None,
        standalone_mode: bool = True,
        **extra: Any,
    ) -> Any:  # noqa: ANN401 (click's own signature)
        """Run and exit; a fault is one line on stderr. Without `standalone_mode`, as click does."""
        result = partial(super().main, args, prog_name, complete_var, False, **extra)
        if not standalone_mode:
            return result()
        try:
            sys.exit(result())
        except click.Abort:
            sys.exit(130)
        except (StatetapeError, click.ClickException) as fault:
            click.echo(fault_line(fault), err=True)
            sys.exit(exit_code(fault))


def fault_line(fault: StatetapeError | click.ClickException) -> str:
    """The fault in one line, with the way to the help where it was bad use."""
    line = fault.format_message() if isinstance(fault, click.ClickException) else str(fault)
    line = "statetape: " + clean(line).removesuffix(".")
    if isinstance(fault, click.UsageError) and fault.ctx:
        line += f"; see `{fault.ctx.command_path} --help`"
    return line


def exit_code(fault: StatetapeError | click.ClickException) -> int:
    """2 for bad use and unusable input, 1 for a failed run."""
    if isinstance(fault, click.ClickException):
        return fault.exit_code
    return 2 if isinstance(fault, BadInput) else 1
