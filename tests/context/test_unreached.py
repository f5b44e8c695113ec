"""Test results that no write can have falsified: kept, told why, and true from then on."""

from collections.abc import Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace
from tests.policies.test_any_policy import Kept

from statetape.agents.shell import actions
from statetape.code.graph import Graph
from statetape.code.loading import loaded
from statetape.files import Memory
from statetape.policies import POLICIES
from statetape.types import Edit, RepositoryState, Slot

FILES = {
    "app/core.py": "def load():\n    return 1\n",
    "app/web.py": "def serve():\n    return 2\n",
    "tests/test_core.py": "from app.core import load\n\n\ndef test_it():\n    assert load() == 1\n",
    "docs/guide.md": "# Guide\n",
    "app/page.ts": "export const page = 1;\n",
}
REASON = "its tests load 2 files, none of the 1 written file"


class Runs(Kept):
    """A conversation in which tests are run by what is typed."""

    def __init__(self, files: Mapping[str, str] = FILES, policy: str = "heuristic") -> None:
        super().__init__(POLICIES[policy])
        for path, text in files.items():
            self.put(path, text)

    def run(self, command: str) -> Slot:
        found, _ = actions(command, "", "/r")
        return self.step(*found, text="2 passed in 0.1s\n" * 20, kind="run")

    def write(self, path: str, text: str | None) -> None:
        self.put(path, text)
        self.step(Edit(path, content=text, absent=text is None), text="ok", kind="edit")

    def decided(self, slot: Slot) -> str:
        """What the next request does with a result: `kept` with why, or the change."""
        plan = self.session.request()
        kept = {each.slot: each.reason for each in plan.kept}
        made = {change.slot: change.why for change in plan.changes}
        return f"kept: {kept[slot]}" if slot in kept else made.get(slot, "")


def test_a_result_of_tests_that_cannot_reach_the_change_is_kept_with_the_reason() -> None:
    talk = Runs()
    slot = talk.run("pytest -q tests/test_core.py")
    text = talk.session.held[slot].text
    talk.write("app/web.py", "def serve():\n    return 3\n")
    assert slot in {each.record.slot for each in talk.session.situation().nominations}
    assert talk.decided(slot) == f"kept: {REASON}"
    assert talk.session.held[slot].text == text


def test_what_is_kept_is_true_until_something_is_written_again() -> None:
    talk = Runs()
    slot = talk.run("pytest tests/test_core.py")
    talk.write("app/web.py", "def serve():\n    return 3\n")
    assert talk.decided(slot) == f"kept: {REASON}"
    assert slot not in talk.session.nominations
    assert talk.decided(slot) == ""
    talk.write("app/new.py", "def made():\n    return 4\n")
    assert talk.decided(slot) == f"kept: {REASON}"
    talk.write("app/core.py", "def load():\n    return 5\n")
    assert talk.decided(slot) == "rerun"


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("app/core.py", "def load():\n    return 2\n"),
        ("tests/test_core.py", "import app.core\n"),
        ("tests/conftest.py", "collect_ignore = []\n"),
        ("other/conftest.py", ""),
        ("app/__init__.py", ""),  # the package of what is loaded
        ("docs/guide.md", "# Another\n"),  # a test may read it
        ("app/page.ts", "export const page = 2;\n"),  # of another language, it is data
        ("app/web.py", None),
        ("tests/fixtures/sample.py", "x = 1\n"),
        ("testdata/sample.py", "x = 1\n"),
    ],
)
def test_what_tests_load_or_may_read_has_them_run_again(path: str, text: str | None) -> None:
    talk = Runs()
    slot = talk.run("pytest tests/test_core.py")
    talk.write(path, text)
    assert talk.decided(slot) == "rerun"


def test_one_write_that_they_can_reach_is_enough() -> None:
    talk = Runs()
    slot = talk.run("pytest tests/test_core.py")
    talk.write("app/web.py", "def serve():\n    return 3\n")
    talk.write("app/core.py", "def load():\n    return 3\n")
    assert talk.decided(slot) == "rerun"


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("pyproject.toml", '[tool.pytest.ini_options]\naddopts = "--cov=app"\n'),
        ("pytest.ini", "[pytest]\naddopts = -p app.plugin\n"),
        ("tests/conftest.py", 'pytest_plugins = "web"\n'),
        ("tests/conftest.py", 'TEXT = Path("app/web.py").read_text()\n'),
        ("tests/conftest.py", 'FILES = Path("app").rglob("*.py")\n'),
    ],
)
def test_where_more_is_read_or_reported_on_than_is_imported_all_counts(
    path: str, text: str
) -> None:
    talk = Runs({**FILES, path: text})
    slot = talk.run("pytest tests/test_core.py")
    talk.write("app/web.py", "def serve():\n    return 3\n")
    assert talk.decided(slot) == "rerun"


