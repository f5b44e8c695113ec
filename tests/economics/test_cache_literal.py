"""The fast caches agree with the slow, literal reading of the rules on whatever is sent."""

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from tests.economics.literal import Anthropic, Gpt56, OpenAI, figures

from statetape.economics.cache import cache_by
from statetape.economics.cache_rules import Rules
from statetape.economics.prompt import Block, Prompt
from statetape.types import Usage

Json = dict[str, Any]

GAPS = st.sampled_from([0, 1, 200, 299, 300, 301, 3500, 3600, 3601])
TTLS = st.sampled_from([300, 300, 3600])
CHANGES = st.one_of(
    st.tuples(st.just("append"), st.integers(0, 9)),
    st.tuples(st.just("append"), st.integers(0, 30)),
    st.tuples(st.just("edit"), st.integers(0, 60)),
    st.tuples(st.just("cut"), st.integers(0, 60)),
    st.tuples(st.just("back"), st.just(0)),
    st.tuples(st.just("model"), st.integers(0, 1)),
    st.tuples(st.just("settings"), st.integers(0, 1)),
    st.tuples(st.just("tools"), st.integers(0, 1)),
    st.tuples(st.just("system"), st.integers(0, 1)),
)


@st.composite
def requests(draw: st.DrawFn) -> list[Json]:
    """Requests of one client: the history grows, is edited, cut, restored; marks move about."""
    model, chosen, tools, system, at = "a", 0, 0, 0, 0.0
    history: list[tuple[int, bool]] = [(0, False), (1, False)]
    kept = history
    new, made = 2, []
    for kind, much in draw(st.lists(CHANGES, min_size=1, max_size=12)):
        if kind == "append":
            joined = draw(st.booleans())
            history = [*history, *((new + i, joined and i % 3 > 0) for i in range(much))]
        elif kind == "edit" and much < len(history):
            kept = history
            history = [*history[:much], (new, history[much][1]), *history[much + 1 :]]
        elif kind == "cut":
            history = history[:much]
        elif kind == "back":
            history, kept = kept, history
        elif kind == "model":
            model = "ab"[much]
        elif kind == "settings":
            chosen = much
        elif kind == "tools":
            tools = much
        else:
            system = much
        new += 31
        at += draw(GAPS)
        blocks = [
            {"layer": "tools", "content": ("t", tools), "tokens": 40, "ttl": None, "joined": False},
            {"layer": "system", "content": ("s", 0), "tokens": 3, "ttl": None, "joined": False},
            {
                "layer": "system",
                "content": ("s", system),
                "tokens": 30,
                "ttl": None,
                "joined": False,
            },
        ]
        blocks += [
            {"layer": "messages", "content": i, "tokens": i % 17, "ttl": None, "joined": joined}
            for i, joined in history
        ]
        where = st.one_of(st.integers(0, len(blocks) - 1), st.just(len(blocks) - 1), st.just(2))
        marked = sorted(draw(st.sets(where, max_size=5)))
        ttls = draw(st.lists(TTLS, min_size=len(marked), max_size=len(marked)))
        if draw(st.integers(0, 9)):
            ttls.sort(reverse=True)
        for i, ttl in zip(marked, ttls, strict=True):
            blocks[i]["ttl"] = ttl
        made.append({"model": model, "at": at, "settings": chosen, "blocks": blocks})
    return made


def prompt_of(request: Json) -> Prompt:
    layers = [block["layer"] for block in request["blocks"]]
    return Prompt(
        model=request["model"],
        at=request["at"],
        blocks=tuple(
            Block(repr(b["content"]).encode(), b["tokens"], b["ttl"] or 0, b["joined"])
            for b in request["blocks"]
        ),
        tools=layers.count("tools"),
        system=layers.count("system"),
        settings=bytes([request["settings"]]),
    )


def reported(usage: Usage) -> Json:
    assert usage.output == 0
    return figures(usage.input, usage.cache_read, usage.cache_write_5m, usage.cache_write_1h)


@settings(max_examples=150)
@given(requests(), st.sampled_from([0, 60, 200]), st.sampled_from([1, 3, 20]), st.data())
def test_breakpoints_are_as_the_literal_reading_has_them(
    sent: list[Json], least: int, lookback: int, data: st.DataObject
) -> None:
    cache = cache_by(Rules(least=least, lookback=lookback))
    literal = Anthropic(least=least, lookback=lookback)
    for request in sent:
        prompt = prompt_of(request)
        usage = cache.expected(prompt)
        assert reported(usage) == literal.usage(request)
        assert usage.prompt == prompt.tokens
        assert list(cache.live(prompt)) == literal.live(request)
        # Some requests fail: they leave nothing.
        if data.draw(st.integers(0, 5)):
            assert reported(cache.answered(prompt)) == literal.answer(request)


@settings(max_examples=50)
@given(requests(), st.sampled_from([0, 200]))
def test_the_providers_own_breakpoint_is_as_the_literal_reading_has_it(
    sent: list[Json], least: int
) -> None:
    cache = cache_by(Rules(least=least, lookback=80, implicit=1800))
    literal = Gpt56(least=least, lookback=80)
    for request in sent:
        for block in request["blocks"]:
            block["ttl"] = block["ttl"] and 1800
        prompt = prompt_of(request)
        assert reported(cache.expected(prompt)) == literal.usage(request)
        assert reported(cache.answered(prompt)) == literal.answer(request)
        assert list(cache.live(prompt)) == literal.live(request)


@settings(max_examples=70)
@given(requests(), st.sampled_from([1, 16]), st.sampled_from([300, 3600]), st.data())
def test_what_is_shared_is_as_the_literal_reading_has_it(
    sent: list[Json], step: int, lifetime: int, data: st.DataObject
) -> None:
    cache = cache_by(Rules(caching="automatic", least=64, step=step, lifetime=lifetime))
    literal = OpenAI(least=64, step=step, lifetime=lifetime)
    for request in sent:
        prompt = prompt_of(request)
        assert reported(cache.expected(prompt)) == literal.usage(request)
        shared = literal.shared(request)
        tokens = [block["tokens"] for block in request["blocks"]]
        readable = [n for n in range(1, shared + 1) if sum(tokens[:n]) >= 64]
        assert list(cache.live(prompt)) == readable
        if data.draw(st.integers(0, 5)):
            assert reported(cache.answered(prompt)) == literal.answer(request)
