"""The timeline of a session, and what it held at one step, as lines of 80 columns."""

from collections.abc import Iterator, Sequence

import click

from statetape.cli.columns import WIDTH, cells, fit, fit_end
from statetape.cli.passages import Change, Held, StepChanges, changes_by_step
from statetape.replay.timeline import RecordRow, Replayed, WriteRow

COLOURS = {
    "fresh": "green",
    "retrieved": "magenta",
    "stale": "red",
    "kept": "green",
    "refreshed": "magenta",
    "dropped": "magenta",
    "rerun": "magenta",
    "evicted": "magenta",
    "forgotten": "bright_black",
}
_HANDS = {"agent": "the agent", "shell": "the shell", "external": "another hand"}
_MOST = 5
_INDENT = " " * 13
_LABEL = 10
_RESIDUE = "(outside definitions)"


def timeline(replayed: Replayed) -> Iterator[str]:
    """Each step, what it wrote, and the records whose state changed there."""
    changes = changes_by_step(replayed)
    writes: dict[int, list[WriteRow]] = {}
    for write in replayed.writes:
        writes.setdefault(write.step, []).append(write)
    for index, kind, title, tokens in _steps(replayed):
        yield _row(index, kind, title, tokens)
        yield from _of_step(writes.pop(index, []), changes.pop(index, None))
    for index in sorted({*writes, *changes}):
        yield click.style(f"{index:>4} between steps", fg="bright_black")
        yield from _of_step(writes.get(index, []), changes.get(index))


def _steps(replayed: Replayed) -> list[tuple[int, str, str, int]]:
    """Index, kind, title and tokens of each step, and of all that others said between them."""
    said = [record for record in replayed.records if record.side == "say"]
    words = {record.step: record.title for record in said}
    known = {step.index for step in replayed.steps}
    rows = [
        (step.index, step.kind, words.get(step.index, step.title), step.tokens)
        for step in replayed.steps
    ]
    rows += [
        (each.step, each.kind, each.title, each.tokens) for each in said if each.step not in known
    ]
    return sorted(rows, key=lambda row: row[0])


def holdings(held: Sequence[Held]) -> Iterator[str]:
    """Each record with its state, then the sums by state and in all."""
    for one in held:
        kind = one.record.side if one.record.side in ("input", "added") else one.record.kind
        yield _row(one.record.step, kind, one.record.title, one.tokens)
        if one.state != "fresh":
            yield _stated(one)
    yield "-" * WIDTH
    sums: dict[str, tuple[int, int]] = {}
    for one in held:
        count, tokens = sums.get(one.state, (0, 0))
        sums[one.state] = count + 1, tokens + one.tokens
    for state, (count, tokens) in sums.items():
        yield _sum(click.style(f"{state:<10}", fg=COLOURS[state]), count, tokens)
    yield _sum(f"{'in all':<10}", len(held), sum(one.tokens for one in held))


def _of_step(writes: Sequence[WriteRow], changes: StepChanges | None) -> Iterator[str]:
    for write in writes:
        yield _INDENT + click.style(_written(write), fg="yellow")
        for label in ("body", "dispatch", "created"):
            if symbols := getattr(write, label):
                yield f"{_INDENT}{label:<{_LABEL}}{_symbols(symbols, write.path)}"
        yield from _changed(changes.by_write[write.tick] if changes else ())
    yield from _changed(changes.others if changes else ())


def _changed(changes: Sequence[Change]) -> Iterator[str]:
    groups: dict[str, list[Change]] = {}
    for change in changes:
        groups.setdefault(change.passage.state, []).append(change)
    for state, group in groups.items():
        label = click.style(f"{state:<{_LABEL}}", fg=COLOURS[state])
        shown = group if len(group) <= _MOST else group[: _MOST - 1]
        for record, _, then, why in shown:
            after = f", {then}" if then else ""
            room = WIDTH - len(_INDENT) - _LABEL - len(after)
            title = fit(f"step {record.step}: {_title(record)}", room)
            yield _INDENT + label + title + click.style(after, fg=COLOURS.get(then))
            label = " " * _LABEL
            if why:
                yield _INDENT + label + click.style(fit(f"  {why}", room), fg=COLOURS["kept"])
        if len(shown) < len(group):
            yield f"{_INDENT}{' ' * _LABEL}and {len(group) - len(shown)} more"


def _stated(held: Held) -> str:
    words = {"stale": "stale since", "rerun": "to be run again since"}
    text = f"{words.get(held.state, held.state + ' at')} step {held.since}"
    room = WIDTH - len(_INDENT) - len(text) - len(" because of ")
    if held.because and held.state == "kept":
        text += f": {held.because[0]}"
    elif held.because:
        text += f" because of {_symbols(held.because, '', room)}"
    return _INDENT + click.style(text, fg=COLOURS[held.state])


def _written(write: WriteRow) -> str:
    by = "" if write.hand == "agent" else f" by {_HANDS[write.hand]}: {write.why}"
    room = WIDTH - len(_INDENT)
    path = fit_end(write.path, 44 if by else room - len("writes "))
    return fit(f"writes {path}{by}", room)


def _symbols(symbols: Sequence[str], path: str, room: int = WIDTH - len(_INDENT) - _LABEL) -> str:
    """As many symbols as fit, those of `path` without it, and how many more there are."""
    short = [_RESIDUE if s == f"{path}::" else s.removeprefix(path) for s in symbols]
    line = fit_end(short[0], room - (len(", and 9999 more") if len(short) > 1 else 0))
    for number, symbol in enumerate(short[1:], 1):
        rest = f", and {len(short) - number} more"
        longer = f"{line}, {fit(symbol, WIDTH)}"
        if cells(longer) + (len(rest) if number + 1 < len(short) else 0) > room:
            return line + rest
        line = longer
    return line


def _row(step: int, kind: str, title: str, tokens: int) -> str:
    words = fit(title.removeprefix(f"{kind} "), WIDTH - 13 - 10, pad=True)
    return (
        f"{step:>4} "
        + click.style(f"{kind.replace('edit_', ''):<7}", fg="cyan")
        + (f" {words} {tokens:>9,}")
    )


def _sum(label: str, count: int, tokens: int) -> str:
    return f"{'':5}{label}{count:>9,} records{tokens:>{WIDTH - 32},}"


def _title(record: RecordRow) -> str:

    return f"{record.title} (input)" if record.side == "input" else record.title
