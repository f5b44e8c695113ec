"""What all tests share: Hypothesis without a clock, an environment, data beside the project."""

import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

# No deadline, and nothing is too slow: on shared cores that fails for the machine, not for the
# code. Nor is a folder that all examples of a test have a fault: what they write is theirs. In CI
# the examples are the same each time, so that a red run can be repeated.
_CALM = settings(
    deadline=None,
    print_blob=True,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)
settings.register_profile("default", _CALM)
settings.register_profile("ci", _CALM, derandomize=True)
settings.load_profile("ci" if os.environ.get("CI") else "default")

# What the environment of whoever runs the tests may say to us, to git or to what writes on screens.
_SAID = (
    *("ANTHROPIC_", "CLAUDE_", "CODEX_", "GIT_", "LLM_", "OPENAI_", "OPENCODE_", "STATETAPE_"),
    *("XDG_", "CLICOLOR", "COLUMNS", "FORCE_COLOR", "LINES", "NO_COLOR", "PAGER", "TTY_"),
    *("ALL_PROXY", "FTP_PROXY", "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY"),
)

SHARED = Path(__file__).parents[2] / "shared"


@pytest.fixture(scope="session", autouse=True)
def _own_environment(tmp_path_factory: pytest.TempPathFactory) -> None:
    """No test, and no process that one starts, hears of the settings of whoever runs it.

    Nor does one read or write in their home, or in their cache.
    """
    for name in [name for name in os.environ if name.upper().startswith(_SAID)]:
        del os.environ[name]
    os.environ["HOME"] = str(tmp_path_factory.mktemp("home"))
    os.environ["STATETAPE_CACHE"] = str(tmp_path_factory.mktemp("cache"))
    os.environ |= {"GIT_CONFIG_NOSYSTEM": "1", "TERM": "xterm-256color"}
    os.umask(0o022)


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
