"""The rules one by one, as the documents tell them."""

import json
from typing import Any, Literal

import pytest
from tests.economics.literal import Anthropic, request_of

from statetape.economics import prefixes
from statetape.economics.cache import Cache, Entries, cache_by
from statetape.economics.cache_rules import Rules
from statetape.economics.prompt import Block, Prompt
from statetape.types import Usage

SYSTEM = Block(b"system", 1000, 300)


def blocks(count: int, tokens: int = 100) -> tuple[Block, ...]:
    return tuple(Block(b"%d" % n, tokens) for n in range(count))


def marked(row: tuple[Block, ...], *ends: int, ttl: int = 300) -> tuple[Block, ...]:
    """The same blocks with breakpoints behind the first `ends` of them."""
    return tuple(b._replace(ttl=ttl if n in ends else b.ttl) for n, b in enumerate(row, 1))


def prompt(row: tuple[Block, ...], at: float = 0, settings: bytes = b"") -> Prompt:
    return Prompt("model", at, row, system=1, settings=settings)


def anthropic(least: int = 0) -> Cache:
    return cache_by(Rules(least=least))


def test_what_was_written_is_read_and_the_rest_is_written_or_input() -> None:
    cache = anthropic()
    first = prompt((SYSTEM, *marked(blocks(3), 2)))
    assert cache.expected(first) == Usage(cache_write_5m=1200, input=100)
    assert cache.expected(first).cache_read == 0, "asking changes nothing"
    cache.answered(first)
    grown = prompt((SYSTEM, *marked(blocks(5), 5)), at=10)
    assert cache.answered(grown) == Usage(cache_read=1200, cache_write_5m=300)


def test_a_lookback_is_twenty_positions_with_the_breakpoint_itself() -> None:
    for added, read in ((19, 200), (20, 0)):
        cache = anthropic()
        cache.answered(prompt(marked(blocks(2), 2)))
        assert cache.expected(prompt(marked(blocks(2 + added), 2 + added))).cache_read == read


def test_a_run_of_calls_is_one_position() -> None:
    cache = anthropic()
    cache.answered(prompt(marked(blocks(2), 2)))
    run = tuple(block._replace(joined=n > 2) for n, block in enumerate(blocks(60)))
    assert cache.expected(prompt(marked(run, 60))).cache_read == 200


def test_an_anchor_reads_what_lies_too_far_behind() -> None:
    cache = anthropic()
    cache.answered(prompt((SYSTEM, *marked(blocks(50), 10, 30, 50))))
    edited = (*blocks(29), Block(b"new", 100), *blocks(50)[30:])
    assert cache.live(prompt((SYSTEM, *edited), at=1)) == (1, 11)
    without = prompt((SYSTEM, *marked(edited, 50)), at=1)
    assert cache.expected(without).cache_read == 1000
    anchored = prompt((SYSTEM, *marked(edited, 29, 50)), at=1)
    assert cache.expected(anchored) == Usage(cache_read=2000, cache_write_5m=4000)


@pytest.mark.parametrize(("ttl", "seconds"), [(300, 300), (3600, 3600)])
def test_an_entry_lives_for_its_ttl_after_the_start_of_its_last_use(ttl: int, seconds: int) -> None:
    cache = anthropic()
    row = marked(blocks(2), 2, ttl=ttl)
    cache.answered(prompt(row, at=0))
    assert cache.answered(prompt(row, at=seconds)).cache_read == 200
    assert cache.answered(prompt(row, at=2 * seconds)).cache_read == 200, "a read refreshes"
    assert cache.expected(prompt(row, at=3 * seconds + 0.1)).cache_read == 0


def test_a_read_refreshes_the_other_breakpoints_within_it_and_nothing_else() -> None:
    cache = anthropic()
    cache.answered(prompt((SYSTEM, *marked(blocks(4), 2, 4))))
    cache.answered(prompt((SYSTEM, *marked(blocks(6), 6)), at=200))
    assert cache.live(prompt((SYSTEM, *blocks(6)), at=400)) == (1, 5, 7)
    cache.answered(prompt((SYSTEM, *marked(blocks(6), 4, 6)), at=450))
    assert cache.live(prompt((SYSTEM, *blocks(6)), at=700)) == (1, 5, 7)


def test_two_breakpoints_side_by_side_are_both_refreshed() -> None:
    cache = anthropic()
    for at in (0, 200):
        cache.answered(prompt(marked(blocks(4), 3, 4), at=at))
    assert cache.live(prompt(blocks(4), at=400)) == (3, 4)


def test_an_hour_comes_first_and_has_a_figure_of_its_own() -> None:
    cache = anthropic()
    mixed = (SYSTEM._replace(ttl=3600), *marked(blocks(4), 3))
    assert cache.answered(prompt(mixed)) == Usage(
        cache_write_1h=1000, cache_write_5m=300, input=100
    )
    later = cache.expected(prompt(mixed, at=1000))
    assert later == Usage(cache_read=1000, cache_write_5m=300, input=100)


