"""The model manager: a policy that asks a small model, and needs none of what it says.

The paper's §3.3.3. The model sees the repository through read-only skills alone, in a bounded
number of rounds. Whatever it leaves out, gets wrong or does not say in time is as the fallback
policy has it.
"""

import json
from collections.abc import Callable, Generator, Mapping
from typing import Any

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from statetape.context.asking import Ask, Message, Reply, Tool, ToolAnswer, ToolCall
from statetape.context.situation import Situation
from statetape.errors import BadInput
from statetape.manager.checked import Decided, checked, decided
from statetape.manager.prompt import SYSTEM, VERSION, described, prompt, settled
from statetape.manager.reply import SCHEMA, answer
from statetape.text import speakable
from statetape.types import Plan

Policy = Callable[[Situation], Generator[Ask, Reply, Plan]]

PURPOSE = "manager"

_OUTPUT = 2_000  # tokens
ROUNDS = 6
_CALLS = 4  # answered in one round
_ARGUMENTS = 1_000  # characters of one call
_ANSWER = 1_200  # characters of one answer
_SAID = 1_000  # characters that the model says beside its calls


class Toolbox(Struct, frozen=True):
    """The skills: what a model is told of them, and what answers them.

    `answered` is given a skill's name and the arguments of a call, any JSON object; it raises
    BadInput for arguments that it cannot use. Its answer is a text, or a value of JSON.
    """

    tools: tuple[Tool, ...] = ()
    answered: Callable[[str, Situation, Mapping[str, Any]], object] = lambda *_: ""


NO_SKILLS = Toolbox()


class Managed(Struct, frozen=True):
    """The policy that asks a model where something is nominated, else does as `fallback`.

    At most `rounds` asks. Asked nothing, or answered with nothing, the plan is the fallback's.
    """

    fallback: Policy
    toolbox: Toolbox = NO_SKILLS
    rounds: int = ROUNDS

    def __call__(self, situation: Situation) -> Generator[Ask, Reply, Plan]:
        """The plan for a situation."""
        plan = yield from self.fallback(situation)
        if not settled(situation):
            return plan
        made = yield from asked(situation, self.toolbox, self.rounds)
        return plan if made is None else checked(made, plan, situation)


def asked(
    situation: Situation, toolbox: Toolbox, rounds: int = ROUNDS
) -> Generator[Ask, Reply, Decided | None]:
    """What the model decides, asked at most `rounds` times; None: nothing that can be read."""
    text = yield from _said(situation, toolbox, rounds)
    found = answer(text) if text is not None else None
    return None if found is None else decided(found, situation)


def opening(situation: Situation, toolbox: Toolbox) -> Ask:
    """The first ask of an exchange."""
    return Ask(
        PURPOSE,
        (Message("user", prompt(situation)),),
        SYSTEM + described(toolbox.tools),
        toolbox.tools,
        SCHEMA,
        _OUTPUT,
        VERSION,
    )


def _said(situation: Situation, toolbox: Toolbox, rounds: int) -> Generator[Ask, Reply, str | None]:
    """The model's last words, after what rounds of calls there were; None: there are none."""
    ask = opening(situation, toolbox)
    while True:
        ask = replace(ask, last=ask.round >= rounds)
        reply = yield ask
        calls = _known(reply.calls, toolbox, ask.round)
        if not calls or ask.last:
            return reply.text
        answers = tuple(ToolAnswer(c.id, _answered(c, situation, toolbox)) for c in calls)
        said = speakable((reply.text or "")[:_SAID])
        ask = replace(
            ask,
            messages=(
                *ask.messages,
                Message("assistant", said, calls=calls),
                Message("user", answers=answers),
            ),
        )


def _known(calls: tuple[ToolCall, ...], toolbox: Toolbox, number: int) -> tuple[ToolCall, ...]:
    """The first calls of skills that there are, each with an id of ours and an object of JSON."""
    names = {tool.name for tool in toolbox.tools}
    known = [call for call in calls if call.name in names][:_CALLS]
    return tuple(
        ToolCall(f"call_{number}_{at}", call.name, _arguments(call.arguments))
        for at, call in enumerate(known, 1)
    )


def _arguments(text: str) -> str:
    """The arguments of a call as strict JSON; none where they are too long or no object."""
    try:
        given = msgspec.json.decode(text, type=dict[str, Any]) if len(text) <= _ARGUMENTS else {}
        return msgspec.json.encode(given).decode()
    except (msgspec.MsgspecError, ValueError, RecursionError):
        return "{}"


def _answered(call: ToolCall, situation: Situation, toolbox: Toolbox) -> str:
    try:
        found = toolbox.answered(call.name, situation, msgspec.json.decode(call.arguments))
    except BadInput as fault:
        return speakable(str(fault))[:_ANSWER]
    whole = found if isinstance(found, str) else json.dumps(found, ensure_ascii=False)
    text = speakable(whole)
    return text if len(text) <= _ANSWER else text[:_ANSWER] + " ... (cut)"
