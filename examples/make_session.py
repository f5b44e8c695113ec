"""Make `config-loader.jsonl`: a session in which an agent changes the service in `config-loader/`.

    .venv/bin/python examples/make_session.py [OUTPUT]

The agent teaches `load_config` to read YAML and to refuse incomplete settings. What it has read on
the way goes stale in every way a write can make it: a body changes, a helper loses its only caller
and goes, an import moves what a function calls without touching its text, a file changes or goes
away under a shell command. One edit is taken back before the next request: nothing goes stale.
"""

import shutil
import sys
import tempfile
from pathlib import Path
from typing import Any

from recorder import Recorder

HERE = Path(__file__).parent
ROOT = "/home/dev/config-loader"
PACKAGE = f"{ROOT}/config_loader"
TESTS = f"{ROOT}/tests/test_loader.py"

Call = tuple[str, dict[str, Any]]

OLD_LOAD = '''\
    """The defaults, overlaid with what the file at `path` says."""
    settings = dict(DEFAULTS)
    settings.update(_read_json(path))
    return settings
'''
NEW_LOAD = '''\
    """The defaults, overlaid with what the file at `path` says.

    Raises `ConfigError` where the file is missing or names no host or port.
    """
    try:
        document = yaml_io.load(path)
    except FileNotFoundError as error:
        raise ConfigError(f"{path}: no such file") from error
    for key in REQUIRED:
        if key not in document:
            raise ConfigError(f"{path}: {key} is missing")
    return {**DEFAULTS, **document}
'''
HELPER = '''\
def _read_json(path):
    """What the file at `path` says; nothing where there is no file."""
    try:
        with open(path, encoding="utf-8") as stream:
            return json.load(stream)
    except FileNotFoundError:
        return {}


'''
OLD_START = '''\
    """A running server, configured by the file at `path`."""
    settings = load_config(path)
    server = Server(settings)
'''
NEW_START = '''\
    """A running server, configured by the file at `path`; exits where the file is no good."""
    try:
        settings = load_config(path)
    except ConfigError as error:
        raise SystemExit(f"config-loader: {error}") from error
    server = Server(settings)
'''
ERRORS = '''\
"""What can be wrong with a configuration."""


class ConfigError(Exception):
    """The settings are incomplete or not there."""
'''
OLD_ABSENT = """\
def test_without_a_file_there_are_the_defaults(tmp_path):
    assert load_config(tmp_path / "absent.json")["host"] == "127.0.0.1"
"""
NEW_ABSENT = """\
def test_without_a_file_there_is_no_configuration(tmp_path):
    with pytest.raises(ConfigError, match="no such file"):
        load_config(tmp_path / "absent.yaml")


def test_host_and_port_are_required(tmp_path):
    with pytest.raises(ConfigError, match="port is missing"):
        load_config(write(tmp_path, "host: 0.0.0.0"))
"""
OLD_SHOW = """\
        print(read_key(path, rest[0]))
        return 0
    print(f"no such command: {command}", file=sys.stderr)
"""
NEW_SHOW = """\
        value = read_key(path, rest[0])
        print("not set" if value is None else value)
        return 0
    print(f"no such command: {command}", file=sys.stderr)
"""


def read(path: str, **lines: int) -> Call:
    """Read a file, or `limit` lines of it from line `offset` on."""
    return "Read", {"file_path": path, **lines}


def edit(path: str, old: str, new: str) -> Call:
    """Replace a text that occurs once."""
    return "Edit", {"file_path": path, "old_string": old, "new_string": new}


def bash(command: str, description: str) -> Call:
    """Run a command in the repository."""
    return "Bash", {"command": command, "description": description}


def grep(pattern: str, path: str = ROOT) -> Call:
    """The lines that match, with their numbers."""
    return "Grep", {"pattern": pattern, "path": path, "output_mode": "content"}


def todos(done: int) -> Call:
    """The list of things to do, the first `done` of them finished."""
    plan = ["Rewrite load_config", "Let its callers cope", "Read YAML in reader.py", "Tidy up"]
    states = ["completed"] * done + ["in_progress"] + ["pending"] * len(plan)
    listed = [
        {"content": content, "status": status, "activeForm": content}
        for content, status in zip(plan, states, strict=False)
    ]
    return "TodoWrite", {"todos": listed}


PYTEST = bash("python3 -m pytest -q --tb=no", "Run the tests")


def explore(session: Recorder) -> None:
    """The task, and what the agent reads before its first write."""
    session.asks(
        "load_config should read YAML instead of JSON and raise a ConfigError when the file is "
        "missing or has no host or port. `show` should read YAML too. Keep the tests green."
    )
    session.turn("I'll look at the layout first.", ("Glob", {"pattern": "*.py"}))
    session.turn(None, read(f"{PACKAGE}/loader.py"), read(f"{PACKAGE}/yaml_io.py"))
    session.turn(
        "load_config gets its data through _read_json, which also hides a missing file. "
        "Let me see the other readers and where load_config is used.",
        read(f"{PACKAGE}/json_io.py"),
        grep(r"load_config|_read_json"),
    )
    session.turn(None, read(TESTS), PYTEST)
    session.turn("All green before I start. The plan:", todos(0))


