"""Clearing as providers offer it: once the context is long, the oldest results go.

The parameters, their names and their defaults are those of Anthropic's context editing, strategy
`clear_tool_uses_20250919`: `trigger` (100,000 input tokens), `keep` (3 tool uses) and
`clear_at_least` (none), as documented at
https://platform.claude.com/docs/en/build-with-claude/context-editing. Of its other parameters,
`exclude_tools` (none) and `clear_tool_inputs` (false) are at their defaults always.
"""

from collections.abc import Generator

from statetape.context.asking import Ask, Reply
from statetape.context.situation import Situation
from statetape.context.wording import cleared
from statetape.types import Plan, Replace


def clearing(
    situation: Situation, *, trigger: int = 100_000, keep: int = 3, clear_at_least: int = 0
) -> Generator[Ask, Reply, Plan]:
    """Clear all results but the last `keep`, where more than `trigger` tokens are held.

    Nothing where that would take less than `clear_at_least` tokens away. Tokens are those of the
    records as they go on: without the system prompt and the tools, which a provider counts too. So
    what was cleared stays cleared, and the next clearing waits for the trigger again. A result
    that is no longer than its placeholder stays.
    """
    yield from ()
    if sum(record.tokens for record in situation.held.values()) <= trigger:
        return Plan()
    results = situation.results()
    changes = []
    gone = 0
    for record in results[: max(0, len(results) - keep)]:
        text = cleared(situation.title(record))
        if len(text) < len(record.text):
            changes.append(Replace(record.slot, text, "evict"))
            gone += record.tokens
    return Plan(tuple(changes)) if gone >= clear_at_least else Plan()
