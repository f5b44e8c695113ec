"""The options that say who judges, and the judge's answers, kept by what was asked."""

import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from statetape.cli.names import PathName, stated
from statetape.errors import BadInput

if TYPE_CHECKING:
    from statetape.context.asking import Ask, Reply

Decorated = Callable[..., Any]

_SECONDS = 300.0
"""How long one answer may take."""


def judge_options(command: Decorated) -> Decorated:
    """The options of who judges."""
    for option in (
        click.option("--judge-fill", is_flag=True,
                     help="Ask the judge what --judge-cache does not know, and keep it."),
        click.option("--judge-cache", metavar="DIR", type=PathName(file_okay=False),
                     help="Where the judge's answers are kept, and found again."),
        click.option("--judge-url", metavar="[KIND=]URL", callback=stated,
                     help="Where the judge is; KIND is anthropic or openai (Chat Completions)."
                     "  [default: its vendor's API]"),
        click.option("--judge-model", metavar="NAME", callback=stated,
                     help="The model that judges (--labels judge)."),
    ):  # fmt: skip
        command = option(command)
    return command


class Judging(NamedTuple):
    """A judge that can be sent to another process, and asked there.

    The cache has the first word. `fill`: what it does not know is asked, and kept.
    """

    model: str
    url: str | None
    cache: Path
    fill: bool

    def reply(self, ask: "Ask") -> "Reply":
        """The answer. BadInput where the cache has none and nobody may be asked."""
        from statetape.llm.cache import Cache, key
        from statetape.llm.client import Client
        from statetape.llm.endpoint import credential, endpoint

        place = endpoint(self.model, self.url, os.environ)
        cache = Cache(self.cache)
        known = cache.get(key(place.kind, place.model, ask))
        if known is not None:
            return known
        if not self.fill:
            raise BadInput(
                f"no answer of {self.model} in {self.cache} ({ask.purpose}, round {ask.round}); "
                "--judge-fill asks for it"
            )
        client = Client(place, credential(place, os.environ), cache=cache, source="fill")
        return client.reply(ask, time.monotonic() + _SECONDS)


def judging(labels: str, options: dict[str, Any]) -> Judging | None:
    """The judge that the options name; None for labels by rules. BadInput where one is missing."""
    model, url = options["judge_model"], options["judge_url"]
    cache, fill = options["judge_cache"], options["judge_fill"]
    if labels != "judge":
        if model or url or cache or fill:
            raise BadInput("a judge is asked with --labels judge only")
        return None
    if model is None or cache is None:
        raise BadInput("--labels judge needs --judge-model NAME and --judge-cache DIR")
    from statetape.llm.endpoint import credential, endpoint

    credential(endpoint(model, url, os.environ), os.environ)
    return Judging(model, url, cache, fill)
