"""Code that is brought in, in a replay: it is held, paid for, and shown."""

import json
from collections.abc import Generator
from pathlib import Path

import pytest
from click.testing import CliRunner

from statetape.cli import cli
from statetape.context.asking import Ask, Reply
from statetape.context.situation import Situation
from statetape.economics.account import Terms
from statetape.economics.prices import Price
from statetape.economics.prompt import Prompt
from statetape.policies import POLICIES
from statetape.policies.default import default
from statetape.pricing import prices
from statetape.replay.player import replayed
from statetape.replay.priced import Payment
from statetape.replay.prompts import Prompts
from statetape.replay.recording import Sent
from statetape.types import Plan, Record, Region, Slot, SymbolId, Untracked

ROOT = Path(__file__).parents[2]
EXAMPLE = ROOT / "examples" / "config-loader.jsonl"
SESSIONS = ROOT.parent / "shared" / "transcripts"
SMALL = sorted(SESSIONS.glob("*/*.jsonl.gz"), key=lambda file: file.stat().st_size)[13:14]
EAGER = Payment(prices=prices(None), terms=Terms(maintain="eager"))


def greedy(situation: Situation) -> Generator[Ask, Reply, Plan]:
    """All definitions of all files, at each request."""
    plan = yield from default(situation)
    code = situation.code
    assert code is not None
    wanted = [
        Region(path, lines, SymbolId(path, definition.name), "G2", "all of it")
        for path in sorted(code.graph.paths())
        if (facts := code.facts(path)) is not None
        for definition in facts.definitions
        if definition.name
        for lines in definition.lines
    ]
    return Plan(plan.changes, plan.kept, plan.shorter, tuple(wanted))


@pytest.fixture(autouse=True)
def _greedy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(POLICIES, "greedy", greedy)
    monkeypatch.setitem(POLICIES, "corvus", greedy)  # a name that the commands know


def test_the_example_has_records_of_what_was_brought_in() -> None:
    found = replayed(EXAMPLE, policy="greedy")
    added = [row for row in found.records if row.side == "added"]
    assert added
    assert found.actions["retrieve"] == len(added)
    assert found.brought_in.regions >= len(added)
    assert found.brought_in.tokens == sum(row.tokens for row in added)
    for row in added:
        assert row.text.startswith("[statetape: code that may be needed for what comes next]\n")
        assert row.title.startswith("code brought in from ")
        assert row.life[0].state == "retrieved"
    results = {row.id for row in found.records if row.side == "result"}
    assert {row.id for row in added} <= results
    stale = [row for row in added if any(each.state == "stale" for each in row.life)]
    assert stale, "the session writes what it was shown"
    for row in stale:
        after = [each.state for each in row.life[1:]]
        assert after[after.index("stale") + 1] in ("refreshed", "dropped")


def test_they_are_sent_with_every_request_and_count_as_ours() -> None:
    plain, found = replayed(EXAMPLE), replayed(EXAMPLE, policy="greedy")
    assert found.tokens.sent_control == plain.tokens.sent_control
    more = found.tokens.sent_policy - plain.tokens.sent_policy
    assert more > found.brought_in.tokens
    assert found.tokens.stale_sent_policy == plain.tokens.stale_sent_policy == 0
    ours = sum(moment.ours for moment in found.moments)
    assert ours - sum(moment.ours for moment in plain.moments) == more
    assert [m.finished for m in found.moments] == [m.finished for m in plain.moments]


def test_what_is_brought_in_is_paid_for() -> None:
    plain = replayed(EXAMPLE, payments=[EAGER])
    found = replayed(EXAMPLE, policy="greedy", payments=[EAGER])
    assert found.brought_in.regions
    (without,), (cost,) = plain.costs, found.costs
    assert without is not None
    assert cost is not None
    assert cost.simulated_control == without.simulated_control
    assert cost.simulated_policy > without.simulated_policy


def test_who_has_to_pay_stays_within_the_limit() -> None:
    payment = Payment(prices=prices(None), terms=Terms(maintain="paying"))
    found = replayed(EXAMPLE, policy="greedy", payments=[payment])
    (cost,) = found.costs
    assert cost is not None
    assert found.brought_in.regions
    assert cost.simulated_policy <= 1.01 * cost.simulated_control


