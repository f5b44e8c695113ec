"""Which test results are kept: `python -m benchmarks.kept [--bases FILE] SESSION...`.

Each session is replayed under the heuristic manager. Of its test runs, how many say by their words
which tests they run; how often a result is kept; stale tokens sent; and how long the questions took
(seconds of all, milliseconds of the dearest). `--bases` is as for `statetape bench lookahead`:
without the files of the repository hardly anything can be told.
"""

# ruff: noqa: T201

import argparse
import time
from collections.abc import Callable
from pathlib import Path
from unittest.mock import patch

from statetape.cli.bench.bases import Base, bases, name_of
from statetape.judgements import Judgements
from statetape.replay.player import replayed
from statetape.replay.steps import steps
from statetape.replay.transcripts import recording
from statetape.types import Nomination, RepositoryState, Run


class Questions:
    """Stands in for `Judgements.unreached` and takes the time of each question of a test result."""

    def __init__(self) -> None:
        self.took: list[float] = []
        self._asked = Judgements.unreached

    def timed(self) -> Callable[[Judgements, Nomination], str | None]:
        """What answers in its place, as a method."""

        def unreached(judgements: Judgements, nominated: Nomination) -> str | None:
            start = time.perf_counter()
            found = self._asked(judgements, nominated)
            referent = nominated.record.referent
            if isinstance(referent, RepositoryState) and referent.tests:
                self.took.append(time.perf_counter() - start)
            return found

        return unreached


def runs(file: Path) -> tuple[int, int]:
    """The test runs of a session, and those of which the words say the tests."""
    found = [
        [action for action in step.actions if isinstance(action, Run) and action.kind == "test"]
        for step in steps(recording(file)).finished.values()
    ]
    tests = [each for each in found if each]
    return len(tests), sum(all(run.tests for run in each) for each in tests)


def kept(file: Path, start: Base | None) -> tuple[int, int]:
    """How often a test result is kept in a session, and the stale tokens that are sent."""
    repo, base = (start.repo, start.base) if start else (None, None)
    found = replayed(file, repo=repo, base=base, policy="heuristic")
    return found.actions["keep"], found.tokens.stale_sent_policy


def main() -> None:
    """A row for each session in which anything is kept, and one for all."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("sessions", nargs="+", type=Path)
    parser.add_argument("--bases", type=Path)
    asked = parser.parse_args()
    known = bases(asked.bases, asked.sessions)
    questions = Questions()
    sums = [0] * 5
    print("session                                    runs named  kept stale")
    with patch.object(Judgements, "unreached", questions.timed()):
        for file in asked.sessions:
            name = name_of(file)
            row = (*runs(file), *kept(file, known.get(name)))
            sums = [a + b for a, b in zip(sums, (*row, bool(row[2])), strict=True)]
            if row[2]:
                print(f"{name:<40} {row[0]:>6}{row[1]:>6}{row[2]:>6}{row[3]:>6}")
    print(f"{f'all; kept in {sums[4]}':<40} {sums[0]:>6}{sums[1]:>6}{sums[2]:>6}{sums[3]:>6}")
    took = questions.took or [0.0]
    total, dearest = sum(took), 1000 * max(took)
    print(f"{len(questions.took)} questions: {total:.2f} s, the dearest {dearest:.0f} ms")


if __name__ == "__main__":
    main()
