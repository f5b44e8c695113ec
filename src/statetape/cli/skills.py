"""`statetape skills`: the questions that graph and tape answer without a model."""

import json
from collections.abc import Iterator
from textwrap import wrap
from typing import TYPE_CHECKING, Any

import click

from statetape.cli.columns import WIDTH

if TYPE_CHECKING:
    from statetape.skills import Skill

_LABEL = 11


@click.command()
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
def command(*, as_json: bool) -> None:
    """List the questions that graph and tape answer without a model.

    Each with what it takes. `statetape skill` asks one of a recorded session.
    """
    from statetape.skills import SKILLS

    if as_json:
        found = [
            {"name": s.name, "description": s.description, "parameters": s.parameters}
            for s in SKILLS.values()
        ]
        click.echo(json.dumps({"skills": found}, indent=1))
        return
    click.echo("\n\n".join("\n".join(_described(skill)) for skill in SKILLS.values()))


def _described(skill: "Skill") -> Iterator[str]:
    yield skill.name
    yield from _indented(skill.description, "  ")
    for name, stated in skill.parameters["properties"].items():
        words = f"{stated['description']} {_limits(stated, name in skill.parameters['required'])}"
        yield from _indented(words, f"    {name:<{_LABEL}}")


def _limits(stated: dict[str, Any], required: bool) -> str:
    if required:
        return "Required."
    ranges = f"{stated['minimum']} to {stated['maximum']}" if "maximum" in stated else ""
    default = f"default: {stated['default']}" if "default" in stated else ""
    return " ".join(f"[{each}]" for each in ("; ".join(filter(None, (ranges, default))),) if each)


def _indented(words: str, label: str) -> Iterator[str]:
    behind = " " * len(label)
    yield from wrap(words, WIDTH, initial_indent=label, subsequent_indent=behind)
