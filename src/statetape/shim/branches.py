"""The conversations that are kept in memory, found again by the history of a request."""

from collections import OrderedDict
from collections.abc import Callable

from statetape.shim.conversation import Conversation
from statetape.wire.reading import Reading

# Conversations that are kept; of others the history is understood anew.
_MOST = 200
# Branches of one key: what a client sends under one name need not be one conversation.
_BRANCHES = 12
# Messages at the end that a client may take back, without the branch being kept for itself.
_TAKEN_BACK = 20


class Branches:
    """Conversations by key, each with its branches. Not thread-safe."""

    def __init__(self) -> None:
        self._kept: OrderedDict[str, list[Conversation]] = OrderedDict()

    def __len__(self) -> int:
        return sum(map(len, self._kept.values()))

    @property
    def keys(self) -> list[str]:
        """The keys, the one that was used last at the end."""
        return list(self._kept)

    def of(self, key: str, reading: Reading, new: Callable[[], Conversation]) -> Conversation:
        """The branch under a key that has most in common with a request, else a new one."""
        branches = self._kept.setdefault(key, [])
        self._kept.move_to_end(key)
        best = max(branches, key=lambda each: each.common(reading.chain), default=None)
        if best is None or not _goes_on(best, reading):
            best = new()
        else:
            branches.remove(best)
        branches.append(best)
        del branches[:-_BRANCHES]
        while len(self._kept) > _MOST:
            self._kept.popitem(last=False)
        return best

    def forget(self, key: str, conversation: Conversation) -> None:
        """What failed half-way is begun anew with the next request."""
        branches = self._kept.get(key, [])
        if conversation in branches:
            branches.remove(conversation)


def _goes_on(conversation: Conversation, reading: Reading) -> bool:
    """Whether a request goes on where a conversation was, or a little before."""
    common = conversation.common(reading.chain)
    return common > 0 and conversation.length - common <= _TAKEN_BACK
