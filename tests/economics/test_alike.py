"""Prices that make the same difference."""

from msgspec.structs import replace

from statetape.economics.alike import distinct, kind
from statetape.economics.prices import Price, price_of
from statetape.pricing import shipped


def price(model: str) -> Price:
    found = price_of(model, shipped())
    assert found is not None
    return found


def test_a_multiple_is_alike() -> None:
    assert kind(price("claude-opus-4-1")) == kind(price("claude-opus-4-5"))
    assert kind(price("claude-fable-5")) == kind(price("claude-sonnet-5"))


def test_what_reading_costs_how_it_is_cached_tiers_and_binding_are_not() -> None:
    one = price("claude-opus-4-5")
    others = [
        replace(one, read=one.read / 2),
        replace(one, write_1h=one.write_1h * 2),
        replace(one, caching="automatic"),
        replace(one, lifetime=60),
        replace(one, binding=True),
        price("claude-sonnet-4-5"),
    ]
    assert len({kind(each) for each in (one, *others)}) == len(others) + 1


def test_of_each_kind_the_first_stands_for_all() -> None:
    found = distinct(shipped())
    assert found[0].model == "claude-opus-4-5"
    assert 5 < len(found) < len(shipped()) / 2
    assert {kind(each) for each in found} == {kind(each) for each in shipped()}


def test_a_price_of_nothing_is_a_kind() -> None:
    free = Price(model="free", input=0, output=0, write_5m=0, write_1h=0, read=0)
    assert kind(free) == kind(replace(free, model="gift"))
