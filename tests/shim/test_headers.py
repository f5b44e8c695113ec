"""Headers that are added for a request of ours."""

import pytest
from multidict import CIMultiDict

from statetape.shim.headers import with_beta

BETA = "thinking-binding-controls-2026-08-01"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ([], [("anthropic-beta", BETA)]),
        ([("Anthropic-Beta", "")], [("Anthropic-Beta", BETA)]),
        ([("Anthropic-Beta", "a-1, b-2")], [("Anthropic-Beta", f"a-1, b-2,{BETA}")]),
        (
            [("anthropic-beta", "a-1"), ("x", "y"), ("Anthropic-Beta", "b-2")],
            [("anthropic-beta", f"a-1,b-2,{BETA}"), ("x", "y")],
        ),
        ([("anthropic-beta", BETA + "-x")], [("anthropic-beta", f"{BETA}-x,{BETA}")]),
    ],
)
def test_a_beta_is_added_to_the_list(
    before: list[tuple[str, str]], after: list[tuple[str, str]]
) -> None:
    headers = CIMultiDict(before)
    changed = with_beta(headers, BETA)
    assert list(changed.items()) == after
    assert list(headers.items()) == before
    assert with_beta(changed, BETA) is changed


@pytest.mark.parametrize("listed", [BETA, f"a-1, {BETA} ,b-2"])
def test_a_beta_is_added_once(listed: str) -> None:
    headers = CIMultiDict({"ANTHROPIC-BETA": listed})
    assert with_beta(headers, BETA) is headers
