"""What a reviewer has to see of a label: the texts, from a replay of the session to the point."""

import json
from collections import defaultdict
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from hashlib import sha256
from pathlib import Path

from msgspec import Struct

from statetape.bench.labels import Held, Point, Source
from statetape.bench.review import Case
from statetape.context.inventory import input_text
from statetape.context.titles import title
from statetape.errors import BadInput
from statetape.files import GitCommit
from statetape.replay.history import history
from statetape.replay.prepared import Prepared, prepared
from statetape.replay.transcripts import recording
from statetape.replay.walk import Asked, Came, Walk
from statetape.types import Lines, Record, Slot, Step

_MOST_LINES = 400
_AROUND = 3
_STEPS_BEFORE = 4
_MOST_AFTER = 12


class After(Struct, frozen=True):
    """A step that followed: its title, and what the agent wrote for it."""

    step: int
    title: str
    input: str


class Shown(Struct, frozen=True):
    """One case as the page shows it. Texts are of at most 400 lines.

    `place_words` is the point in words, `title` and `about` say what is labelled and why. Of a
    held record, `text` is its own and `now` the lines of its file at the point; of a region, `text`
    are its lines, marked, with some around them.
    """

    name: str
    kind: str
    label: str
    place_words: str
    title: str
    about: tuple[tuple[str, str], ...]
    text: str
    now: str | None
    before: tuple[str, ...]
    after: tuple[After, ...]


def shown(source: Source, cases: Sequence[Case]) -> Mapping[str, Shown]:
    """The cases of one session, by name. Costs a replay of it.

    BadInput where the session's file is not there any more, or is another one.
    """
    file = Path(source.file)
    try:
        data = file.read_bytes()
    except OSError as error:
        raise BadInput(f"{file}: {error.strerror}: the session that was labelled") from None
    if sha256(data).hexdigest() != source.sha256:
        raise BadInput(f"{file}: not the session that was labelled: build the benchmark again")
    ready = prepared(recording(file))
    start = GitCommit(source.repo, source.base or "HEAD") if source.repo else None
    with start or nullcontext() as base:
        walk = Walk(ready, history(ready.recording, base, ready.shell_writes))
        return _Shower(ready, walk, cases).all()


class _Shower:
    """One walk along the cases of a session."""

    def __init__(self, ready: Prepared, walk: Walk, cases: Sequence[Case]) -> None:
        self._walk = walk
        self._held: dict[Slot, Record] = {}
        self._steps = {step.index: step for step in ready.steps.finished.values()}
        self._cases: defaultdict[int, list[Case]] = defaultdict(list)
        for case in cases:
            self._cases[case.point.request].append(case)

    def all(self) -> Mapping[str, Shown]:
        found: dict[str, Shown] = {}
        for happening in self._walk:
            match happening:
                case Came(records=records):
                    self._held.update((record.slot, record) for record in records)
                case Asked():
                    found |= self._at(self._walk.request)
        for request in self._cases:
            found |= self._at(request) if request > self._walk.request else {}
        return found

    def _at(self, request: int) -> dict[str, Shown]:
        return {case.name: self._shown(case) for case in self._cases.get(request, ())}

    def _shown(self, case: Case) -> Shown:
        point = case.point
        before = [
            f"{number}  {self._walk.titles.get(number, 'a remark')}"
            for number in range(max(1, point.step - _STEPS_BEFORE + 1), point.step + 1)
        ]
        if isinstance(case.of, Held):
            record = self._held.get(case.of.slot)
            head = self._walk.title(record) if record is not None else case.of.id
            text = "" if record is None else record.text
            now = self._lines(case.of.file, case.of.span, 0)
        else:
            head = case.of.symbol or case.of.path
            text = self._lines(case.of.path, case.of.lines, _AROUND) or ""
            now = None
        kind = "held" if isinstance(case.of, Held) else "region"
        return Shown(
            case.name,
            kind,
            case.label,
            _place(case.session, point),
            head,
            tuple(_about(case)),
            _cut(text),
            now,
            tuple(before),
            tuple(self._after(point)),
        )

    def _lines(self, path: str | None, lines: Lines | None, around: int) -> str | None:
        text = None if path is None else self._walk.workspace.text(path)
        if text is None or lines is None:
            return None
        first = max(1, lines.first - around)
        found = text.split("\n")[first - 1 : lines.last + around]
        marks = (
            ">" if around and lines.first <= number <= lines.last else " "
            for number in range(first, lines.last + around + 1)
        )
        return _cut(
            "\n".join(
                f"{mark}{number:>5}  {line}"
                for mark, (number, line) in zip(marks, enumerate(found, first), strict=False)
            )
        )

    def _after(self, point: Point) -> list[After]:
        last = point.burst.last if point.burst else point.step + _STEPS_BEFORE
        steps = [
            self._steps[number]
            for number in range(point.step + 1, last + 1)
            if number in self._steps
        ]
        return [After(step.index, title(step), _input(step)) for step in steps[:_MOST_AFTER]]


def _input(step: Step) -> str:
    """The call's arguments, each with its name; long ones below it."""
    if step.call is None or isinstance(step.call.input, str):
        return "" if step.call is None else _cut(input_text(step.call))
    texts = {
        name: value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
        for name, value in step.call.input.items()
    }
    return _cut(
        "\n".join(
            f"{name}:\n{text}" if "\n" in text else f"{name}: {text}"
            for name, text in texts.items()
        )
    )


def _place(session: str, point: Point) -> str:
    moment = {"P": "before edits", "T": "after a test run", "F": "at the end"}[point.family]
    return f"{session}, {moment}: what request {point.request} carries after step {point.step}"


def _about(case: Case) -> list[tuple[str, str]]:
    of = case.of
    if isinstance(of, Held):
        where = "no file" if of.file is None else of.file
        if of.span is not None:
            where += f":{of.span.first}-{of.span.last}"
        used = "never" if of.next_use is None else f"in step {of.next_use}"
        return [
            ("record", f"{of.kind} {of.side}, of step {of.born_step}"),
            ("where", where),
            ("tokens", f"{of.n:,}"),
            ("used again", used),
        ]
    return [
        ("where", f"{of.path}:{of.lines.first}-{of.lines.last}"),
        ("rule", of.rule),
        ("reason", of.reason),
        ("tokens", f"{of.tokens:,}, {of.missing:,} of them not held"),
    ]


def _cut(text: str) -> str:
    lines = text.split("\n")
    if len(lines) <= _MOST_LINES:
        return text
    return "\n".join([*lines[:_MOST_LINES], f"... {len(lines) - _MOST_LINES:,} more lines"])
