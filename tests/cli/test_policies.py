"""The option that names a policy: what it is without a word, and its second name."""

import json
from pathlib import Path
from typing import Any

import click
import pytest
from click.testing import CliRunner

from statetape.cli import COMMANDS, cli
from statetape.cli.policies import NAMES
from statetape.policies import POLICIES

EXAMPLE = str(Path(__file__).parents[2] / "examples" / "config-loader.jsonl")
TAKING = [("replay",), ("show",), ("skill",), ("run",), ("serve",), ("bench", "cost")]


def replayed(*arguments: str) -> dict[str, Any]:
    done = CliRunner().invoke(cli, ["replay", EXAMPLE, "--json", *arguments])
    assert done.exit_code == 0, done.output
    return json.loads(done.stdout)["sessions"][0]  # type: ignore[no-any-return]


def command_of(names: tuple[str, ...]) -> click.Command:
    found: click.Command | None = cli
    for name in names:
        assert isinstance(found, click.Group)
        found = found.get_command(click.Context(found), name)
    assert found is not None
    return found


def test_each_policy_can_be_named() -> None:
    assert set(NAMES) == set(POLICIES)


@pytest.mark.parametrize("names", TAKING, ids=" ".join)
def test_without_a_word_it_is_the_heuristic_manager(names: tuple[str, ...]) -> None:
    """One default wherever a policy can be named."""
    option = next(each for each in command_of(names).params if each.name == "policy")
    assert option.default == "heuristic"
    assert option.opts == ["--policy", "--manager"]


def test_no_other_command_takes_a_policy() -> None:
    taking = {
        name for name in COMMANDS for each in command_of((name,)).params if each.name == "policy"
    }
    assert taking == {names[0] for names in TAKING if len(names) == 1}


def test_the_manager_lets_go_and_leaves_nothing_stale() -> None:
    found = replayed()
    assert found["policy"] == "heuristic"
    assert found["actions"]["evict"] > 0
    assert found["tokens"]["sent_policy"] < found["tokens"]["sent_control"]
    assert found["tokens"]["stale_sent_control"] > found["tokens"]["stale_sent_policy"] == 0


@pytest.mark.parametrize("option", ["--policy", "--manager"])
def test_without_the_manager_nothing_true_goes(option: str) -> None:
    found = replayed(option, "default")
    assert found["policy"] == "default"
    assert {why for why, count in found["actions"].items() if count} == {"refresh", "drop", "rerun"}
    assert found["brought_in"]["regions"] == 0
