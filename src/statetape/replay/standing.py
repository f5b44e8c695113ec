"""A recorded session as it stands after one of its steps: what a policy would decide on then."""

from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from functools import lru_cache
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from statetape.code.uncollected import uncollected
from statetape.context.situation import Situation
from statetape.errors import BadInput
from statetape.files import GitCommit
from statetape.policies import policy as policy_named
from statetape.replay.history import history
from statetape.replay.prepared import Prepared, prepared
from statetape.replay.transcripts import recording
from statetape.replay.walk import Asked, Came, Walk, follow
from statetape.session import Session
from statetape.tokens import tokens
from statetape.types import Slot


class Standing(Struct, frozen=True):
    """The session `id` after `step`, of `steps` in all."""

    id: str
    step: int
    steps: int
    situation: Situation


@contextmanager
def standing(
    file: Path,
    *,
    step: int | None = None,
    repo: Path | None = None,
    base: str | None = None,
    policy: str = "default",
) -> Iterator[Standing]:
    """A session file, played under a policy up to the end of a step (None: the last).

    Of parallel calls, those that the client has sent by then are held without results. `repo` and
    `base` as for `replayed`, and needed for as long as the situation is asked. BadInput for an
    unreadable file, repository or revision, an unknown policy, or a step that is none.
    """
    decide = policy_named(policy)
    if base is not None and repo is None:
        raise BadInput(f"--base {base} needs --repo PATH: the repository that has the commit")
    with nullcontext() if repo is None else GitCommit(repo, base or "HEAD") as start:
        with uncollected():
            ready = prepared(recording(file))
            count = ready.steps.count
            last = count if step is None else step
            if not 0 <= last <= count:
                raise BadInput(f"{file}: no step {last}; the session has steps 0 to {count}")
            seen = history(ready.recording, start, ready.shell_writes)
            walk = Walk(ready if step is None else _up_to(ready, last), seen)
            session = Session(
                walk.workspace, decide, lru_cache(maxsize=4096)(tokens), title=walk.title
            )
            unsent: list[Slot] = []
            for happening in walk:
                follow(session, happening)
                match happening:
                    case Came(records=records):
                        unsent += [record.slot for record in records]
                    case Asked():
                        session.retrieve(unsent, session.request().retrieved)
                        unsent.clear()
        name = Path(ready.recording.file).name.partition(".json")[0]
        yield Standing(name, last, count, session.situation())


def _up_to(ready: Prepared, step: int) -> Prepared:
    """The recording up to the last event of a step or one before it."""
    steps = ready.steps
    numbers = {
        **{at: number for at, (number, _) in steps.begun.items()},
        **{at: finished.index for at, finished in steps.finished.items()},
        **steps.remarks,
    }
    end = max((at for at, number in numbers.items() if number <= step), default=-1)
    events = ready.recording.events[: end + 1]
    return replace(ready, recording=replace(ready.recording, events=events))
