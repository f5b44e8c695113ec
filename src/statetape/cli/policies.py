"""The option that names a policy."""

import click

NAMES = ("default", "control", "masking", "supersede", "clearing", "corvus", "model")
"""Those of `statetape.policies.POLICIES`, which is not imported for a help text."""

policy_option = click.option(
    "--policy",
    type=click.Choice(NAMES),
    default="default",
    show_default=True,
    help="What maintains the context (control: nothing; others than default: its rivals).",
)
