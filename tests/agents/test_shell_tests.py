"""Which tests a command runs, as far as its words say it."""

import pytest

from statetape.agents.shell import actions
from statetape.types import Run

TOLD = [
    ("pytest tests/test_a.py", ("tests/test_a.py",)),
    ("python3.12 -m pytest -q tests/test_a.py::TestIt::test_b -k 'x and y'", ("tests/test_a.py",)),
    ("uv run pytest -x --tb=short tests", ("tests/**.py",)),
    ("pytest --tb short tests/a.py tests/b.py 2>&1 | tail -5", ("tests/a.py", "tests/b.py")),
    ("cd lib && pytest ../tests/test_a.py", ("tests/test_a.py",)),
    ("go test ./...", ("**.go",)),
    ("go test", ("*.go",)),
    ("go test ./internal/sem -run '^TestX$' -count=1 -v | grep FAIL", ("internal/sem/*.go",)),
    ("cd src && go test -timeout 60s ./color/... ./cli/", ("src/color/**.go", "src/cli/*.go")),
    ("env GOCACHE=/tmp/x go test -race ./a/", ("a/*.go",)),
    ("npx vitest run src/a.test.ts -t 'one'", ("**src/a.test.ts",)),
    ("pnpm exec jest --silent src/a.test.tsx", ("**src/a.test.tsx",)),
    ("bun test src/a.test.ts", ("**src/a.test.ts",)),
    ("pytest /r/tests/test_a.py", ("tests/test_a.py",)),
]
# Everything, something that no word says, or more than the tests alone.
UNTOLD = [
    "pytest",
    "pytest -q",
    "pytest --cov=app tests/test_a.py",
    "pytest -p app.plugin tests/test_a.py",
    "pytest --lf tests/test_a.py",
    "pytest tests/test_*.py",
    "pytest $FILES",
    "pytest -k",
    "pytest /elsewhere/test_a.py",
    "cd $X && pytest tests/test_a.py",
    "go test -coverpkg=./... ./a/",
    "go test -overlay=x.json ./a/",
    "go test a_test.go",
    "go test ./a/a_test.go",
    "go test github.com/x/y/...",
    "go vet ./a/",
    "npx vitest run",
    "npx vitest run shares",
    "npx jest --coverage src/a.test.ts",
    "npx jest --testPathPattern=src",
    "npm test -- src/a.test.ts",
    "bun run test",
    "make test",
    "tox",
]


def told(command: str) -> list[tuple[str, ...]]:
    found, _ = actions(command, "", "/r")
    return [each.tests for each in found if isinstance(each, Run)]


@pytest.mark.parametrize(("command", "expected"), TOLD)
def test_files_and_folders_that_a_command_names(command: str, expected: tuple[str, ...]) -> None:
    assert told(command) == [expected]


@pytest.mark.parametrize("command", UNTOLD)
def test_where_nobody_can_tell_nothing_is_said(command: str) -> None:
    assert [each for each in told(command) if each] == []