@pytest.mark.parametrize(
    "row",
    [marked(blocks(5), 1, 2, 3, 4, 5), (SYSTEM, *marked(blocks(2), 2, ttl=3600))],
    ids=["five breakpoints", "an hour behind five minutes"],
)
def test_a_request_that_is_refused_reads_nothing_and_leaves_nothing(row: tuple[Block, ...]) -> None:
    cache = anthropic()
    valid = tuple(b._replace(ttl=300 if n == 1 else 0) for n, b in enumerate(row, 1))
    cache.answered(prompt(valid))
    assert cache.answered(prompt(row)) == Usage(input=prompt(row).tokens)
    assert cache.live(prompt(row)) == (1,)


def test_below_the_least_nothing_is_written() -> None:
    cache = anthropic(least=1024)
    row = (SYSTEM, *marked(blocks(1), 1))
    assert cache.answered(prompt(row)) == Usage(cache_write_5m=1100)
    assert cache.live(prompt(row)) == (2,)
    assert anthropic(least=1100).answered(prompt(row)) == Usage(cache_write_5m=1100)
    assert anthropic(least=1101).answered(prompt(row)) == Usage(input=1100)


@pytest.mark.parametrize(
    ("change", "live"),
    [
        ({"model": "other"}, ()),
        ({"tools": (b"another", b"system", b"0")}, ()),
        ({"tools": (b"tool", b"another", b"0")}, (1,)),
        ({"settings": b"thinking"}, (1, 2)),
        ({"tools": (b"tool", b"system", b"another")}, (1, 2)),
    ],
    ids=["model", "tools", "system", "settings", "message"],
)
def test_a_layer_invalidates_what_comes_behind_it(
    change: dict[str, Any], live: tuple[int, ...]
) -> None:
    cache = anthropic()

    def asked(
        model: str = "model",
        tools: tuple[bytes, ...] = (b"tool", b"system", b"0"),
        settings: bytes = b"",
    ) -> Prompt:
        row = tuple(Block(digest, 100, 300) for digest in tools)
        return Prompt(model, 0, row, tools=1, system=1, settings=settings)

    cache.answered(asked())
    assert cache.live(asked(**change)) == live


def test_a_block_belongs_to_its_layer() -> None:
    cache = anthropic()
    row = marked(blocks(3), 1, 2, 3)
    cache.answered(Prompt("model", 0, row, tools=2))
    assert cache.live(Prompt("model", 0, row, tools=1, system=1)) == (1,)


def test_a_prompt_without_blocks_costs_nothing() -> None:
    for rules in (Rules(), Rules(caching="automatic"), Rules(implicit=1800)):
        assert cache_by(rules).answered(Prompt("model", 0, ())) == Usage()


def test_openai_reads_what_is_shared_in_steps() -> None:
    cache = cache_by(Rules(caching="automatic", step=128))
    cache.answered(prompt((SYSTEM, *blocks(10))))
    edited = (SYSTEM, *blocks(5), Block(b"new", 100))
    assert cache.expected(prompt(edited, at=300)) == Usage(cache_read=1408, input=192)
    assert cache.expected(prompt(edited, at=301)) == Usage(input=1600)
    assert cache.live(prompt(edited)) == (2, 3, 4, 5, 6)
    assert cache.expected(prompt((SYSTEM, Block(b"new", 100)))) == Usage(input=1100), "too short"
    enough = cache_by(Rules(caching="automatic", least=1000))
    enough.answered(prompt((SYSTEM,)))
    assert enough.expected(prompt((SYSTEM,))) == Usage(cache_read=1000)
    assert cache_by(Rules(caching="automatic", least=0)).live(prompt((SYSTEM,))) == ()


def test_steps_begin_where_the_client_begins_them() -> None:
    cache = cache_by(Rules(caching="automatic", step=1024, offset=768))
    cache.answered(prompt((SYSTEM, *blocks(90))))
    assert cache.expected(prompt((SYSTEM, *blocks(91)))).cache_read == 768 + 9 * 1024
    for tail, steps in ((16, 9), (17, 8)):
        cache = cache_by(Rules(caching="automatic", step=1024, offset=768, tail=tail))
        cache.answered(prompt((SYSTEM, *blocks(90))))
        read = cache.expected(prompt((SYSTEM, *blocks(91)))).cache_read
        assert read == 768 + steps * 1024