def test_who_never_changes_anything_brings_nothing_in() -> None:
    payment = Payment(prices=prices(None), terms=Terms(maintain="never"))
    found = replayed(EXAMPLE, policy="greedy", payments=[payment])
    assert found.brought_in.regions == 0
    assert all(row.side != "added" for row in found.records)


@pytest.mark.skipif(not SMALL, reason=f"the recorded sessions are not at {SESSIONS}")
@pytest.mark.parametrize("file", SMALL, ids=lambda file: file.name)
def test_a_recorded_session_brings_code_in(file: Path) -> None:
    payment = Payment(prices=prices(None), notes=120, dedupe=True)
    found = replayed(file, policy="greedy", payments=[payment])
    (cost,) = found.costs
    if cost is not None:
        assert cost.simulated_policy <= 1.02 * cost.simulated_control
    eager = replayed(file, policy="greedy")
    assert eager.brought_in.regions
    assert eager.tokens.stale_sent_policy <= replayed(file).tokens.stale_sent_policy


def run(*arguments: str) -> str:
    done = CliRunner().invoke(cli, [*arguments, "--policy", "corvus"])
    assert done.exit_code == 0, done.output
    return done.output


def test_the_commands_say_what_was_brought_in(tmp_path: Path) -> None:
    found = replayed(EXAMPLE, policy="greedy")
    regions, tokens = found.brought_in.regions, found.brought_in.tokens
    words = f"{regions:,} regions of code, {tokens:,} tokens"
    text = run("replay", str(EXAMPLE))
    assert f"  brought in          {words}\n" in text
    assert f"{found.actions['retrieve']} retrieve" in text
    document = json.loads(run("replay", str(EXAMPLE), "--json"))
    for figures in (document["sessions"][0], document["total"]):
        assert figures["brought_in"] == {"regions": regions, "tokens": tokens}
    page = tmp_path / "page.html"
    run("replay", str(EXAMPLE), "--html", str(page))
    assert '"side":"added"' in page.read_text()
    assert "As it was brought in" in page.read_text()


def test_the_timeline_and_the_holdings_show_it() -> None:
    text = run("show", str(EXAMPLE))
    assert "retrieved step " in text
    assert "code brought in from " in text
    first = next(r for r in replayed(EXAMPLE, policy="greedy").records if r.side == "added")
    at = str(first.life[0].step)
    text = run("show", str(EXAMPLE), "--at", at)
    assert f"\n{first.step:>4} added   code brought in from " in text
    assert f"retrieved at step {at}\n" in text
    document = json.loads(run("show", str(EXAMPLE), "--at", at, "--json"))
    (added,) = [row for row in document["records"] if row["side"] == "added"]
    assert (added["state"], added["tokens"]) == ("retrieved", first.tokens)


PRICE = Price(
    model="m", input=1, output=1, write_5m=1.25, write_1h=2, read=0.1, caching="explicit",
    lookback=20, breakpoints=4, tokens_prose=2, tokens_block=10,
)  # fmt: skip


def test_what_is_added_is_in_the_block_of_its_result_in_any_order() -> None:
    """A thousand tokens of a result, and what is added to it, with and without a change of it."""
    result = Record(Slot("a", "result"), 1, "read", "x", Untracked(), 0, 1000)
    later = Record(Slot("b", "result"), 2, "read", "z", Untracked(), 0, 5)
    added = Record(Slot("a", "added"), 1, "read", "y", Untracked(), 0, 100)
    held = {result.slot: result, added.slot: added, later.slot: later}
    made = Prompts(PRICE, 300)
    prompt = made.prompt(Sent("m", None, None), {result.slot: result, later.slot: later})

    def sizes(changed: Prompt) -> list[int]:
        return [block.tokens for block in changed.blocks[-2:]]

    assert sizes(prompt) == [2010, 20]
    one = made.changed(prompt, held, [added.slot])
    both = made.changed(prompt, held, [added.slot, result.slot])
    assert sizes(one) == sizes(both) == [2210, 20]
    assert made.changed(prompt, held, [result.slot, added.slot]) == both
    digests = {p.blocks[-2].digest for p in (prompt, one, both)}
    assert len(digests) == 3
    bare = made.changed(prompt, held, [added.slot], bare=True)
    assert sizes(bare) == [2210, 20]
    assert bare.blocks[-2].digest == prompt.blocks[-2].digest