@pytest.mark.parametrize(
    "command",
    [
        "pytest",
        "pytest tests/test_core.py && mypy app",
        "make lint; pytest tests/test_core.py",
        "pytest tests/test_core.py; git status",
        "sed -i s/1/1/ app/core.py; pytest tests/test_core.py",
    ],
)
def test_a_result_of_more_than_some_tests_is_of_the_whole_repository(command: str) -> None:
    talk = Runs()
    slot = talk.run(command)
    talk.write("app/web.py", "def serve():\n    return 3\n")
    assert talk.decided(slot) == "rerun"


def test_two_runs_of_tests_are_of_both() -> None:
    talk = Runs()
    slot = talk.run("pytest tests/test_core.py; echo; pytest tests/test_core.py -k load")
    talk.write("app/web.py", "def serve():\n    return 3\n")
    assert talk.decided(slot) == f"kept: {REASON}"


def test_what_became_loaded_since_counts_from_then_on() -> None:
    talk = Runs()
    slot = talk.run("pytest tests/test_core.py")
    talk.write("app/web.py", "def serve():\n    return 3\n")
    assert talk.decided(slot) == f"kept: {REASON}"
    talk.write("app/core.py", "from app import web\n\n\ndef load():\n    return web.serve()\n")
    again = talk.run("pytest tests/test_core.py")
    talk.write("app/web.py", "def serve():\n    return 4\n")
    assert talk.decided(again) == "rerun"


def test_a_package_that_is_made_around_what_was_loaded_is_loaded() -> None:
    talk = Runs()
    slot = talk.run("pytest tests/test_core.py")
    talk.write("app/web.py", "def serve():\n    return 3\n")
    assert talk.decided(slot) == f"kept: {REASON}"
    talk.write("app/__init__.py", "")
    assert talk.decided(slot) == "rerun"


def test_a_later_run_of_the_same_tests_says_nothing_of_the_earlier_one() -> None:
    talk = Runs()
    early = talk.run("pytest tests/test_core.py")
    talk.write("app/core.py", "def load():\n    return 3\n")
    late = talk.run("pytest tests/test_core.py")
    talk.write("app/web.py", "def serve():\n    return 3\n")
    plan = talk.session.request(lambda plan: replace(plan, changes=()))
    assert [each.slot for each in plan.kept] == [late]
    talk.write("app/web.py", "def serve():\n    return 4\n")
    assert talk.decided(early) == "rerun"


def test_a_write_that_nobody_saw_may_be_of_anything() -> None:
    talk = Runs()
    slot = talk.run("pytest tests/test_core.py")
    record = talk.session.held[slot]
    talk.session.hold(record, outdated=True)
    talk.write("app/web.py", "def serve():\n    return 3\n")
    assert talk.decided(slot) == "rerun"


def test_a_file_of_which_nobody_knows_what_it_holds_may_be_loaded() -> None:
    talk = Runs()
    slot = talk.run("pytest tests/test_core.py")
    talk.space.doubt("app/web.py")
    assert talk.decided(slot) == "rerun"


def test_the_default_has_all_tests_run_again() -> None:
    talk = Runs(policy="default")
    slot = talk.run("pytest tests/test_core.py")
    assert isinstance(talk.session.held[slot].referent, RepositoryState)
    talk.write("app/web.py", "def serve():\n    return 3\n")
    assert talk.decided(slot) == "rerun"


NAMES = ("test_m", "one", "two", "three", "four")
MODULES = st.lists(st.sampled_from(NAMES[1:]), max_size=3).map(
    lambda names: "".join(f"import {name}\n" for name in names)
)
WRITES = st.tuples(st.sampled_from(NAMES), st.one_of(st.none(), MODULES, MODULES))


@given(st.tuples(*[MODULES] * 4), st.lists(WRITES, min_size=1, max_size=6))
def test_of_what_is_kept_each_file_that_its_run_loaded_is_as_it_was(
    modules: tuple[str, ...], writes: list[tuple[str, str | None]]
) -> None:
    talk = Runs({f"{name}.py": text for name, text in zip(NAMES, modules, strict=False)})
    slot = talk.run("pytest test_m.py")
    files = {path: talk.space.read(path) or b"" for path in talk.space.paths()}
    before = loaded(("test_m.py",), Graph(Memory(files)))
    for name, text in writes:
        talk.write(f"{name}.py", text)
        if not talk.decided(slot).startswith("kept"):
            break
        assert before is not None
        assert all(talk.space.read(path) == files[path] for path in before.files if path in files)
        assert loaded(("test_m.py",), talk.space.graph) == before
