"""Hand-made replays, in the shape the player gives: small, and as large as wanted."""

from collections.abc import Callable
from random import Random

import pytest

from statetape.replay.timeline import (
    Check,
    Moment,
    Passage,
    RecordRow,
    Replayed,
    StepRow,
    Tokens,
    WriteRow,
)

HOSTILE = "</script><script>alert(1)</script><!-- \u2028 <img src=x onerror=alert(2)> \x1b[31mred"


@pytest.fixture
def small() -> Callable[..., Replayed]:
    return small_replay


@pytest.fixture
def hostile() -> str:
    return HOSTILE


@pytest.fixture
def large() -> Callable[..., Replayed]:
    return large_replay


def small_replay(**changes: object) -> Replayed:
    """Five steps: two reads, an edit that makes one stale, a test run, an external write."""
    steps = (
        StepRow(0, "say", "please fix the parser", 12, 0),
        StepRow(1, "read", "read app/parser.py", 900, 0),
        StepRow(2, "read", "read app/config.py 1-40", 400, 1),
        StepRow(3, "run", "pytest -q", 150, 2),
        StepRow(4, "edit", "edit app/parser.py", 120, 3),
    )
    writes = (
        WriteRow(
            1,
            4,
            "app/parser.py",
            "agent",
            "edit",
            ("app/parser.py::", "app/parser.py::Parser.parse"),
            ("app/cli.py::main",),
            ("app/parser.py::Parser._peek",),
        ),
        WriteRow(2, 4, "app/lock.json", "external", "seen in a later read", (), (), ()),
    )
    stale = ("app/parser.py::Parser.parse",)
    records = (
        _record("a", steps[0], "please fix the parser", ()),
        _record(
            "b",
            steps[1],
            "1\tclass Parser:\n2\t    def parse(self):\n",
            (Passage(4, "stale", stale), Passage(4, "refreshed", stale)),
            now="1\tclass Parser:\n2\t    def parse(self, text):\n",
        ),
        _record("c", steps[2], "1\tTIMEOUT = 3\n", ()),
        _record(
            "d",
            steps[3],
            "3 passed",
            (Passage(4, "stale"), Passage(4, "rerun")),
            now="[run it again]",
        ),
        _record("e", steps[4], "The file has been updated.", ()),
    )
    moments = (
        Moment(0, 0, 12, 0, 0, 0, 12, 0),
        Moment(1, 1, 912, 0, 0, 0, 912, 0),
        Moment(2, 2, 900, 412, 0, 0, 1312, 0),
        Moment(3, 3, 900, 562, 0, 0, 1462, 0),
        Moment(4, 4, 500, 532, 0, 40, 1582, 1050),
    )
    values: dict[str, object] = {
        "id": "s1",
        "agent": "claude-code",
        "agent_versions": ("2.1.7",),
        "models": ("claude-opus-4-5-20251101",),
        "file": "sessions/s1.jsonl",
        "policy": "default",
        "steps": steps,
        "writes": writes,
        "records": records,
        "moments": moments,
        "nominations": 2,
        "actions": {"refresh": 1, "rerun": 1},
        "tokens": Tokens(1582, 5280, 4770, 1050, 0, 30),
        "problems": ("line 7: not JSON",),
        "check": Check(2, 3, 0, 0),
    }
    return Replayed(**{**values, **changes})  # type: ignore[arg-type]


def large_replay(records: int = 800, tokens: int = 4000, seed: int = 1) -> Replayed:
    """A session of one record a step; texts of about `tokens` tokens."""
    random = Random(seed)  # noqa: S311 (made-up data)
    kinds = ("read", "read", "edit", "run", "search", "say", "edit_failed", "other")
    files = [f"src/package_{n % 7}/some_module_{n}.py" for n in range(40)]
    steps: list[StepRow] = []
    writes: list[WriteRow] = []
    rows: list[RecordRow] = []
    moments: list[Moment] = []
    lives: list[list[Passage]] = []
    for step in range(records):
        kind, path = random.choice(kinds), random.choice(files)
        steps.append(StepRow(step, kind, f"{kind} {path}", tokens, step))  # type: ignore[arg-type]
        lives.append([Passage(step, "fresh")])
        if kind == "edit":
            body = tuple(f"{path}::Thing.method_{n}" for n in range(random.randrange(4)))
            hand = random.choice(("agent", "agent", "agent", "shell", "external"))
            writes.append(
                WriteRow(len(writes) + 1, step, path, hand, "edit", body, body[:1], ())  # type: ignore[arg-type]
            )
            for life in random.sample(lives, min(3, len(lives))):
                if len(life) == 1 and body:
                    life.append(Passage(step, "stale", body))
                    life.append(Passage(step, random.choice(("refreshed", "dropped", "rerun"))))
    for step, life in enumerate(lives):
        text = "".join(f"{n}\t    value_{n} = compute({n})\n" for n in range(tokens // 10))
        rows.append(
            _record(
                f"r{step}",
                steps[step],
                text,
                tuple(life[1:]),
                now=text[: len(text) // 2] if len(life) > 1 else None,
            )
        )
    for step in range(records):
        held = (step % 300 + 1) * tokens
        stale = held // 5
        moments.append(Moment(step, step, held // 3, held // 3, 0, held // 40, held, stale))
    return small_replay(
        id=f"large-{seed}",
        steps=tuple(steps),
        writes=tuple(writes),
        records=tuple(rows),
        moments=tuple(moments),
    )


def _record(
    slot: str, row: StepRow, text: str, later: tuple[Passage, ...], now: str | None = None
) -> RecordRow:
    return RecordRow(
        slot,
        "result",
        row.index,
        row.kind,
        row.title,
        row.tokens,
        row.tokens if now is None else len(now) // 4,
        text,
        now,
        (Passage(row.index, "fresh"), *later),
        row.index + 3,
    )