def rewrite(session: Recorder) -> None:
    """load_config gets its new body; its caller start_server has to catch what it raises."""
    loader = f"{PACKAGE}/loader.py"
    session.turn(None, ("Write", {"file_path": f"{PACKAGE}/errors.py", "content": ERRORS}))
    session.turn(
        None,
        edit(
            loader,
            "import json\n\nDEFAULTS =",
            "import json\n\nfrom config_loader import yaml_io\n"
            "from config_loader.errors import ConfigError\n\n"
            'REQUIRED = ("host", "port")\nDEFAULTS =',
        ),
    )
    session.turn(None, edit(loader, OLD_LOAD, NEW_LOAD))
    session.turn("Now the tests should tell me who depended on the old behaviour.", PYTEST)
    session.turn(
        "As expected: the fixtures are JSON, and start_server lets the error through.",
        read(f"{PACKAGE}/server.py"),
    )
    session.turn(
        None,
        edit(
            f"{PACKAGE}/server.py",
            "from config_loader.loader",
            "from config_loader.errors import ConfigError\nfrom config_loader.loader",
        ),
        edit(f"{PACKAGE}/server.py", OLD_START, NEW_START),
    )
    session.turn(
        "Next, the tests: YAML fixtures, and one test for each way to fail.",
        edit(
            TESTS,
            "from config_loader.cli import main\n",
            "import pytest\n\nfrom config_loader.cli import main\n"
            "from config_loader.errors import ConfigError\n",
        ),
        edit(
            TESTS,
            """SETTINGS = '{"host": "0.0.0.0", "port": 80}'""",
            'SETTINGS = "host: 0.0.0.0\\nport: 80\\n"',
        ),
        edit(TESTS, 'folder / "config.json"', 'folder / "config.yaml"'),
        edit(TESTS, OLD_ABSENT, NEW_ABSENT),
    )
    session.turn(None, PYTEST, read(TESTS))


def follow(session: Recorder) -> None:
    """The second reader changes what it calls by one import; the command line copes."""
    session.turn("The remaining failure is `show`: reader.py still reads JSON.", todos(2))
    session.turn(None, grep("json_io"), grep(r"read_config\(|read_key\("))
    session.turn(None, read(f"{PACKAGE}/reader.py", offset=6, limit=4))
    session.turn(
        "yaml_io.load has the same shape as json_io.load, so the import is all that changes.",
        edit(
            f"{PACKAGE}/reader.py",
            "from config_loader.json_io import load",
            "from config_loader.yaml_io import load",
        ),
    )
    session.turn(None, PYTEST)
    session.turn(
        "`show` prints None for a key that is not there; I'll make that readable.",
        edit(f"{PACKAGE}/cli.py", OLD_SHOW, NEW_SHOW),
    )
    session.turn(
        "Right, I only know that file from a search.", read(f"{PACKAGE}/cli.py", offset=9, limit=12)
    )
    session.turn(None, edit(f"{PACKAGE}/cli.py", OLD_SHOW, NEW_SHOW))
    session.turn(None, PYTEST)


def tidy(session: Recorder) -> None:
    """An edit is tried and taken back, the shell changes a file, the orphaned helper goes."""
    server, loader = f"{PACKAGE}/server.py", f"{PACKAGE}/loader.py"
    session.turn(
        "Does any test notice the backlog? I'll try another one and put it back.",
        edit(server, "backlog = 16", "backlog = 128"),
        PYTEST,
        edit(server, "backlog = 128", "backlog = 16"),
    )
    session.turn(
        None,
        bash(
            "sed -i 's/the file at/the YAML file at/' config_loader/loader.py",
            "Say YAML in the docstrings",
        ),
    )
    session.turn(None, read(loader))
    session.turn("Nothing calls _read_json any more.", grep(r"_read_json|json\.load"))
    helper = HELPER.replace("the file at", "the YAML file at")
    session.turn(None, edit(loader, helper, ""), edit(loader, "import json\n\n", ""))
    session.turn(None, read(f"{ROOT}/README.md"), bash("cat config.json", "The shipped settings"))
    session.turn(
        "The shipped settings and the README have to follow.",
        bash(
            "cat > config.yaml <<'EOF'\nhost: 127.0.0.1\nport: 8080\nEOF\n"
            "rm config.json config_loader/json_io.py",
            "Ship the settings as YAML, drop what read JSON",
        ),
        edit(
            f"{ROOT}/README.md",
            'Settings live in `config.json`:\n\n    {"host": "127.0.0.1", "port": 8080}\n\n'
            "A missing file means the defaults.\n",
            "Settings live in `config.yaml`:\n\n    host: 127.0.0.1\n    port: 8080\n\n"
            "Both are required; a file without them is refused.\n",
        ),
    )
    session.turn(None, PYTEST, read(server, offset=28, limit=14))
    session.turn(
        "load_config reads YAML and raises ConfigError for a missing file, host or port; "
        "start_server turns that into one line and exit code 1. `show` reads YAML through the same "
        "reader. _read_json and json_io had no caller left and are gone. All tests pass.",
    )


def session_log() -> str:
    """The session, played in a temporary copy of the repository."""
    with tempfile.TemporaryDirectory() as folder:
        repository = Path(folder) / "config-loader"
        ignored = shutil.ignore_patterns("__pycache__", ".*")
        shutil.copytree(HERE / "config-loader", repository, ignore=ignored)
        session = Recorder(repository, ROOT)
        for part in (explore, rewrite, follow, tidy):
            part(session)
        return session.log()


if __name__ == "__main__":
    output = Path(sys.argv[1]) if sys.argv[1:] else HERE / "config-loader.jsonl"
    output.write_text(session_log(), encoding="utf-8")
