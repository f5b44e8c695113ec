"""What installing and importing the package costs, and what it brings along."""

import json
import subprocess
import sys
from importlib import metadata, resources

import pytest

HEAVY = {"rich", "toktok", "tree_sitter"}

MODULES_OF_IMPORT = """
import json, sys
before = set(sys.modules)
import statetape
print(json.dumps(sorted(set(sys.modules) - before)))
"""

MODULES_OF_COMMAND = """
import json, sys
from statetape.cli import main
sys.argv = ["statetape", *{arguments!r}]
try:
    main()
except SystemExit as stopped:
    assert not stopped.code, stopped.code
print(json.dumps(sorted(sys.modules)), file=sys.stderr)
"""


def test_importing_the_package_imports_nothing_else() -> None:
    run = subprocess.run(
        [sys.executable, "-c", MODULES_OF_IMPORT], check=True, capture_output=True, text=True
    )
    assert json.loads(run.stdout) == ["statetape"]


@pytest.mark.parametrize("arguments", [["--help"], ["--version"]])
def test_help_and_version_import_nothing_heavy(arguments: list[str]) -> None:
    script = MODULES_OF_COMMAND.format(arguments=arguments)
    run = subprocess.run([sys.executable, "-c", script], check=True, capture_output=True, text=True)
    roots = {name.partition(".")[0] for name in json.loads(run.stderr)}
    assert not roots & HEAVY
    assert run.stdout


def test_the_command_is_installed_under_its_name() -> None:
    (command,) = metadata.entry_points(group="console_scripts", name="statetape")
    assert command.value == "statetape.cli:main"


def test_the_package_says_that_it_is_typed() -> None:
    assert (resources.files("statetape") / "py.typed").is_file()


def test_the_version_is_stated_once() -> None:
    import statetape

    assert metadata.version("statetape") == statetape.__version__
