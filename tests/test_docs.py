"""The documentation hangs together and shows what the commands really print."""

import json
import re
import shlex
from collections.abc import Iterator
from doctest import ELLIPSIS, REPORT_UDIFF, Example, OutputChecker
from pathlib import Path
from typing import Any

import click
import pytest
from click.testing import CliRunner

from statetape.cli import COMMANDS, cli

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
PAGES = sorted(page.relative_to(ROOT).as_posix() for page in DOCS.rglob("*.md"))
WITH_COMMANDS = ["README.md", *PAGES]
EXAMPLE = "examples/config-loader.jsonl"
REPO = ["--repo", "examples/config-loader"]


@pytest.fixture(autouse=True)
def _in_the_checkout(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)


@pytest.mark.parametrize("name", [*PAGES, "CHANGELOG.md", "CONTRIBUTING.md", "README.md"])
def test_every_relative_link_leads_to_a_file(name: str) -> None:
    page = ROOT / name
    links = re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", page.read_text("utf-8"))
    assert [link for link in links if not (page.parent / link).exists()] == []


def test_every_page_is_in_the_navigation() -> None:
    navigation = re.findall(r"([\w/-]+\.md)", (ROOT / "mkdocs.yml").read_text("utf-8"))
    assert sorted(f"docs/{page}" for page in navigation) == PAGES


def printed(*arguments: str) -> str:
    """What the command prints in 80 columns, both streams (click leaves two of them free)."""
    return CliRunner().invoke(cli, arguments, prog_name="statetape", terminal_width=78).output


def shown_commands(name: str) -> Iterator[tuple[str, str]]:
    """The commands of statetape whose output a page shows, and that output."""
    text = (ROOT / name).read_text("utf-8")
    for block in re.findall(r"^```console\n(.*?)^```$", text, re.MULTILINE | re.DOTALL):
        for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            command, _, output = part.partition("\n")
            if re.match(r"(\.venv/bin/)?statetape ", command) and output.strip():
                yield command, output


@pytest.mark.parametrize(
    ("command", "output"),
    [
        pytest.param(*shown, id=f"{name}: {shown[0]}")
        for name in WITH_COMMANDS
        for shown in shown_commands(name)
    ],
)
def test_a_page_shows_what_the_command_prints(command: str, output: str) -> None:
    """A line `...` stands for any lines. Where this fails, copy what the command prints now."""
    _, *arguments = shlex.split(command, comments=True)
    checker, now = OutputChecker(), printed(*arguments)
    if not checker.check_output(output, now, ELLIPSIS):
        example = Example(command, output)
        pytest.fail(checker.output_difference(example, now, ELLIPSIS | REPORT_UDIFF))


def test_the_reference_has_the_help_of_every_command() -> None:
    names = [["--help"], *([name, "--help"] for name in COMMANDS)]
    for group in ("graph", "bench"):
        found = cli.get_command(click.Context(cli), group)
        assert isinstance(found, click.Group)
        names += [[group, name, "--help"] for name in found.list_commands(click.Context(found))]
    shown = {command for command, _ in shown_commands("docs/reference/cli.md")}
    assert {shlex.join(["statetape", *name]) for name in names} - shown == set()


@pytest.mark.parametrize(
    "arguments",
    [
        ["replay", EXAMPLE, "--check"],
        ["replay", EXAMPLE, "--price", "all"],
        ["bench", "cost", EXAMPLE, "--jobs", "1"],
        ["bench", "lookahead", EXAMPLE, "--jobs", "1"],
        ["show", EXAMPLE],
        ["show", EXAMPLE, "--at", "45"],
        ["drift", "examples", "tests"],
        ["graph", "stats", *REPO],
        ["graph", "symbols", "load", *REPO],
        ["graph", "callers", "load_config", *REPO],
        ["graph", "callees", "start_server", *REPO],
        ["graph", "source", "start_server", *REPO],
        ["prices"],
    ],
    ids=" ".join,
)
def test_the_reference_names_every_field_of_a_document(arguments: list[str]) -> None:
    text = (DOCS / "reference" / "json.md").read_text("utf-8")
    named = set(re.findall(r"\w+", " ".join(re.findall(r"`[^`]+`", text))))
    assert set(fields(json.loads(printed(*arguments, "--json")))) - named == set()


def fields(document: Any) -> Iterator[str]:
    """The names of all fields; what is counted by language or kind is no field."""
    if isinstance(document, list):
        for each in document:
            yield from fields(each)
    elif isinstance(document, dict):
        for key, value in document.items():
            yield key
            if "_by_" not in key:
                yield from fields(value)
