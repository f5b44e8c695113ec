"""What the manager without a model costs in the path of a request, against nomination alone.

A made project of 5,000 files; 200 records are held, no edges are kept. Each request follows a
write, which is the dear case: then code is sought. Nothing fails for being slow. Run with `-s`.
"""

import time
from statistics import median

from benchmarks.test_scale import made
from tests.skills.story import Story

from statetape.context.asking import no_answer
from statetape.policies import POLICIES, planned

FILES = 5_000
HELD = 200
WRITES = 40
FIGURES: list[str] = []


def test_a_plan_after_a_write() -> None:
    files = {path: data.decode() for path, data in made(FILES, 1).items()}
    story = Story(files)
    for number in range(HELD // 2):
        story.read(f"p{number // 40}/m{number}.py")
    times: dict[str, list[float]] = {"write and nominations": [], "default": [], "heuristic": []}
    for number in range(WRITES):
        path = f"p{number // 40}/m{number}.py"
        start = time.process_time()
        story.edit(path, "raise ValueError", "raise  ValueError")
        times["write and nominations"].append(time.process_time() - start)
        for name in ("default", "heuristic"):
            situation = story.situation
            start = time.process_time()
            planned(POLICIES[name], situation, no_answer)
            times[name].append(time.process_time() - start)
    base = median(times["write and nominations"][1:])
    for name, took in times.items():
        later = median(took[1:])
        FIGURES.append(
            f"{name:<22} first {1000 * took[0]:8.2f} ms, then {1000 * later:6.2f} ms, "
            f"{later / base:5.2f} of the write"
        )
    quiet = []
    for number in range(20):
        story.say(f"{number}")
        situation = story.situation
        start = time.process_time()
        planned(POLICIES["heuristic"], situation, no_answer)
        quiet.append(time.process_time() - start)
    later = median(quiet[3:])
    FIGURES.append(f"{'heuristic, no write':<22} {'':14} then {1000 * later:6.2f} ms")
