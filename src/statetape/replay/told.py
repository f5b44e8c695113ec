"""What a replay is told beside the session: the policy, who replies to it, what else is asked."""

from msgspec import Struct

from statetape.context.asking import no_answer
from statetape.manager.standing import SHARE
from statetape.policies import Model, Policy, policy
from statetape.policies.hosted import Hosted, at_once


class Told(Struct, frozen=True):
    """The session that is told of. `behind`: what a model says is done at the next request.

    `share` bounds what the model manager may ask (`Standing`).
    """

    policy: str
    answer: Model = no_answer
    rewrite_inputs: bool = False
    check: bool = False
    behind: bool = False
    share: float = SHARE

    def decide(self, answer: Model) -> Policy:
        """The policy of one session. Behind a request is at once after it: no time passes here."""
        begin = at_once if self.behind else None
        return Hosted(policy(self.policy), answer, share=self.share, begin=begin)
