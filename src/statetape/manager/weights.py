"""The weights of the heuristic manager, as data: `benchmarks/fit_manager.py` makes them.

They are fitted on recorded sessions, never by hand. For each of those there is a second set that
was fitted without it, so that it can be scored by weights that have not seen it.
"""

from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files
from math import exp

from msgspec import Struct, json

from statetape.errors import StatetapeError
from statetape.manager import finished, wanted


class Logistic(Struct, frozen=True):
    """A logistic regression. `centre` and `scale` bring a feature to mean 0 and deviation 1.

    `threshold` is the probability at which it is acted upon.
    """

    centre: tuple[float, ...]
    scale: tuple[float, ...]
    weights: tuple[float, ...]
    bias: float
    threshold: float

    def probability(self, features: Sequence[float]) -> float:
        """How likely it is, 0 to 1."""
        terms = zip(self.weights, features, self.centre, self.scale, strict=True)
        logit = self.bias + sum(w * (x - c) / s for w, x, c, s in terms)
        return 1 / (1 + exp(-max(-30.0, min(30.0, logit))))


class Weights(Struct, frozen=True):
    """Of one manager: that a held result is `wanted_again`, and that code is `wanted_next`."""

    wanted_again: Logistic
    wanted_next: Logistic


class _Shipped(Struct, frozen=True):
    features: tuple[tuple[str, ...], tuple[str, ...]]
    weights: Weights
    without: Mapping[str, Weights]


def weights() -> Weights:
    """The weights fitted on all development sessions.

    StatetapeError if the data is of other features than those of this version.
    """
    return _shipped().weights


def weights_without(session: str) -> Weights:
    """Weights that have not seen a session: `session` is the hex SHA-256 of its file.

    Of a file that no weights were fitted on, those of all.
    """
    return _shipped().without.get(session[:16], _shipped().weights)


@cache
def _shipped() -> _Shipped:
    text = (files("statetape.manager") / "weights.json").read_bytes()
    found = json.decode(text, type=_Shipped)
    if found.features != (finished.FEATURES, wanted.FEATURES):
        raise StatetapeError("manager/weights.json is of other features; fit the weights anew")
    return found
