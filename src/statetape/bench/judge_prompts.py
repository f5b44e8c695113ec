"""What a judge is told and asked: all texts, in one version."""

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from statetape.bench.held import Holding
from statetape.bench.hunks import Hunk
from statetape.bench.labels import Gold, Held
from statetape.bench.moment import Moment
from statetape.context.asking import JsonSchema
from statetape.text import speakable

PROMPT_VERSION = "1"
"""To be changed with every change of a text here: replies are to these very texts."""

_SHOWN = 1_200
"""Characters of a record that are shown."""
_STEPS = 40
"""Steps before the point whose titles are shown."""

SYSTEM = """\
You label what a coding agent needs for the edits it is about to make. You see the edits that it \
will make next (the imminent change), the later edits of the same task (outstanding), and files as \
they are now. Answer with JSON only."""

_RULES = """\
G1: the edit site: the definition around an imminent hunk, as it is now.
G2: a definition that the imminent hunk calls, imports or subclasses.
G3: the blast radius: an existing site that must stay consistent with the change.
G4: the contract: the interface, base class, registry or schema that the change must satisfy.
Not gold: code that merely stands in the same file; imports, licences, docstrings alone; tests."""

REGIONS: JsonSchema = {
    "type": "object",
    "properties": {
        "regions": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {
                    "first": {"type": "integer"},
                    "last": {"type": "integer"},
                    "symbol": {"type": "string"},
                    "rule": {"enum": ["G1", "G2", "G3", "G4"]},
                    "reason": {"type": "string"},
                },
                "required": ["first", "last", "symbol", "rule", "reason"],
                "additionalProperties": False,
            },
        },
        "see": {"type": "array", "items": {"type": "string"}},
    },
    "required": ["regions", "see"],
    "additionalProperties": False,
}
VERDICTS: JsonSchema = {
    "type": "object",
    "properties": {
        "records": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {
                    "n": {"type": "integer"},
                    "verdict": {"enum": ["needed", "stale", "superseded", "finished"]},
                },
                "required": ["n", "verdict"],
                "additionalProperties": False,
            },
        },
    },
    "required": ["records"],
    "additionalProperties": False,
}
HUNKS: JsonSchema = {
    "type": "object",
    "properties": {"hunks": {"type": "array", "items": {"type": "integer"}}},
    "required": ["hunks"],
    "additionalProperties": False,
}


class Row(NamedTuple):
    """A record to be judged; `superseded`: it is flagged as such."""

    number: int
    held: Held
    holding: Holding
    superseded: bool


def selection(moment: Moment) -> str:
    """The question which outstanding hunks of a patch the burst is about to make."""
    return _lines(
        "The imminent change:",
        *_changes(moment, moment.hunks),
        "The outstanding hunks of the reference patch, by number:",
        *(
            row
            for number, hunk in enumerate(moment.later, 1)
            for row in (f"[{number}]", *_changes(moment, [hunk]))
        ),
        'Which of them is the imminent change positioned to make? {"hunks": [numbers]}, [] for '
        "none.",
    )


def sweep(moment: Moment, anchors: Sequence[Hunk], path: str, first: int, last: int) -> str:
    """The question which regions among these lines of a file are gold."""
    rows = moment.state(path).lines[first - 1 : last]
    return _lines(
        _RULES,
        "The imminent change:",
        *_changes(moment, moment.hunks),
        *(["It is about to make:", *_changes(moment, anchors)] if anchors else []),
        "Files with outstanding hunks: " + (", ".join(_paths(moment.later)) or "none"),
        f"Lines {first} to {last} of {path}, as it is now:",
        *(f"{number}\t{row}" for number, row in enumerate(rows, first)),
        "Give every region of these lines that is gold, with its rule and a reason in a few "
        'words, and in "see" the paths of other files that you would have to see.',
    )


def inventory(
    titles: Sequence[tuple[int, str]],
    moment: Moment,
    gold: Sequence[Gold],
    rows: Iterable[Row],
) -> str:
    """The question what each of these held records is good for now."""
    return _lines(
        "needed: the imminent change needs it, in part at least. stale: what it shows is no "
        "longer what the repository holds. superseded: a later record shows the same. finished: "
        "true, and no longer of use.",
        "What the agent did last:",
        *(f"{number} {title}" for number, title in titles[-_STEPS:]),
        "The imminent change:",
        *_changes(moment, moment.hunks),
        "Gold regions:",
        *(f"{each.path} {each.lines.first}-{each.lines.last} {each.rule}" for each in gold),
        "The records:",
        *(row for each in rows for row in _record(each)),
        'Give a verdict for each: {"records": [{"n": number, "verdict": ...}]}.',
    )


def complaint(why: str) -> str:
    """The answer was of no use."""
    return f"That is no usable answer: {why}. Answer the question again, with JSON only."


def _record(row: Row) -> Iterator[str]:
    held = row.held
    where = f" {held.file}" if held.file else ""
    where += f" {held.span.first}-{held.span.last}" if held.span else ""
    flag = ", superseded by a later record" if row.superseded else ""
    yield f"[{row.number}] {held.kind} ({held.side}){where}, of step {held.born_step}{flag}:"
    text = row.holding.record.text
    yield text[:_SHOWN] + ("..." if len(text) > _SHOWN else "")


def _changes(moment: Moment, hunks: Iterable[Hunk]) -> Iterator[str]:
    texts = moment.story.chronicle.texts
    for hunk in hunks:
        yield f"@@ {hunk.path}"
        yield from (f"-{texts[line]}" for line in hunk.old)
        yield from (f"+{texts[line]}" for line in hunk.new)


def _paths(hunks: Iterable[Hunk]) -> list[str]:
    return list(dict.fromkeys(hunk.path for hunk in hunks))


def _lines(*rows: str) -> str:
    return "\n".join(speakable(row) for row in rows)
