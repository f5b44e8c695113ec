"""The options that say which model policies ask, and what follows from them."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from statetape.cli.names import PathName, stated
from statetape.errors import BadInput

if TYPE_CHECKING:
    from statetape.llm.client import Source
    from statetape.policies.hosted import Models

Decorated = Callable[..., Any]

_ASKING = ("model", "summary", "text")
"""The policies that are another one, or none, without a model."""


def manager_options(command: Decorated) -> Decorated:
    """The options of who is asked, and how long that may take."""
    for option in (
        click.option("--manager-cache", metavar="DIR", type=PathName(file_okay=False),
                     help="Where replies are kept, and found again."),
        click.option("--manager-share", metavar="SHARE", default=0.04, show_default=True,
                     type=click.FloatRange(0, 1000),
                     help="The most that the manager may be asked: a share of the tokens that"
                     " its agent has sent."),
        click.option("--manager-mode", type=click.Choice(["inline", "behind"]), default="inline",
                     show_default=True,
                     help="Whether a request waits for the model, or the next one follows it."),
        click.option("--manager-deadline", metavar="SECONDS", default=4.0, show_default=True,
                     type=click.FloatRange(0, 3600, min_open=True),
                     help="How long the model may take for one decision, all rounds together."),
        click.option("--manager-url", metavar="[KIND=]URL", callback=stated,
                     help="Where the model is; KIND is anthropic or openai (Chat Completions)."
                     "  [default: its vendor's API]"),
        click.option("--manager-model", metavar="NAME", callback=stated,
                     help="The model that a policy asks (model, summary and text do)."),
    ):  # fmt: skip
        command = option(command)
    return command


fill_option = click.option(
    "--manager-fill",
    is_flag=True,
    help="Ask the model what --manager-cache does not know, and keep it.",
)


class Managing(NamedTuple):
    """Which model is asked: `deadline` in seconds, `behind` a request or before it leaves.

    `source` is a `Client`'s: a replay calls nobody, or fills the cache. `share`: of the tokens that
    an agent has sent, for all that its manager is asked.
    """

    model: str | None
    url: str | None = None
    deadline: float = 4.0
    behind: bool = False
    cache: Path | None = None
    source: "Source" = "model"
    share: float = 0.04

    def models(self) -> "Models":
        """Who replies. BadInput for a URL or a key that cannot be used."""
        from statetape.policies.hosted import NO_MODEL, Models

        if self.model is None:
            return NO_MODEL
        from statetape.llm.cache import Cache
        from statetape.llm.client import Client, Exchanges
        from statetape.llm.endpoint import credential, endpoint

        place = endpoint(self.model, self.url, os.environ)
        client = Client(
            place,
            credential(place, os.environ),
            cache=Cache(self.cache) if self.cache is not None else None,
            source=self.source,
        )
        return Models(Exchanges(client, self.deadline), self.model, self.behind, self.share)


def managing(policy: str, options: dict[str, Any], *, replay: bool = False) -> Managing:
    """What the options ask for; it takes them out. BadInput where they do not fit together."""
    model, cache = options.pop("manager_model"), options.pop("manager_cache")
    fill = options.pop("manager_fill", False)
    asked = Managing(
        model,
        options.pop("manager_url"),
        options.pop("manager_deadline"),
        options.pop("manager_mode") == "behind",
        cache,
        "fill" if fill else "cache" if replay else "model",
        options.pop("manager_share"),
    )
    if model is None and (policy in _ASKING or fill):
        what = "--manager-fill" if fill else f"--policy {policy}"
        raise BadInput(f"{what} needs --manager-model NAME: the model that is asked")
    if model is not None and replay and cache is None:
        raise BadInput("--manager-model in a replay needs --manager-cache DIR: replies are from it")
    asked.models()
    return asked
