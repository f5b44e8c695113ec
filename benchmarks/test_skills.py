"""What skills cost on a large project: each a median, after what the first question has read.

A made project of 5,000 files; 200 records are held, no edges are kept. Nothing fails for being
slow. Run with `-s` to see the figures.
"""

import time
from statistics import median
from typing import Any

import pytest
from benchmarks.test_scale import made
from tests.skills.story import Story

from statetape.skills import answered

FILES = 5_000
HELD = 200
FIGURES: list[str] = []


@pytest.fixture(scope="module")
def story() -> Story:
    files = {path: data.decode() for path, data in made(FILES, 1).items()}
    found = Story(files)
    for number in range(HELD // 2):
        found.read(f"p{number // 40}/m{number}.py")
    found.edit("p1/m50.py", "raise ValueError", "raise  ValueError")
    return found


@pytest.mark.parametrize(
    ("name", "asked"),
    [
        ("nominations", {}),
        ("drift", {}),
        ("callers", {"symbol": "make{}"}),
        ("callers", {"symbol": "make{}", "hops": 2}),
        ("callees", {"symbol": "make{}", "hops": 2}),
        ("falsified", {"symbol": "p1/m50.py::Service50_0.load"}),
        ("held", {}),
        ("text", {"slot": "c5:result"}),
        ("source", {"symbol": "make{}"}),
        ("importers", {"path": "m{}.py"}),
        ("overrides", {"symbol": "Service{}_0"}),
        ("bases", {"symbol": "Service{}_0.load"}),
        ("focus", {}),
    ],
    ids=str,
)
def test_an_answer(name: str, asked: dict[str, Any], story: Story) -> None:
    times = []
    for number in range(1000, 1020):
        given = {k: v.format(number) if isinstance(v, str) else v for k, v in asked.items()}
        situation = story.situation
        start = time.process_time()
        answered(name, situation, given)
        times.append(1000 * (time.process_time() - start))
    hops = f", {asked['hops']} hops" if "hops" in asked else ""
    FIGURES.append(f"{name + hops:<20} first {times[0]:9.2f} ms, then {median(times[1:]):6.2f} ms")
