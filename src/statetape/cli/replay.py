"""`statetape replay`: recorded sessions, with and without maintenance."""

import json
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import click

from statetape.cli.batch import batch_options, done
from statetape.cli.costing import Costing, cost_options, costing
from statetape.cli.figures import Figures, session_figures, total_figures
from statetape.cli.managing import Managing, fill_option, manager_options, managing
from statetape.cli.names import PathName, distinct, stated
from statetape.cli.policies import policy_option
from statetape.cli.summary import cost_table, rows, summary, table
from statetape.economics.account import Maintain
from statetape.errors import BadInput, StatetapeError

Decorated = Callable[..., Any]


def source_options(command: Decorated) -> Decorated:
    """The options that say under which policy and over which repository a session is replayed."""
    for option in (
        policy_option,
        click.option(
            "--base",
            metavar="COMMIT",
            callback=stated,
            help="The commit of --repo the session began at.  [default: HEAD]",
        ),
        click.option(
            "--repo",
            metavar="PATH",
            type=PathName(),
            help="The repository, for files that the session does not show.",
        ),
    ):
        command = option(command)
    return command


def checked_base(repo: Path | None, base: str | None) -> None:
    """Nothing, if there is such a commit; BadInput where there is none, or `repo` is missing."""
    if base is not None and repo is None:
        raise BadInput("--base COMMIT needs --repo PATH, the repository that has the commit")
    if repo is not None:
        from statetape.files import GitCommit

        GitCommit(repo, base or "HEAD").close()


@click.command()
@click.argument("files", metavar="FILE...", nargs=-1, required=True, type=PathName())
@source_options
@cost_options
@manager_options
@fill_option
@click.option(
    "--rewrite-inputs", is_flag=True, help="Rewrite the agent's own stale tool inputs too."
)
@click.option(
    "--check",
    is_flag=True,
    help="Check the tape with an independent oracle; exit 1 if it missed a stale read.",
)
@click.option(
    "--html",
    metavar="FILE",
    type=PathName(dir_okay=False),
    help="Write one self-contained page.",
)
@batch_options
@click.pass_context
def command(
    context: click.Context,
    /,
    *,
    files: tuple[Path, ...],
    repo: Path | None,
    base: str | None,
    policy: str,
    price: str | None,
    ttl: str | None,
    maintain: Maintain,
    own: Path | None,
    rewrite_inputs: bool,
    check: bool,
    html: Path | None,
    jobs: int | None,
    as_json: bool,
    **manager: Any,
) -> None:
    """Replay recorded sessions: what went stale, and what maintenance would send.

    FILE is a session of Claude Code (JSONL), Codex (rollout JSONL) or opencode (JSON), plain or
    gzipped; one given twice is replayed once. A file that cannot be replayed is named on stderr,
    and the others go on.
    """
    sessions_given = distinct(files)
    checked_base(repo, base)
    _check_target(html, sessions_given)
    asked = costing(price, ttl, maintain, own)
    work = partial(_replay, repo=repo, base=base, policy=policy, rewrite_inputs=rewrite_inputs,
                   check=check, costing=asked, for_page=html is not None,
                   managing=managing(policy, manager, replay=True))  # fmt: skip
    codes = {0}
    found = dict(done(work, sessions_given, jobs, codes))
    replays = [found[place] for place in sorted(found)]
    sessions = [figures for figures, _ in replays]
    total = total_figures(sessions)
    if html and sessions:
        _write_page(html, sessions, [data for _, data in replays])
    if as_json and sessions:
        click.echo(json.dumps({"sessions": sessions, "total": total}, indent=1))
    elif sessions:
        click.echo("\n".join(_report(sessions, total)))
    if misses := total.get("check", {}).get("misses"):
        click.echo(f"statetape: the tape missed {misses} stale reads", err=True)
        codes.add(1)
    context.exit(max(codes))


def _replay(
    file: Path,
    *,
    repo: Path | None,
    base: str | None,
    policy: str,
    rewrite_inputs: bool,
    check: bool,
    costing: Costing,
    for_page: bool,
    managing: Managing,
) -> tuple[Figures, str]:
    """One session's figures and its data for the page (empty without one): all that crosses."""
    from statetape.replay.player import replayed

    payments = costing.payments(rewrite_inputs=rewrite_inputs)
    replay = replayed(file, repo=repo, base=base, policy=policy, rewrite_inputs=rewrite_inputs,
                      check=check, payments=payments, answer=managing.models().answer,
                      behind=managing.behind, share=managing.share)  # fmt: skip
    if not for_page:
        return session_figures(replay), ""
    from statetape.cli.page import session_data

    return session_figures(replay), session_data(replay)


def _check_target(html: Path | None, files: Sequence[Path]) -> None:
    if html is None:
        return
    if not html.absolute().parent.is_dir():
        raise BadInput(f"--html {html}: no such folder")
    if html.resolve() in {file.resolve() for file in files}:
        raise BadInput(f"--html {html} is one of the sessions; it would be overwritten")


def _write_page(html: Path, sessions: Sequence[Figures], data: Sequence[str]) -> None:
    from statetape.cli.page import page

    try:
        with html.open("w", encoding="utf-8") as file:
            file.writelines(page(sessions, data))
    except OSError as error:
        raise StatetapeError(f"--html {html}: {error.strerror}") from None


def _report(sessions: Sequence[Figures], total: Figures) -> Sequence[str]:
    blocks = [line for figures in sessions for line in (*summary(figures), "")]
    if len(sessions) > 1:
        blocks += [*table(sessions, total), "", *rows(total), ""]
    if costs := [cost for cost in total.get("costs", ()) if cost is not None]:
        blocks += [*cost_table(costs), ""]
    return blocks[:-1]
