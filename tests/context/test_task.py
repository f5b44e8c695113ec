"""The task is what the user asked for, wherever an API has its instructions."""

from typing import Any

import pytest

from statetape.context.task import task
from statetape.types import Record, Slot, Untracked


def said(by: Any, text: str) -> Record:
    return Record(Slot(text, "say"), 1, "say", text, Untracked(), 0, 1, by=by)


@pytest.mark.parametrize(
    ("says", "found"),
    [
        ([("system", "You are an agent."), ("user", "Mend it.")], "Mend it."),
        ([("user", "\n<env>here</env>"), ("assistant", "Yes?"), ("user", "Mend it.")], "Mend it."),
        ([("user", "<env>here</env>"), (None, "a result")], "<env>here</env>"),
        ([("system", "You are an agent.")], ""),
    ],
)
def test_the_task_is_in_the_first_words_of_the_user(
    says: list[tuple[Any, str]], found: str
) -> None:
    assert task(said(*each) for each in says) == found
