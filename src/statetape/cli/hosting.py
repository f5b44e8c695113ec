"""What the commands that start a proxy have in common: options, places, the child process."""

import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from statetape.cli.managing import manager_options
from statetape.cli.names import PathName
from statetape.cli.policies import policy_option
from statetape.cli.terms import terms_options
from statetape.errors import StatetapeError

Decorated = Callable[..., Any]

TOKEN_VARIABLE = "STATETAPE_TOKEN"  # noqa: S105 (the name of a variable)


def proxy_options(command: Decorated) -> Decorated:
    """The options of every proxy."""
    for option in (
        click.option("--log", metavar="FILE", type=PathName(), help="Append JSON lines to FILE."),
        click.option("--deadline", metavar="SECONDS", type=click.FloatRange(0, min_open=True),
                     default=2.0, show_default=True,
                     help="How long a request may wait for its maintenance."),
        click.option("--store", metavar="FILE", type=PathName(),
                     help="Where changes are kept.  [default: in the user's state folder]"),
        click.option("--rewrite-inputs", is_flag=True,
                     help="Rewrite the agent's own stale tool inputs too."),
        click.option("--observe", is_flag=True, help="Only report: forward what came."),
        policy_option,
        click.option("--repo", metavar="PATH", type=PathName(),
                     help="The repository.  [default: where the agent says it works]"),
        click.option("--upstream", metavar="[VENDOR=]URL", multiple=True,
                     help="Where requests go on to; VENDOR is anthropic, openai or chatgpt."
                     "  [default: the vendor's API, by path]"),
    ):  # fmt: skip
        command = option(command)
    return terms_options(manager_options(command))


def default_store() -> Path:
    """The file of sticky changes: below `XDG_STATE_HOME`, or the platform's place for such."""
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Application Support" / "statetape" / "changes.sqlite"
    named = os.environ.get("XDG_STATE_HOME", "")
    try:
        state = Path(named) if Path(named).is_absolute() else Path.home() / ".local" / "state"
    except RuntimeError:
        raise StatetapeError("nobody knows whose home this is; name a file with --store") from None
    return state / "statetape" / "changes.sqlite"
