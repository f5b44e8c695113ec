"""Fits the weights of the heuristic manager on recorded sessions and writes them as data.

    python -m benchmarks.fit_manager [--bases FILE] SESSION... > src/statetape/manager/weights.json

Needs the extra `fit`. Two logistic regressions, each row weighed by the square root of its tokens
(a result that is let go) or by its tokens (code that is brought in). The thresholds are those that
keep to `LOST` and `TOKENS` on the sessions that were fitted. For each session there is a second
set without it. Nothing is chosen by hand but the constants here; the same input gives the same
bytes.
"""

import argparse
import sys
from collections.abc import Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
from msgspec import json
from sklearn.linear_model import LogisticRegression

from statetape.bench.lookahead import PointRow, points
from statetape.cli.bench.bases import Base, bases, name_of
from statetape.manager import finished, wanted
from statetape.manager.choice import BUDGET, LATEST, LEAST
from statetape.manager.weights import Logistic, Weights

LOST = 0.1
"""The share of needed tokens that may be let go on the sessions fitted."""
TOKENS = 60.0
"""The tokens that may be brought in for each write on the sessions fitted."""
STRENGTH = 0.001
"""Of the regularisation: scikit-learn's C. Most figures hardly matter alone."""

Table = Any  # an array of float64
"""Columns as named in `_held` and `_offers`, then the features."""


def held_rows(rows: Sequence[PointRow]) -> Table:
    """Per held result with features: needed, tokens, whether it may be let go, features."""
    return np.array(
        [
            (row.needed, row.tokens, _may_go(row.result), *row.result.features)
            for point in rows
            for row in point.held
            if row.result.features is not None
        ]
    ).reshape(-1, 3 + len(finished.FEATURES))


def _may_go(result: finished.Result) -> bool:
    return result.turns >= LATEST and result.record.tokens >= LEAST


def offer_rows(rows: Sequence[PointRow]) -> Table:
    """Per offer: the number of its point, tokens, gold tokens, features."""
    return np.array(
        [
            (number, offer.tokens, offer.gold, *offer.wanted.features)
            for number, point in enumerate(rows)
            for offer in point.offers
        ]
    ).reshape(-1, 3 + len(wanted.FEATURES))


def session(file: Path, known: Mapping[str, Base]) -> tuple[str, Table, Table, int]:
    """The digest of a session's file, its two tables, and how many points it has."""
    start = known.get(name_of(file))
    rows = points(file, repo=start.repo if start else None, base=start.base if start else None)
    digest = sha256(file.read_bytes()).hexdigest()[:16]
    return digest, held_rows(rows), offer_rows(rows), len(rows)


def fitted(held: Table, offers: Table, writes: int) -> Weights:
    """The weights of some sessions' rows."""
    return Weights(_again(held), _next(offers, writes))


def _again(rows: Table) -> Logistic:
    needed, size, may_go = rows[:, 0] > 0, rows[:, 1], rows[:, 2] > 0
    model, chance = _regression(rows[:, 3:], needed, np.sqrt(size))
    order = np.argsort(chance, kind="stable")
    lost = np.cumsum(np.where(needed & may_go, size, 0)[order])
    at = int(np.searchsorted(lost, LOST * size[needed].sum()))
    return model(float(chance[order[min(at, len(order) - 1)]]))


def _next(rows: Table, writes: int) -> Logistic:
    size, gold = rows[:, 1], rows[:, 2]
    features = np.concatenate([rows[:, 3:], rows[:, 3:]])
    labels = np.concatenate([np.ones(len(rows)), np.zeros(len(rows))]) > 0
    model, chance = _regression(features, labels, np.concatenate([gold, size - gold]))
    chance = chance[: len(rows)]
    order = np.argsort(-chance, kind="stable")
    spent = np.cumsum(_within_budget(rows, order))
    at = int(np.searchsorted(spent, TOKENS * writes))
    return model(float(chance[order[min(at, len(order) - 1)]]))


def _within_budget(rows: Table, order: Any) -> Table:
    """The tokens that each offer adds, in order of chance: none once its point's budget is out."""
    left: dict[float, float] = {}
    sizes = []
    for at in order:
        point, size = rows[at, 0], rows[at, 1]
        room = left.get(point, float(BUDGET))
        taken = size if size <= room else 0.0
        left[point] = room - taken
        sizes.append(taken)
    return np.array(sizes)


def _regression(features: Table, labels: Any, weights: Any) -> Any:
    centre = np.average(features, axis=0, weights=weights)
    scale = np.sqrt(np.average((features - centre) ** 2, axis=0, weights=weights))
    scale[scale < 1e-9] = 1.0
    scaled = (features - centre) / scale
    # The mean weight is 1, so that the strength means the same whatever the sessions' sizes.
    regression = LogisticRegression(C=STRENGTH, max_iter=1000)
    regression.fit(scaled, labels, sample_weight=weights / weights.mean())

    def model(threshold: float) -> Logistic:
        return Logistic(
            _rounded(centre),
            _rounded(scale),
            _rounded(regression.coef_[0]),
            round(float(regression.intercept_[0]), 5),
            round(threshold, 5),
        )

    return model, regression.predict_proba(scaled)[:, 1]


def _rounded(values: Any) -> tuple[float, ...]:
    return tuple(round(float(value), 5) for value in values)


def main() -> None:
    """Fit, and print the data."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("sessions", nargs="+", type=Path)
    parser.add_argument("--bases", type=Path)
    parser.add_argument("--jobs", type=int, default=2)
    asked = parser.parse_args()
    work = partial(session, known=bases(asked.bases, asked.sessions))
    with ProcessPoolExecutor(asked.jobs) as pool:
        found = sorted(pool.map(work, asked.sessions), key=lambda each: each[0])
    without = {}
    for left_out in [None, *range(len(found))]:
        some = [each for at, each in enumerate(found) if at != left_out]
        made = fitted(
            np.concatenate([held for _, held, _, _ in some]),
            _numbered([offers for _, _, offers, _ in some]),
            sum(writes for _, _, _, writes in some),
        )
        without["" if left_out is None else found[left_out][0]] = made
    document = {
        "features": (finished.FEATURES, wanted.FEATURES),
        "weights": without.pop(""),
        "without": without,
    }
    sys.stdout.buffer.write(json.encode(document) + b"\n")


def _numbered(tables: Sequence[Table]) -> Table:
    """The tables below each other, no point with the number of another session's."""
    rows = []
    for number, table in enumerate(tables):
        shifted = table.copy()
        shifted[:, 0] += number * 1_000_000
        rows.append(shifted)
    return np.concatenate(rows)


if __name__ == "__main__":
    main()
