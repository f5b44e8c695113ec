"""`statetape` with a policy that brings in every definition of the Python files, and maintains."""

from collections.abc import Generator

from statetape.cli import main
from statetape.context.asking import Ask, Reply
from statetape.context.situation import Situation
from statetape.policies import POLICIES
from statetape.policies.default import default
from statetape.types import Plan, Region, SymbolId


def feeding(situation: Situation) -> Generator[Ask, Reply, Plan]:
    """What the default policy does, and all that there is."""
    plan = yield from default(situation)
    code = situation.code
    assert code is not None
    wanted = [
        Region(path, lines, SymbolId(path, definition.name), "G2", "all of it")
        for path in sorted(code.graph.paths())
        if path.endswith(".py") and (facts := code.facts(path)) is not None
        for definition in facts.definitions
        if definition.name
        for lines in definition.lines
    ]
    return Plan(plan.changes, plan.kept, plan.shorter, tuple(wanted))


if __name__ == "__main__":
    POLICIES["default"] = feeding
    main()
