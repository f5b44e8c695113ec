"""`claude_subagents`, whose agents race, with answers that come so late that nothing does."""

import claude_subagents as given  # type: ignore[import-not-found]  # of the harness

# Seconds before the answer to a turn of an agent: its marker, the number of the turn.
_LATE = {("[[MAIN]]", 2): 5, ("[[SB]]", 0): 1.5, ("[[MAIN]]", 5): 2}

CLIENT = "claude"
NAME = "subagents_spaced"
SCRIPT = {
    marker: [{**turn, "delay": _LATE.get((marker, n), 0)} for n, turn in enumerate(turns)]
    for marker, turns in given.SCRIPT.items()
}
STEPS = given.STEPS
