"""Prices are rows of data; a model is found however it is spelled."""

import json
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from statetape.economics.prices import Price, dollars, edit_mode, parsed, price_of, rates
from statetape.errors import BadInput
from statetape.pricing import prices, shipped, users_file
from statetape.types import Usage

SHARED = Path(__file__).parents[2].parent / "shared"
UNKNOWN = {"<synthetic>", "codex-auto-review", "x-preview-f-free"}  # nobody states a price for them

NEW = '[[model]]\nmodel = "mine"\ninput = 2\noutput = 3\n'


def named(name: str) -> Price:
    price = price_of(name, shipped())
    assert price is not None, name
    return price


@pytest.mark.parametrize(
    ("spelled", "model"),
    [
        ("claude-opus-4-5-20251101", "claude-opus-4-5"),
        ("Claude-Opus-4-5-20251101", "claude-opus-4-5"),
        ("anthropic/claude-opus-4.6", "claude-opus-4-6"),
        ("openrouter/anthropic/claude-opus-4.6:thinking", "claude-opus-4-6"),
        ("us.anthropic.claude-sonnet-4-5-20250929-v1:0", "claude-sonnet-4-5"),
        ("bedrock/eu-west-1/anthropic.claude-haiku-4-5-20251001-v1:0", "claude-haiku-4-5"),
        (
            "arn:aws:bedrock:us-east-1:1:inference-profile/global.anthropic.claude-opus-5-5",
            "claude-opus-5-5",
        ),
        ("claude-sonnet-4-5@20250929", "claude-sonnet-4-5"),
        ("claude-opus-4-6[1m]", "claude-opus-4-6"),
        ("claude-opus-4-20250514", "claude-opus-4"),
        ("claude-opus-4-0", "claude-opus-4"),
        ("claude-opus-5", "claude-opus-5"),
        ("claude-opus-5.5", "claude-opus-5-5"),
        ("claude-3-7-sonnet-latest", "claude-3-7-sonnet"),
        ("gpt-5-2025-08-07", "gpt-5"),
        ("gpt-5.5", "gpt-5.5"),
        ("openai/gpt-5.3-codex", "gpt-5.3-codex"),
        ("gpt-5.6-sol", "gpt-5.6-sol"),
        ("gpt-5.6", "gpt-5.6-sol"),
        ("google/gemini-3.1-pro-preview-customtools", "gemini-3.1-pro"),
    ],
)
def test_a_model_is_found_however_it_is_spelled(spelled: str, model: str) -> None:
    assert named(spelled).model == model


@pytest.mark.parametrize("name", ["", "<synthetic>", "claude-opus-5-7", "claude-opus", "gpt-5.5x"])
def test_a_model_that_nobody_knows_has_no_price(name: str) -> None:
    assert price_of(name, shipped()) is None


@pytest.mark.parametrize(
    ("model", "figures", "least"),
    [
        ("claude-opus-5-5", (4, 20, 5, 8, 0.2), 512),
        ("claude-sonnet-5-5", (2, 10, 2.5, 4, 0.1), 512),
        ("claude-haiku-5-5", (0.1, 0.5, 0.125, 0.2, 0.01), 512),
        ("claude-fable-5-1", (10, 50, 12.5, 20, 0.25), 512),
        ("claude-mythos-5-1", (10, 50, 12.5, 20, 0.25), 512),
        ("claude-opus-5", (5, 25, 6.25, 10, 0.5), 512),
        ("claude-opus-4-8", (5, 25, 6.25, 10, 0.5), 1024),
        ("claude-opus-4-7", (5, 25, 6.25, 10, 0.5), 2048),
        ("claude-opus-4-6", (5, 25, 6.25, 10, 0.5), 4096),
        ("claude-opus-4-5", (5, 25, 6.25, 10, 0.5), 4096),
        ("claude-sonnet-5", (2, 10, 2.5, 4, 0.2), 1024),
    ],
)
def test_the_table_of_the_vendor_is_in_the_data(
    model: str, figures: tuple[float, ...], least: int
) -> None:
    price = named(model)
    found = (price.input, price.output, price.write_5m, price.write_1h, price.read)
    assert found == pytest.approx(figures)
    assert price.least == least
    assert (price.caching, price.lookback, price.breakpoints) == ("explicit", 20, 4)
    assert (price.lifetime, price.retention) == (300, 3600)
    assert not price.verified


