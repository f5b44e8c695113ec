"""The figures of replays as text of 80 columns."""

from collections.abc import Iterator, Sequence

from statetape.cli.columns import WIDTH, counts, fit, labelled, regions, short
from statetape.cli.figures import Figures

_TABLE = "{:>6} {:>6} {:>6} {:>7} {:>7} {:>7} {:>7}"
_NAME = WIDTH - len(_TABLE.format(*[""] * 7)) - 1
_COSTS = "{:>14} {:>14} {:>9}"
_MODEL = WIDTH - len(_COSTS.format(*[""] * 3)) - 1


def summary(figures: Figures) -> Iterator[str]:
    """The lines of one session."""
    versions, models = ", ".join(figures["agent_versions"]), ", ".join(figures["models"])
    yield fit(f"{figures['id']} · {figures['agent']} {versions} · {models}", WIDTH)
    yield from rows(figures)
    for problem in figures["problems"][:3]:
        yield from labelled("problem", problem)
    if (rest := len(figures["problems"]) - 3) > 0:
        yield from labelled("", f"and {rest} more problems (--json has them all)")


def rows(figures: Figures) -> Iterator[str]:
    """The labelled lines that a session and a total have in common."""
    tokens, steps, reads = figures["tokens"], figures["steps"], figures["steps"]["read"]
    yield from labelled("steps", f"{sum(steps.values()):,}: {counts(steps)}")
    shell, external = figures["shell_writes"], figures["external_writes"]
    hands = {"by the agent": figures["writes"] - shell - external, "by the shell": shell}
    hands["by another hand"] = external
    yield from labelled("writes", f"{figures['writes']:,}: {counts(hands)}")
    yield from labelled(
        "reads gone stale", f"{figures['stale_reads']:,} while held, of {reads:,} reads"
    )
    yield from labelled("tokens sent", _change(tokens["sent_control"], tokens["sent_policy"]))
    yield from labelled(
        "stale tokens sent", _change(tokens["stale_sent_control"], tokens["stale_sent_policy"])
    )
    if tokens["stale_inputs_sent"]:
        yield from labelled("stale in own inputs", f"{tokens['stale_inputs_sent']:,}")
    yield from labelled("actions", counts(figures["actions"]))
    if (brought := figures["brought_in"])["regions"]:
        yield from labelled("brought in", regions(brought["regions"], brought["tokens"]))
    if manager := figures.get("manager"):
        share = manager["tokens"] / tokens["sent_policy"] if tokens["sent_policy"] else 0.0
        words = f"{manager['tokens']:,} tokens in {manager['asks']:,} asks ({share:.1%} of those"
        failed = f"; {manager['failed']:,} without an answer" if manager["failed"] else ""
        yield from labelled("manager", f"{words} sent){failed}")
    if "cost" in figures:
        yield from cost_lines(figures["cost"])
    if check := figures.get("check"):
        yield from labelled(
            "check", counts({name.replace("_", " "): n for name, n in check.items()}, zeros=True)
        )


def cost_lines(cost: Figures | None) -> Iterator[str]:
    """The line that says what a session cost, or why nobody knows."""
    if cost is None:
        yield from labelled("cost", "not known: no price for its model; --prices can state one")
        return
    before, after = cost["simulated_control"], cost["simulated_policy"]
    share = f" ({after / before - 1:+.1%})" if before else ""
    words = f"${before:,.2f} -> ${after:,.2f}{share}"
    if cost["reported"] is None:
        words += "; by the texts alone, without what the model said"
    elif cost["simulator_error"] is not None:
        words += f"; paid ${cost['reported']:,.2f}, simulator {cost['simulator_error']:+.1%}"
    yield from labelled("cost", words)


def table(sessions: Sequence[Figures], total: Figures) -> Iterator[str]:
    """One row for each session and one for all."""
    yield " " * _NAME + " " + _TABLE.format("", "", "stale", "tokens", "with", "stale", "with")
    heads = ("steps", "writes", "reads", "sent", "policy", "sent", "policy")
    yield fit("session", _NAME, pad=True) + " " + _TABLE.format(*heads)
    for figures in sessions:
        yield _table_row(figures["id"], figures)
    yield "-" * WIDTH
    yield _table_row(f"{total['sessions']} sessions", total)


def _table_row(name: str, figures: Figures) -> str:
    tokens = figures["tokens"]
    numbers = (
        sum(figures["steps"].values()),
        figures["writes"],
        figures["stale_reads"],
        tokens["sent_control"],
        tokens["sent_policy"],
        tokens["stale_sent_control"],
        tokens["stale_sent_policy"],
    )
    return fit(name, _NAME, pad=True) + " " + _TABLE.format(*map(short, numbers))


def _change(before: int, after: int) -> str:
    share = f"  ({(after - before) / before:+.1%})" if before else ""
    return f"{before:,} -> {after:,}{share}"


def cost_table(costs: Sequence[Figures]) -> Iterator[str]:
    """One row for each price."""
    heads = _COSTS.format("as it was", "with policy", "change")
    yield fit("$ by the price of", _MODEL, pad=True) + " " + heads
    for cost in costs:
        before, after = cost["simulated_control"], cost["simulated_policy"]
        share = f"{after / before - 1:+.1%}" if before else "-"
        figures = _COSTS.format(f"{before:,.4f}", f"{after:,.4f}", share)
        yield fit(cost["model"] or "", _MODEL, pad=True) + " " + figures
