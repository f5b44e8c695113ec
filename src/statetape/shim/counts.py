"""What passed through, counted; as a JSON document and as Prometheus text."""

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from statetape import __version__

_BOUNDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.0)  # seconds
Labels = Mapping[str, str]


class Counts:
    """The counts of one proxy since its start. Used from its event loop only."""

    def __init__(self) -> None:
        self.requests = 0
        self.open = 0
        self.asked = 0
        self.changed = 0
        self.passed: Counter[str] = Counter()
        self.refused: Counter[str] = Counter()
        self.answers: Counter[str] = Counter()
        self.failures: Counter[str] = Counter()
        self.bytes: Counter[str] = Counter()
        self.seconds = 0.0
        self._slots = [0] * (len(_BOUNDS) + 1)

    def took(self, seconds: float) -> None:
        """A request waited so long for the core."""
        self.asked += 1
        self.seconds += seconds
        self._slots[bisect_left(_BOUNDS, seconds)] += 1

    def document(self) -> dict[str, Any]:
        """The counts by name. `passed` by reason: requests that went on without being asked for."""
        return {
            "requests": self.requests,
            "open": self.open,
            "asked": self.asked,
            "changed": self.changed,
            "passed": dict(self.passed),
            "refused": dict(self.refused),
            "answers": dict(self.answers),
            "failures": dict(self.failures),
            "bytes": dict(self.bytes),
            "core_seconds": round(self.seconds, 6),
        }

    def prometheus(self, core: Mapping[str, Any]) -> str:
        """All counts and those of the core's state, in Prometheus' text format, version 0.0.4."""
        return "".join(f"{line}\n" for line in self._lines(core))

    def _lines(self, core: Mapping[str, Any]) -> Iterator[str]:
        yield from _metric("build_info", "gauge", "Always 1.", [({"version": __version__}, 1)])
        yield from _metric("requests_total", "counter", "Requests.", [({}, self.requests)])
        yield from _metric("open_requests", "gauge", "Requests in flight.", [({}, self.open)])
        yield from _metric(
            "changed_total", "counter", "Requests that went on changed.", [({}, self.changed)]
        )
        for name, label, counted, words in (
            ("passed_total", "reason", self.passed, "Requests that went on as they came."),
            ("refused_total", "reason", self.refused, "Requests that did not go on."),
            ("answers_total", "code", self.answers, "Answers of the upstream."),
            ("upstream_failures_total", "kind", self.failures, "Answers that were cut or missing."),
            ("bytes_total", "side", self.bytes, "Bytes of bodies."),
        ):
            rows = [({label: key}, n) for key, n in sorted(counted.items())]
            yield from _metric(name, "counter", words, rows)
        yield from self._histogram()
        for name, label, key, words in (
            ("tokens_total", "kind", "tokens", "Tokens of histories, with changes and without."),
            ("changes_total", "why", "changes", "Changes made."),
            ("brought_in_total", "kind", "brought_in", "Code brought in: regions, tokens."),
            ("nothing_done_total", "why", "nothing_done", "Requests the core left alone."),
            ("manager_total", "kind", "manager", "The model manager: asks, tokens, failures."),
        ):
            yield from _metric(name, "counter", words, _numbers(label, core.get(key)))

    def _histogram(self) -> Iterator[str]:
        yield "# HELP statetape_core_seconds Time that requests waited for the core."
        yield "# TYPE statetape_core_seconds histogram"
        total = 0
        for bound, count in zip((*map(str, _BOUNDS), "+Inf"), self._slots, strict=True):
            total += count
            yield f'statetape_core_seconds_bucket{{le="{bound}"}} {total}'
        yield f"statetape_core_seconds_sum {self.seconds:.6f}"
        yield f"statetape_core_seconds_count {total}"


def _metric(
    name: str, kind: str, words: str, rows: Sequence[tuple[Labels, int | float]]
) -> Iterator[str]:
    yield f"# HELP statetape_{name} {words}"
    yield f"# TYPE statetape_{name} {kind}"
    for labels, value in rows:
        inside = ",".join(f'{label}="{_escaped(text)}"' for label, text in labels.items())
        yield f"statetape_{name}{{{inside}}} {value}" if inside else f"statetape_{name} {value}"


def _numbers(label: str, counted: object) -> list[tuple[Labels, int | float]]:
    if not isinstance(counted, Mapping):
        return []
    return [
        ({label: str(key)}, value)
        for key, value in counted.items()
        if isinstance(value, int | float)
    ]


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