def test_every_row_says_where_it_is_from_and_is_there_once() -> None:
    assert all(price.source and price.date for price in shipped())
    assert len({price.model for price in shipped()}) == len(shipped())
    for price in shipped():
        assert named(price.model) is price
        assert price.read <= price.input <= price.write_5m <= price.write_1h


def test_what_openai_writes_costs_more_since_5_6() -> None:
    for price in (each for each in shipped() if each.provider == "openai"):
        newer = price.model.startswith(("gpt-5.6", "gpt-6"))
        assert price.write_5m == pytest.approx(price.input * (1.25 if newer else 1))
        assert price.write_1h == price.write_5m
    assert named("gpt-4o").read == pytest.approx(named("gpt-4o").input / 2)


def test_only_models_that_bind_thinking_are_edited_at_the_tail() -> None:
    bound = {price.model for price in shipped() if edit_mode(price) == "tail"}
    generation = {"fable-5-1", "mythos-5-1", "opus-5-5", "sonnet-5-5", "haiku-5-5"}
    assert bound == {f"claude-{name}" for name in generation}


def test_the_newer_tokenizer_has_more_tokens() -> None:
    for name in ("claude-sonnet-4-6", "claude-opus-4-6", "claude-haiku-4-5"):
        price = named(name)
        assert (price.tokens_prose, price.tokens_shell, price.tokens_block) == (1.12, 1.22, 40)
    for name in ("claude-opus-4-7", "claude-fable-5", "claude-sonnet-5", "claude-haiku-5-5"):
        price = named(name)
        assert (price.tokens_prose, price.tokens_shell, price.tokens_block) == (1.625, 1.625, 19)


def test_every_model_of_the_recorded_sessions_has_a_price() -> None:
    files = (SHARED / "usage" / "summary.json", SHARED / "transcripts" / "index.json")
    if not all(file.exists() for file in files):
        pytest.skip("the recorded sessions are not here")
    usage, sessions = (json.loads(file.read_text("utf-8")) for file in files)
    models = {row["model"] for row in usage}
    models |= {model for row in sessions["records"] for model in row["models"]}
    assert {model for model in models if not price_of(model, shipped())} <= UNKNOWN


def test_each_token_is_paid_once_at_its_rate() -> None:
    usage = Usage(input=1, cache_read=10, cache_write_5m=100, cache_write_1h=1000, output=10_000)
    by_hand = (1 * 5 + 10 * 0.5 + 100 * 6.25 + 1000 * 10 + 10_000 * 25) / 1e6
    assert dollars(named("claude-opus-4-6"), usage) == pytest.approx(by_hand, rel=1e-12)


def test_a_long_prompt_has_the_rates_of_its_tier_in_all_its_tokens() -> None:
    price = named("claude-haiku-5-5")
    assert rates(price, 100_000) is price
    assert rates(price, 100_001).input == 0.5
    short, long = Usage(input=1, cache_read=99_999), Usage(input=2, cache_read=99_999, output=7)
    assert dollars(price, short) == pytest.approx((0.1 + 99_999 * 0.01) / 1e6)
    assert dollars(price, long) == pytest.approx((2 * 0.5 + 99_999 * 0.05 + 7 * 2.5) / 1e6)


def test_tiers_may_be_stated_in_any_order() -> None:
    tier = "{{above={0}, input={0}, output=1, write_5m=1, write_1h=1, read=1}}".format
    text = f"{NEW}tiers = [{tier(30)}, {tier(10)}, {tier(20)}]"
    (price,) = parsed(text, "f")
    assert [rates(price, prompt).input for prompt in (10, 11, 21, 31)] == [2, 10, 20, 30]


def test_a_row_replaces_the_fields_it_states() -> None:
    text = '[[model]]\nmodel = "anthropic/claude-opus-4.6"\ninput = 2.5\n'
    mine = price_of("claude-opus-4-6", parsed(text, "mine.toml", shipped()))
    assert mine is not None
    assert (mine.input, mine.output, mine.least) == (2.5, 25, 4096)
    assert (mine.source, mine.date, mine.verified) == ("mine.toml", None, False)
    assert len(parsed(text, "mine.toml", shipped())) == len(shipped())


