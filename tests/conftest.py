"""What all tests share: Hypothesis without a clock, and the real data beside the checkout."""

import os
from pathlib import Path

import pytest
from hypothesis import settings

# No deadline: on shared cores it fails for the machine, not for the code. In CI the examples are
# the same each time, so that a red run can be repeated.
settings.register_profile("default", deadline=None, print_blob=True)
settings.register_profile("ci", deadline=None, derandomize=True)
settings.load_profile("ci" if os.environ.get("CI") else "default")

SHARED = Path(__file__).parents[2] / "shared"


@pytest.fixture(scope="session", autouse=True)
def _own_cache(tmp_path_factory: pytest.TempPathFactory) -> None:
    """No test reads or writes the cache of whoever runs it; processes that are started neither."""
    os.environ["STATETAPE_CACHE"] = str(tmp_path_factory.mktemp("cache"))


@pytest.fixture(scope="session")
def transcripts() -> Path:
    """The folder of real recorded sessions; the test is skipped where it is not there."""
    folder = SHARED / "transcripts"
    if not (folder / "index.json").is_file():
        pytest.skip("needs recorded sessions, which are not part of the project")
    return folder


@pytest.fixture(scope="session")
def drift_cases() -> Path:
    """The file of shared drift cases; the test is skipped where it is not there."""
    file = SHARED / "cases" / "drift.json"
    if not file.is_file():
        pytest.skip("needs the shared drift cases, which are not part of the project")
    return file
