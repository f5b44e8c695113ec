"""The folder that an agent says it works in."""

from collections.abc import Iterator, Mapping
from itertools import chain, islice

from statetape.agents.recognised import entered, folder_of
from statetape.types import Say, Turn
from statetape.wire import keys
from statetape.wire.reading import Reading

# Messages in which an agent says where it works, at least.
_OPENING = 4


def stated(headers: Mapping[str, str], reading: Reading) -> str | None:
    """The working directory as the agent spells it, None where it says none.

    It stands in the prompt, in a command that enters it, or in Codex's headers.
    """
    named = keys.workspaces(headers)
    opening, later = _texts(reading)
    folder = folder_of(opening) or next(filter(None, map(entered, later)), None)
    return folder or (named[0] if len(named) == 1 else None)


def _texts(reading: Reading) -> tuple[Iterator[str], Iterator[str]]:
    """Where an agent says in what folder it works: what is said first, and all that is later.

    The first four messages, more if the model has not spoken by then.
    """
    spoken = (at for at, turn in enumerate(reading.turns) if turn.role == "assistant")
    opening = max(next(spoken, len(reading.turns)), _OPENING)
    said = (_told(turn) for turn in reading.turns)
    first = chain.from_iterable(islice(said, opening))
    return chain([reading.system], first), chain.from_iterable(said)


def _told(turn: Turn) -> list[str]:
    return [b.text for b in turn.blocks if isinstance(b, Say) and b.role != "assistant"]
