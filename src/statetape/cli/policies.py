"""The option that names a policy, and the one that is taken where none is named."""

import click

NAMES = (
    "heuristic",
    "default",
    "control",
    "masking",
    "summary",
    "supersede",
    "clearing",
    "corvus",
    "text",
    "model",
    "without-graph",
    "without-tape",
    "without-manager",
)
"""Those of `statetape.policies.POLICIES`, which is not imported for a help text."""

policy_option = click.option(
    "--policy",
    "--manager",
    "policy",
    type=click.Choice(NAMES),
    default="heuristic",
    show_default=True,
    metavar="NAME",
    help=f"What maintains the context: {', '.join(NAMES)}.",
)
