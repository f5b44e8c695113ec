"""`statetape bench`: measures over many sessions."""

from statetape.cli.lazy import LazyGroup

COMMANDS = {
    "build": "Label the decision points of recorded sessions.",
    "cost": "Measure what maintenance costs and saves over recorded sessions.",
    "lookahead": "Score what is let go and brought in by what agents used next.",
    "report": "Report what was run on a benchmark, beside the paper's figures.",
    "review": "Confirm or correct labels one by one, on a local page.",
    "run": "Run policies at the decision points of a benchmark.",
    "synth": "Write a repository's commits as sessions with exact ground truth.",
}

command = LazyGroup(
    "bench",
    help="Measure maintenance over many sessions.",
    commands_and_help=COMMANDS,
    package=__name__,
    no_args_is_help=False,
)
