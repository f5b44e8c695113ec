"""Policies by name. A policy is a generator: it yields questions, is sent replies, returns a plan.

So one function serves every host: asked synchronously, asynchronously, or from a recording.
"""

from collections.abc import Callable, Generator

from statetape.context.asking import Ask, Reply, replied
from statetape.context.situation import Situation
from statetape.errors import BadInput
from statetape.policies.ablations import without_graph, without_tape
from statetape.policies.clearing import clearing
from statetape.policies.control import control
from statetape.policies.corvus import corvus
from statetape.policies.default import default
from statetape.policies.heuristic import heuristic
from statetape.policies.masking import masking
from statetape.policies.model import model
from statetape.policies.summary import summary
from statetape.policies.supersede import supersede
from statetape.policies.text import text
from statetape.types import Plan

Policy = Callable[[Situation], Generator[Ask, Reply, Plan]]

Model = Callable[[Ask], Reply]
"""As a policy knows it: what it replies to each question."""

_MANAGER: Policy = heuristic  # that of the ablations

POLICIES: dict[str, Policy] = {
    "clearing": clearing,
    "control": control,
    "corvus": corvus,
    "default": default,
    "heuristic": heuristic,
    "masking": masking,
    "model": model,
    "summary": summary,
    "supersede": supersede,
    "text": text,
    "without-graph": without_graph(_MANAGER),
    "without-manager": default,
    "without-tape": without_tape(_MANAGER),
}


def policy(name: str) -> Policy:
    """The policy of that name. BadInput names those there are."""
    if name not in POLICIES:
        raise BadInput(f"no policy {name!r}; there are {', '.join(sorted(POLICIES))}")
    return POLICIES[name]


def answered(decide: Policy, answer: Model) -> Policy:
    """The policy that asks nothing: `answer` has replied to all that `decide` asks."""

    def decided(situation: Situation) -> Generator[Ask, Reply, Plan]:
        yield from ()
        return planned(decide, situation, answer)

    return decided


def planned(decide: Policy, situation: Situation, answer: Model) -> Plan:
    """The plan of a policy, its questions answered one after another by `answer`."""
    return replied(decide(situation), answer)