def test_a_row_adds_a_model() -> None:
    (alone,) = parsed(NEW, "f")
    assert (alone.write_5m, alone.write_1h, alone.read) == (2, 2, 2)
    row = 'model = "deployed"\nlike = "claude-opus-4.6"\nnames = ["*-opus-blue"]\nread = 0.1'
    text = f"[[model]]\n{row}"
    found = price_of("our/New-Opus-Blue", parsed(text, "f", shipped()))
    assert found is not None
    assert (found.model, found.read, found.input, found.least) == ("deployed", 0.1, 5, 4096)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("x = ", "Invalid value (at end of document)"),
        ("[x]", "x: it has [[model]] rows only"),
        ("model = 3", "model: it has [[model]] rows only"),
        ("model = [1]", "row 1: it is no table; a row begins with [[model]]"),
        ("[[model]]", "row 1: model: a row names its model"),
        ('[[model]]\nlike = "gpt-5"', "row 1: model: a row names its model"),
        ("[[model]]\nmodel = 3", "row 1: model: a row names its model"),
        ('[[model]]\nmodel = "x"\nlike = "y"', "row 1 (x): like: no row of that model before it"),
        (NEW + '[[model]]\nmodel = "x"', "row 2 (x): Object missing required field `input`"),
        (NEW.replace("2", '"2"'), "row 1 (mine): input: Expected `float`, got `str`"),
        (NEW.replace("2", "nan"), "row 1 (mine): input: Expected `float` >= 0.0"),
        (NEW.replace("2", "inf"), "row 1 (mine): input: Expected `float` <= 100000.0"),
        (NEW.replace("2", "-2"), "row 1 (mine): input: Expected `float` >= 0.0"),
        (NEW + "inptu = 2", "row 1 (mine): Object contains unknown field `inptu`"),
        (NEW + "tiers = [{above = 1}]", "row 1 (mine): tiers[0]: Object missing required"),
        (NEW + 'caching = "none"', "row 1 (mine): caching: Invalid enum value 'none'"),
        (NEW + "date = 2026-02-30", "Invalid date"),
        (NEW + "date = 12:00:00", "row 1 (mine): date: "),
        ("x = " + "1" * 10_000, "Exceeds the limit"),
        ("x = " + "[" * 10_000, "nested too deeply"),
    ],
)
def test_a_bad_file_is_one_line_with_place_row_and_field(text: str, said: str) -> None:
    with pytest.raises(BadInput) as raised:
        parsed(text, "mine.toml")
    line = str(raised.value)
    assert line.startswith("mine.toml: ")
    assert "\n" not in line
    assert said in line


FIELDS = st.sampled_from([*Price.__struct_fields__, "like", "other", "above"])
VALUES = st.sampled_from(
    ["1", "-1", "1e9", "nan", '"x"', '"gpt-5"', "[]", "[1]", "{}", "[{}]", "true", "2026-01-01"]
)


@given(st.lists(st.lists(st.tuples(FIELDS, VALUES), unique_by=lambda each: each[0])))
def test_whatever_a_file_says_it_is_prices_or_bad_input(rows: list[list[tuple[str, str]]]) -> None:
    text = "".join("[[model]]\n" + "".join(f"{k} = {v}\n" for k, v in row) for row in rows)
    try:
        found = parsed(text, "f", shipped())
    except BadInput:
        return
    assert all(dollars(price, Usage(1, 1, 1, 1, 1)) >= 0 for price in found)


@given(st.text(alphabet='[]{}model="=.\n1e-_ \\ü\x00'))
def test_any_text_is_prices_or_bad_input(text: str) -> None:
    with suppress(BadInput):
        parsed(text, "f")


@given(st.text())
def test_any_name_is_known_or_not(name: str) -> None:
    assert price_of(name, shipped()) is None or name


def test_the_users_own_file_goes_over_ours(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    assert prices() == shipped()
    place = users_file()
    assert place == tmp_path / "statetape" / "prices.toml"
    place.parent.mkdir()
    place.write_text(NEW, "utf-8")
    assert price_of("mine", prices()) is not None
    named_file = tmp_path / "other.toml"
    named_file.write_text(NEW.replace("mine", "other"), "utf-8")
    assert price_of("mine", prices(named_file)) is None
    assert price_of("other", prices(named_file)) is not None


def test_a_file_that_cannot_be_read_is_bad_input(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=r"no\.toml: No such file"):
        prices(tmp_path / "no.toml")
    with pytest.raises(BadInput, match="directory"):
        prices(tmp_path)
    (tmp_path / "latin").write_bytes(b"# \xff")
    with pytest.raises(BadInput, match="latin: not UTF-8"):
        prices(tmp_path / "latin")
