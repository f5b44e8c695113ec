"""Labels by a judge: a model that sees every outstanding gold file and every held record.

What is asked, in which order, and when it is enough is decided here and not by the model: each
file with an outstanding hunk is shown whole, each record gets a verdict, or there are no labels.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TypeVar

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from statetape.bench import judge_prompts
from statetape.bench.bounds import is_source
from statetape.bench.hunks import Hunk
from statetape.bench.judge_prompts import Row
from statetape.bench.labelling import Scene
from statetape.bench.labels import Gold, Held, Verdict
from statetape.bench.moment import Moment, Wanted
from statetape.context.asking import Ask, JsonSchema, Message, Reply
from statetape.errors import StatetapeError
from statetape.types import Lines, Rule

T = TypeVar("T", bound=Struct)

_TRIES = 3
_LINES = 500
"""Lines of a file that are shown at once."""
_RECORDS = 25
"""Records that are asked for at once."""
_MORE = 12
"""Files that a judge may ask to see beyond the gold files of one burst."""


class _Region(Struct, frozen=True):
    first: int
    last: int
    symbol: str
    rule: Rule
    reason: str


class _Regions(Struct, frozen=True):
    regions: tuple[_Region, ...]
    see: tuple[str, ...] = ()


class _Verdict(Struct, frozen=True):
    n: int
    verdict: Verdict


class _Verdicts(Struct, frozen=True):
    records: tuple[_Verdict, ...]


class _Hunks(Struct, frozen=True):
    hunks: tuple[int, ...]


class ModelJudge:
    """A judge that asks a model. `seed` is a part of what is asked: another one, other replies.

    StatetapeError where the model gives no usable answer in three tries.
    """

    def __init__(self, answer: Callable[[Ask], Reply], seed: int) -> None:
        self._answer = answer
        self._version = f"{judge_prompts.PROMPT_VERSION}.{seed}"

    def wanted(self, moment: Moment) -> Iterator[Wanted]:
        """The regions of every outstanding gold file, and of those the judge asks to see."""
        anchors = self._anchors(moment)
        waiting = gold_files(moment)
        most = len(waiting) + _MORE
        for path in waiting:
            last = len(moment.state(path).lines)
            for first in range(1, last + 1, _LINES):
                end = min(last, first + _LINES - 1)
                found = self._swept(moment, anchors, path, first, end)
                for each in found.regions:
                    lines = Lines(each.first, each.last)
                    yield Wanted(path, lines, each.symbol, each.rule, each.reason)
                more = (p for p in dict.fromkeys(found.see) if p not in waiting)
                waiting += [p for p in more if _can_be_seen(moment, p)][: most - len(waiting)]

    def verdicts(
        self, scene: Scene, held: Sequence[Held], superseded: Sequence[bool], gold: Sequence[Gold]
    ) -> tuple[Held, ...]:
        """The held records with the judge's verdicts, every one of them.

        `superseded` is the flag that each of them is shown with.
        """
        found: list[Held] = []
        for first in range(0, len(held), _RECORDS):
            part = range(first, min(len(held), first + _RECORDS))
            rows = [Row(at, held[at], scene.context[at], superseded[at]) for at in part]
            told = self._told(scene, gold, rows, set(part))
            found += [replace(held[at], verdict=told[at]) for at in part]
        return tuple(found)

    def _told(
        self, scene: Scene, gold: Sequence[Gold], rows: Sequence[Row], asked: set[int]
    ) -> dict[int, Verdict]:
        if scene.moment is None:
            raise StatetapeError("a judge labels points before edits only")
        text = judge_prompts.inventory(scene.titles, scene.moment, gold, rows)

        def fault(found: _Verdicts) -> str:
            named = {each.n for each in found.records}
            if left := sorted(asked - named):
                return f"no verdict for {left}"
            return f"no such records: {sorted(named - asked)}" if named - asked else ""

        found = self._asked("bench-held", text, judge_prompts.VERDICTS, _Verdicts, fault)
        return {each.n: each.verdict for each in found.records}

    def _swept(
        self, moment: Moment, anchors: Sequence[Hunk], path: str, first: int, last: int
    ) -> _Regions:
        text = judge_prompts.sweep(moment, anchors, path, first, last)

        def fault(found: _Regions) -> str:
            for each in found.regions:
                if not first <= each.first <= each.last <= last:
                    return f"lines {each.first} to {each.last} are not among {first} to {last}"
            return ""

        return self._asked("bench-needed", text, judge_prompts.REGIONS, _Regions, fault)

    def _anchors(self, moment: Moment) -> tuple[Hunk, ...]:
        """Of a reference patch, the hunks that the burst is about to make; else its own say it."""
        later = moment.later
        if not moment.story.patched or not later:
            return ()

        def fault(found: _Hunks) -> str:
            wrong = [each for each in found.hunks if not 1 <= each <= len(later)]
            return f"no such hunks: {wrong}" if wrong else ""

        text = judge_prompts.selection(moment)
        found = self._asked("bench-hunks", text, judge_prompts.HUNKS, _Hunks, fault)
        return tuple(later[each - 1] for each in sorted(set(found.hunks)))

    def _asked(
        self,
        purpose: str,
        text: str,
        schema: JsonSchema,
        kind: type[T],
        fault: Callable[[T], str],
    ) -> T:
        messages: tuple[Message, ...] = (Message("user", text),)
        why = ""
        for _ in range(_TRIES):
            ask = Ask(purpose, messages, judge_prompts.SYSTEM, schema=schema, most=8_000,
                      version=self._version)  # fmt: skip
            reply = self._answer(ask)
            if reply.text is None:
                raise StatetapeError(f"the judge gave no answer ({purpose}): {reply.why}")
            try:
                found = msgspec.json.decode(_bare(reply.text), type=kind)
            except (msgspec.DecodeError, RecursionError) as error:
                why = str(error)
            else:
                why = fault(found)
                if not why:
                    return found
            complaint = Message("user", judge_prompts.complaint(why))
            messages = (*messages, Message("assistant", reply.text), complaint)
        raise StatetapeError(f"the judge gave no usable answer ({purpose}): {why}")


def gold_files(moment: Moment) -> list[str]:
    """The files that hold outstanding hunks, those of the burst first: all of them are swept."""
    every: Iterable[Hunk] = (*moment.hunks, *moment.later)
    return [p for p in dict.fromkeys(h.path for h in every) if _can_be_seen(moment, p)]


def _can_be_seen(moment: Moment, path: str) -> bool:
    return is_source(path) and moment.exists(path)


def _bare(text: str) -> str:
    """What an answer says between the first brace and the last: models like to frame it."""
    return text[text.find("{") : text.rfind("}") + 1]
