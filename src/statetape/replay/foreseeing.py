"""An account that knows what only hindsight knows: how many requests are still to come."""

from statetape.economics.account import Account


class Foreseeing(Account):
    """`left` requests come after this one, before the client forgets all or is done."""

    left = 0

    def horizon(self, slot: object) -> float:  # noqa: ARG002 (of all slots alike)
        """As many, for every slot."""
        return self.left