def test_from_gpt_5_6_on_entries_match_exactly_and_writes_are_charged() -> None:
    cache = cache_by(Rules(lookback=80, implicit=1800))
    cache.answered(prompt(blocks(20)))
    assert cache.expected(prompt(blocks(25), at=1800)) == Usage(cache_read=2000, cache_write_5m=500)
    assert cache.expected(prompt(blocks(19))) == Usage(cache_write_5m=1900)
    assert cache.expected(prompt((*blocks(19), Block(b"new", 100)))).cache_read == 0
    assert cache.expected(prompt(blocks(100))).cache_read == 0, "too far back"
    crowded = prompt(marked(blocks(25), 1, 2, 3, 4, 5, 6, 24, ttl=1800))
    assert cache.answered(crowded) == Usage(cache_read=2000, cache_write_5m=500)
    least = cache_by(Rules(least=0, implicit=1800))
    least.answered(crowded)
    assert least.live(crowded) == (5, 6, 24, 25), "the last four write"
    own = prompt(marked(blocks(9), 3, 4, 6, 9, ttl=1800))
    least = cache_by(Rules(least=0, implicit=1800))
    least.answered(own)
    assert least.live(own) == (3, 4, 6, 9), "the client's own mark at the end is one, not two"


@pytest.mark.parametrize("caching", ["explicit", "automatic"])
def test_conversations_share_entries_also_where_one_began_before_the_other(
    caching: Literal["explicit", "automatic"],
) -> None:
    entries, rules = Entries(), Rules(caching=caching)
    one, other = cache_by(rules, entries), cache_by(rules, entries)
    row = (SYSTEM, *marked(blocks(9), 9))
    one.answered(prompt(row, at=1000))
    other.answered(prompt((SYSTEM, *marked(blocks(6), 6)), at=900))
    assert other.expected(prompt(row, at=1250)).cache_read == 1900
    assert cache_by(rules).expected(prompt(row, at=1250)).cache_read == 0


def test_what_died_is_forgotten_and_what_lives_is_not() -> None:
    cache = anthropic()
    for n in range(5000):
        cache.answered(prompt((Block(b"%d" % n, 1000, 300),), at=n / 10))
    assert len(cache._entries) < 4500  # type: ignore[attr-defined]
    oldest = Block(b"2000", 1000, 300)
    assert cache.expected(prompt((oldest,), at=500)).cache_read == 1000
    shared = cache_by(Rules(caching="automatic"))
    for n in range(40):
        shared.answered(prompt((Block(b"%d" % n, 1024), *blocks(2000)), at=n * 10))
    assert len(shared._until) < 65_536  # type: ignore[attr-defined]
    assert shared.expected(prompt((Block(b"20", 1024),), at=500)).cache_read == 1024


@pytest.mark.parametrize("caching", ["explicit", "automatic"])
def test_only_new_blocks_are_digested(
    caching: Literal["explicit", "automatic"], monkeypatch: pytest.MonkeyPatch
) -> None:
    cache = cache_by(Rules(caching=caching))
    cache.answered(prompt(marked(blocks(2000), 2000)))
    digested: list[bytes] = []

    def key(*parts: bytes) -> bytes:
        digested.append(parts[-1])
        return parts[-1]

    monkeypatch.setattr(prefixes, "_key", key)
    grown = prompt((*marked(blocks(1990), 1990), Block(b"new", 100), Block(b"newer", 100)))
    cache.expected(grown)
    cache.answered(grown)
    cache.live(grown)
    assert digested == [b"new", b"newer"]


def test_a_real_body_is_read_as_the_api_reads_it() -> None:
    mark = {"cache_control": {"type": "ephemeral", "ttl": "1h"}}
    body: dict[str, Any] = {
        "model": "m",
        "tools": [{"name": "Read", "input_schema": {"cache_control": "a name like any other"}}],
        "system": [{"type": "text", "text": "be kind", **mark}],
        "messages": [
            {"role": "user", "content": "hello"},
            {
                "role": "assistant",
                "content": [
                    {"type": "tool_use", "id": "1", "name": "Read", "input": {"cache_control": 1}},
                    {"type": "tool_use", "id": "2", "name": "Read", "input": {}},
                ],
            },
            {
                "role": "user",
                "content": [
                    {"type": "tool_result", "tool_use_id": "1", "content": "x" * 400},
                    {
                        "type": "tool_result",
                        "tool_use_id": "2",
                        "content": [{"type": "text", "text": "y", "cache_control": {}}],
                    },
                ],
            },
        ],
    }
    request = request_of(body, 0)
    size = sum(block["tokens"] for block in request["blocks"])
    layers = [block["layer"] for block in request["blocks"]]
    assert layers == ["tools", "system", *["messages"] * 5]
    assert [block["joined"] for block in request["blocks"]][2:] == [False, False, True, False, True]
    assert "cache_control" in json.dumps(request["blocks"][0]["content"])
    cache = Anthropic(least=0)
    first = cache.usage_of(body, 0)
    assert first["cache_creation"]["ephemeral_1h_input_tokens"] > 0
    assert first["cache_creation"]["ephemeral_5m_input_tokens"] == 0
    body["messages"][0]["content"] = [{"type": "text", "text": "hello", **mark}]
    again = cache.usage_of(body, 3000)
    assert again["cache_read_input_tokens"] == first["cache_creation_input_tokens"]
    for usage in (first, again):
        assert sum(usage[name] for name in usage if name.endswith("tokens")) == size
