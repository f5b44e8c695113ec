"""A conversation under the model manager, with a model that is a function."""

import json
from collections.abc import Callable, Generator

from tests.policies.test_any_policy import Kept

from statetape.context.asking import Ask, Reply
from statetape.context.situation import Situation
from statetape.manager.model import NO_SKILLS, Toolbox
from statetape.manager.model import Managed as Manager
from statetape.policies import Policy
from statetape.policies.default import default
from statetape.session import Session
from statetape.tokens import tokens
from statetape.types import Plan, Run, Say, Slot

Model = Callable[[Ask], Reply]


def says(**parts: object) -> Model:
    """A model that answers every ask with this object."""
    return lambda _: Reply(json.dumps(parts))


def silent(_: Ask) -> Reply:
    """A model that is late."""
    return Reply(None, why="late")


def kept(plan: Plan) -> set[Slot]:
    """The slots of what a plan keeps."""
    return {each.slot for each in plan.kept}


class Managed(Kept):
    """`asks` are what the model was asked, `plans` what was decided, before anybody paid."""

    def __init__(
        self, model: Model, toolbox: Toolbox = NO_SKILLS, fallback: Policy = default
    ) -> None:
        policy = Manager(fallback, toolbox)
        super().__init__(policy)
        self.model = model
        self.asks: list[Ask] = []
        self.situations: list[Situation] = []

        def decide(situation: Situation) -> Generator[Ask, Reply, Plan]:
            self.situations.append(situation)
            return policy(situation)

        def answer(ask: Ask) -> Reply:
            self.asks.append(ask)
            return self.model(ask)

        self.session = Session(
            self.space,
            decide,
            tokens,
            title=lambda record: self.titles.get(record.step, "a message"),
            answer=answer,
        )

    def say(self, text: str) -> Slot:
        self.count += 1
        slot = Slot(f"m{self.count}", "say")
        self.session.hold(self.inventory.of_say(Say(slot, "user", text), self.count))
        return slot

    def test(self, output: str = "all passed, " * 30) -> Slot:
        return self.step(Run("pytest", "test"), text=output, kind="run", name="pytest")

    def number(self, slot: Slot) -> str:
        """The number that the prompt gives a record."""
        return str(list(self.session.held).index(slot) + 1)

    @property
    def shown(self) -> str:
        """The first message of the last exchange."""
        return self.asks[-1].messages[0].text
