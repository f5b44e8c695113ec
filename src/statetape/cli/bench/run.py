"""`statetape bench run`: what policies do at the decision points of a benchmark."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from os import cpu_count
from pathlib import Path
from typing import NamedTuple

import click

from statetape.bench.decisions import FRONTIER, RUNNABLE, Asker, Mode
from statetape.bench.folder import code_digest, labels_digest, manifest, session_file
from statetape.bench.reference import ORACLE, REFERENCES
from statetape.bench.results import Results
from statetape.bench.running import cells
from statetape.cli.bench import cluster
from statetape.cli.lazy import exit_code, fault_line
from statetape.cli.names import PathName
from statetape.cli.parallel import outcomes
from statetape.cli.progress import progress
from statetape.errors import StatetapeError

MODES: tuple[Mode, ...] = ("recorded", "rolling")


def _listed(names: Sequence[str], more: Iterable[str] = ()) -> Callable[..., tuple[str, ...]]:
    """What takes an option apart: names with commas between them; `more` only if asked for."""
    known = (*names, *more)

    def found(context: click.Context, param: click.Parameter, value: str | None) -> tuple[str, ...]:
        if value is None:
            return tuple(names)
        stated = dict.fromkeys(each.strip() for each in value.split(","))
        for each in stated:
            if each not in known:
                there = ", ".join(known)
                raise click.BadParameter(f"{each!r} is none of {there}", context, param)
        return tuple(stated)

    return found


class Todo(NamedTuple):
    """One session that misses cells: the file of its labels, and what its cells stand for."""

    session: str
    file: Path
    labels: str
    askers: tuple[Asker, ...]


@click.command()
@click.argument("folder", metavar="DIR", type=PathName(file_okay=False))
@click.option(
    "--policy",
    "policies",
    callback=_listed(RUNNABLE, FRONTIER),
    metavar="A,B,...",
    help="What maintains the context.  [default: all policies]",
)
@click.option(
    "--mode",
    "modes",
    callback=_listed(MODES),
    metavar="MODES",
    help="recorded: each decision on the context as it was; rolling: on what the policy"
    " has made of it from the start.  [default: recorded,rolling]",
)
@click.option(
    "--jobs",
    metavar="N",
    type=click.IntRange(1),
    help="Processes on this machine.  [default: one for each processor]",
)
@click.option(
    "--engine",
    type=click.Choice(["local", "ray"]),
    default="local",
    show_default=True,
    help="Processes of this machine, or the Ray cluster that RAY_ADDRESS names.",
)
@click.pass_context
def command(
    context: click.Context,
    *,
    folder: Path,
    policies: tuple[str, ...],
    modes: tuple[Mode, ...],
    jobs: int | None,
    engine: str,
) -> None:
    """Run policies at the decision points of the benchmark in DIR.

    DIR is what `statetape bench build` made. Each session is walked through once for all policies,
    and for the reference points (which decide on the recorded context). The results are kept in
    DIR; what is there already, of the same labels and the same statetape, is not run again, so an
    interrupted run goes on where it stopped. A script stands for the model that a policy asks. A
    session that fails is named on stderr.
    """  # fmt: skip
    code = code_digest()
    with_references = asked(policies, modes)
    results = Results(folder)
    codes = {0}
    count = 0
    try:
        todo = list(_todo(folder, results, with_references, code))
        by_file = {each.file: each.askers for each in todo}
        work = partial(cells, folder=folder, askers=by_file)
        files = list(by_file)
        run = (
            cluster.outcomes(work, files)
            if engine == "ray"
            else outcomes(work, files, jobs or cpu_count() or 1)
        )
        with progress("running", len(files)) as advance:
            for place, outcome in run:
                advance()
                if isinstance(outcome, StatetapeError):
                    click.echo(fault_line(outcome), err=True)
                    codes.add(exit_code(outcome))
                else:
                    done = todo[place]
                    results.put(done.session, outcome, done.labels, code)
                    count += len(done.askers)
    finally:
        results.close()
    missing = sum(len(each.askers) for each in todo)
    sessions = len(manifest(folder).sessions)
    of = "1 session" if sessions == 1 else f"{sessions:,} sessions"
    failed = f", {missing - count:,} are missing" if missing > count else ""
    click.echo(
        f"{of}, {len(with_references)} columns: {count:,} cells run, "
        f"{sessions * len(with_references) - missing:,} were there{failed}"
    )
    context.exit(max(codes))


def asked(policies: Sequence[str], modes: Sequence[Mode]) -> tuple[Asker, ...]:
    """The columns of cells: the policies in each mode, and the reference points."""
    found = [Asker(policy, mode) for policy in policies for mode in modes]
    return (*found, *(Asker(name, "recorded") for name in (*REFERENCES, ORACLE)))


def _todo(folder: Path, results: Results, askers: tuple[Asker, ...], code: str) -> Iterator[Todo]:
    for source in manifest(folder).sessions:
        labels = labels_digest(folder, source)
        missing = results.missing(source.id, askers, labels, code)
        if missing:
            # One object for all sessions: it is sent to every process.
            askers_missing = askers if missing == askers else missing
            yield Todo(source.id, session_file(folder, source), labels, askers_missing)
