"""What a policy asks a model, and what it is sent back. Values only: the host makes the call."""

from collections.abc import Callable, Generator, Mapping
from typing import Any, Literal, TypeVar

from msgspec import Struct

from statetape.types import Usage

JsonSchema = Mapping[str, Any]
Made = TypeVar("Made")

Failure = Literal[
    "no model", "no key", "not in the cache", "late", "refused", "unreachable", "malformed"
]
"""Why there is no answer. `refused`: the endpoint answered with an error, or the model declined.
`malformed`: what came is no answer of its API, or longer than the host reads."""


class ToolCall(Struct, frozen=True):
    """The model asks for an answer of a tool; `arguments` is JSON as the model wrote it, or not."""

    id: str
    name: str
    arguments: str


class ToolAnswer(Struct, frozen=True):
    """What a tool said to the call of this id."""

    id: str
    text: str


class Message(Struct, frozen=True):
    """One message: `calls` only of the assistant, `answers` (one for each call) only of the user.

    Answers stand before the text.
    """

    role: Literal["user", "assistant"]
    text: str = ""
    calls: tuple[ToolCall, ...] = ()
    answers: tuple[ToolAnswer, ...] = ()


class Tool(Struct, frozen=True):
    """What a model may call; `parameters` is the JSON schema of its arguments, an object."""

    name: str
    description: str
    parameters: JsonSchema


class Ask(Struct, frozen=True):
    """All that one call of a model needs. The same ask, the same question: it is a cache's key.

    `purpose` is a stable name of what it is for, `version` that of the prompt's wording, to be
    changed with it. `messages` are the whole exchange, a user's first and last. `by` says which
    model is meant: the manager's, or the one that the agent itself works with. `schema` is what
    the reply's text has to follow (None: any text), and is a wish: who asks checks what comes.
    `most` is the greatest number of output tokens. `last`: no tool may be called any more.
    """

    purpose: str
    messages: tuple[Message, ...]
    system: str = ""
    tools: tuple[Tool, ...] = ()
    schema: JsonSchema | None = None
    most: int = 2_000
    version: str = "1"
    by: Literal["manager", "agent"] = "manager"
    last: bool = False

    @property
    def round(self) -> int:
        """1 for the first ask of an exchange, one more for each answer of the model since."""
        return 1 + sum(message.role == "assistant" for message in self.messages)


class Reply(Struct, frozen=True):
    """The model's answer: its text, or calls of tools, or both; None: it gave no text.

    Without text and without calls `why` says why. `usage` is what the call cost, also of an
    answer that a cache gave: it was paid for once.
    """

    text: str | None
    calls: tuple[ToolCall, ...] = ()
    usage: Usage = Usage()
    why: Failure | None = None


def replied(asking: Generator[Ask, Reply, Made], answer: Callable[[Ask], Reply]) -> Made:
    """What comes of some questions, each answered as it is asked."""
    try:
        ask = next(asking)
        while True:
            ask = asking.send(answer(ask))
    except StopIteration as stop:
        made: Made = stop.value
        return made


def question(text: str, *, purpose: str, system: str = "", version: str = "1") -> Ask:
    """The ask of one text without tools, answered in free text."""
    return Ask(purpose, (Message("user", text),), system, version=version)


def no_answer(_: Ask) -> Reply:
    """The reply of a host without a model."""
    return Reply(None, why="no model")
