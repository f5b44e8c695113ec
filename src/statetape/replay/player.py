"""A recorded session played again, event by event, as if it were live."""

from collections import Counter
from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from functools import lru_cache
from pathlib import Path

from statetape.code.uncollected import uncollected
from statetape.context.asking import no_answer
from statetape.errors import BadInput
from statetape.files import GitCommit
from statetape.judgements import Judgements
from statetape.manager.standing import SHARE
from statetape.policies import POLICIES, Model, Policy
from statetape.policies import policy as policy_named
from statetape.policies.hosted import Tally
from statetape.replay.beside import Beside, requests_left
from statetape.replay.check import Oracle
from statetape.replay.history import History, history
from statetape.replay.lives import Lives
from statetape.replay.meter import Meter
from statetape.replay.prepared import Prepared, prepared
from statetape.replay.priced import Payment, Priced, Sums
from statetape.replay.recording import Sent
from statetape.replay.timeline import BroughtIn, Replayed, StepRow, WriteRow
from statetape.replay.told import Told
from statetape.replay.transcripts import recording
from statetape.replay.walk import Asked, Came, Walk, Went, Wrote
from statetape.session import Session
from statetape.tokens import tokens
from statetape.types import Files, Record, Slot, Step


def replayed(
    file: Path,
    *,
    repo: Path | None = None,
    base: str | None = None,
    policy: str = "default",
    rewrite_inputs: bool = False,
    check: bool = False,
    payments: Sequence[Payment] = (),
    answer: Model = no_answer,
    behind: bool = False,
    share: float = SHARE,
) -> Replayed:
    """One session file, replayed under a policy beside control.

    `repo` and `base` (a revision, default HEAD) give the files as they were at the start; without
    them the transcript's own evidence does. `payments`: what requests cost, and on what terms
    changes are made, the first for the session that is told of, the others beside it; without
    any, all at once, and nothing is reckoned. `answer`: the model that a policy asks;
    `behind`: what it says is done at the next request; `share` bounds what the model manager may
    ask (`Standing`). BadInput for an unreadable file, repository or revision, or an unknown policy.
    Nothing is written anywhere.
    """
    policy_named(policy)
    if base is not None and repo is None:
        raise BadInput(f"--base {base} needs --repo PATH: the repository that has the commit")
    with uncollected(), _start(repo, base) as start:
        player = _player(file, start, Told(policy, answer, rewrite_inputs, check, behind, share))
        player.pay(payments)
        return player.played()


def compared(
    file: Path, policy: str, payments: Sequence[Payment], answer: Model = no_answer
) -> list[Sums | None]:
    """What the requests of a session come to on these terms, in one replay.

    None where its model has no price. `answer` and BadInput as in `replayed`.
    """
    with uncollected():
        player = _player(file, None, Told(policy, answer))
        for payment in payments:
            player.beside.add(payment)
        player.played()
        return player.beside.sums()


def _player(file: Path, start: Files | None, told: Told) -> "_Player":
    ready = prepared(recording(file))
    return _Player(ready, history(ready.recording, start, ready.shell_writes), told)


def _start(repo: Path | None, base: str | None) -> AbstractContextManager[GitCommit | None]:
    return nullcontext() if repo is None else GitCommit(repo, base or "HEAD")


