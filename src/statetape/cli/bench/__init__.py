"""`statetape bench`: measures over many sessions."""

from statetape.cli.lazy import LazyGroup

COMMANDS = {
    "cost": "Measure what maintenance costs and saves over recorded sessions.",
}

command = LazyGroup(
    "bench",
    help="Measure maintenance over many sessions.",
    commands_and_help=COMMANDS,
    package=__name__,
    no_args_is_help=False,
)
