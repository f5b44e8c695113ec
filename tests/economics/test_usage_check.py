"""What a cache that keeps to the rules reports is told by the check to the last request."""

import csv
from pathlib import Path

import pytest
from benchmarks import usage_check
from tests.economics.literal import Anthropic

NAMES = ["session", "agent", "model", "request_no", "timestamp", "input_uncached", "cache_read"]
NAMES += ["cache_write", "cache_write_5m", "cache_write_1h", "output"]


def lines(session: str, gaps: list[int], ttl: int) -> list[dict[str, object]]:
    """A session's requests with these seconds between them, each two blocks longer."""
    cache, found, at = Anthropic(), [], 1_700_000_000
    row = [{"layer": "system", "content": session, "tokens": 9000, "ttl": ttl, "joined": False}]
    for number, gap in enumerate((0, *gaps)):
        at += gap
        row = [{**block, "ttl": ttl if i == 0 else None} for i, block in enumerate(row)]
        row += [
            {
                "layer": "messages",
                "content": (number, i),
                "tokens": 700,
                "ttl": mark,
                "joined": False,
            }
            for i, mark in enumerate((None, ttl, None))
        ]
        usage = cache.answer({"model": "m", "at": at, "settings": 0, "blocks": row})
        row = row[:-1]
        figures = [
            session, "claude-code", "claude-opus-4-6", number, at * 1000, usage["input_tokens"],
            usage["cache_read_input_tokens"], usage["cache_creation_input_tokens"],
            *usage["cache_creation"].values(), 5,
        ]  # fmt: skip
        found.append(dict(zip(NAMES, figures, strict=True)))
    return found


def test_what_keeps_to_the_rules_is_told_to_the_last_request(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    kept = lines("a", [10, 299, 301, 20, 20], 300) + lines("b", [10, 3000, 9000, 20], 3600)
    # What nobody can know: a cache that collapses although it is warm.
    odd = lines("c", [10, 10, 10], 300)
    odd[-1] |= {"cache_read": 9000, "cache_write": 5600, "cache_write_5m": 5600}
    for rows, close, first in ((kept, "100.00", "0.00"), (kept + odd, "91.67", "8.33")):
        file = tmp_path / "requests.csv"
        with file.open("w", encoding="utf-8", newline="") as opened:
            writer = csv.DictWriter(opened, NAMES)
            writer.writeheader()
            writer.writerows(rows)
        usage_check.main(file)
        line = next(o for o in capsys.readouterr().out.splitlines() if o.startswith("all"))
        assert line.split()[2] == close
        assert line.split()[3 + usage_check.MISSES.index("first")] == first