class _Player:
    """One replay under way. Control and the policy's session share the workspace and records."""

    def __init__(self, ready: Prepared, seen: History, told: Told) -> None:
        self._ready = ready
        self._history = seen
        self._told = told
        self._walk = Walk(ready, seen)
        self._workspace = self._walk.workspace
        self._tokens = lru_cache(maxsize=4096)(tokens)  # the same changes are offered again
        self._judgements = Judgements(self._workspace, tokens)
        self._control = self._session(POLICIES["control"], rewrite_inputs=False)
        self._asked = Tally(told.answer)
        self._subject = self._session(told.decide(self._asked), rewrite_inputs=told.rewrite_inputs)
        self._priced: Priced | None = None
        self._left = requests_left(ready.recording.events)
        self.beside = Beside(
            ready.recording.models,
            lambda rewrite_inputs: self._session(
                told.decide(told.answer), rewrite_inputs=rewrite_inputs
            ),
        )
        self._oracle = Oracle(self._workspace) if told.check else None
        self._lives = Lives()
        self._meter = Meter()
        self._step_tokens: Counter[int] = Counter()
        self._writes: list[WriteRow] = []
        self._unsent: list[Slot] = []
        self._changed: dict[Slot, Record] = {}
        self._brought = BroughtIn()
        self._actions: Counter[str] = Counter(
            dict.fromkeys(("refresh", "drop", "rerun", "keep", "evict", "mask", "retrieve"), 0)
        )

    def _session(self, policy: Policy, *, rewrite_inputs: bool) -> Session:
        session = Session(
            self._workspace,
            policy,
            self._tokens,
            title=self._walk.title,
            rewrite_inputs=rewrite_inputs,
        )
        session.share(self._judgements)
        return session

    def pay(self, payments: Sequence[Payment]) -> None:
        """The subject pays for what it changes, if its model has a price; others beside it."""
        for first in payments[:1]:
            self._priced = self.beside.lead(first, self._subject)
        for payment in payments[1:]:
            self.beside.add(payment)

    def played(self) -> Replayed:
        """The whole session."""
        for happening in self._walk:
            match happening:
                case Wrote() as wrote:
                    self._write(wrote)
                case Came(records=records, step=step):
                    self._come(records, step)
                case Asked(sent=sent):
                    self._send(sent)
                case Went(slots=slots):
                    self._forget(slots)
        return self._report()

    def _write(self, wrote: Wrote) -> None:
        entry, step = wrote.entry, wrote.step
        if wrote.doubted and self._oracle is not None:
            self._oracle.doubt(entry.write.path)
        self._control.catch_up()
        self._subject.catch_up()
        self.beside.catch_up()
        self._lives.judge(self._subject, step)
        body, dispatch, created = (
            tuple(sorted(map(str, symbols)))
            for symbols in (entry.drift.body, entry.drift.dispatch, entry.drift.created)
        )
        self._writes.append(
            WriteRow(
                tick=entry.tick,
                step=step,
                path=entry.write.path,
                hand=wrote.hand,
                why=wrote.why,
                body=body,
                dispatch=dispatch,
                created=created,
            )
        )
        if self._oracle is not None:
            self._oracle.write(entry.write.path, self._control.nominations)

    def _come(self, records: Sequence[Record], step: Step | None) -> None:
        for record in records:
            self._hold(record)
        if step is not None:
            self._unsent += [record.slot for record in records]
            self.beside.said(step)
            self._lives.use(step, records)
            if self._oracle is not None:
                self._oracle.hold(step)

    def _forget(self, slots: frozenset[Slot] | None) -> None:
        gone = self._subject.forget(slots)
        self._lives.forget(gone, self._walk.step)
        self._meter.forget(gone)
        self._control.forget(slots)
        self.beside.forget(slots)
        if self._oracle is not None:
            self._oracle.forget(slots)

    def _hold(self, record: Record) -> None:
        if record.slot not in self._control.held:
            self._step_tokens[record.step] += record.tokens
        self._control.hold(record)
        self._subject.hold(record)
        self.beside.hold(record)
        self._lives.begin(record)
        self._lives.judge(self._subject, self._walk.step)
        self._meter.hold(record)

    def _send(self, sent: Sent) -> None:
        step = self._walk.step
        self._control.catch_up()
        left = next(self._left)
        self.beside.send(sent, self._control, left)
        if self._priced is None:
            plan = self._subject.request()
            brought = self._subject.retrieve(self._unsent, plan.retrieved)
        else:
            plan = self._priced.send(sent, self._control, left)
            brought = self._priced.brought
        self._unsent.clear()
        self._lives.change(plan, step)
        for change in plan.changes:
            self._actions[change.why] += 1
            self._changed[change.slot] = self._subject.held[change.slot]
        self._actions["keep"] += len(plan.kept)
        if brought is not None:
            self._actions["retrieve"] += 1
            self._brought = self._brought.and_more(len(brought.regions), brought.record.tokens)
            self._lives.bring(brought.record, step)
        self._meter.send(self._walk.request, step, self._control, self._subject)

    def _report(self) -> Replayed:
        recording = self._ready.recording
        records = self._lives.rows(self._walk.titles, self._changed, self._ready.steps.count)
        return Replayed(
            id=Path(recording.file).name.partition(".json")[0],
            agent=recording.agent,
            agent_versions=recording.agent_versions,
            models=recording.models,
            file=recording.file,
            policy=self._told.policy,
            steps=tuple(
                StepRow(
                    index,
                    kind,
                    self._walk.titles.get(index, "remark"),
                    self._step_tokens[index],
                    request,
                )
                for index, (kind, request) in sorted(self._walk.kinds.items())
            ),
            writes=tuple(self._writes),
            records=records,
            moments=self._meter.moments(records),
            nominations=self._lives.nominations,
            actions=dict(self._actions),
            brought_in=self._brought,
            tokens=self._meter.tokens(),
            problems=(*recording.problems, *self._history.problems),
            check=None if self._oracle is None else self._oracle.verdict(),
            costs=tuple(self.beside.costs()),
            asked=self._asked.take(),
        )
