"""What configurations of test runners say: nothing that loads more, or nobody can tell."""

import configparser
import re
import shlex
import tomllib
from collections.abc import Iterator, Mapping, Sequence

OF_PYTEST = (
    *("pyproject.toml", "pytest.ini", ".pytest.ini", "pytest.toml", ".pytest.toml", "tox.ini"),
    "setup.cfg",
)
"""The names of files in which pytest looks for its options."""

_SCRIPTED = re.compile(
    r"(?:^|/)(?:(?:vitest|vite|jest|babel)(?:\.\w+)*\.(?:config|workspace|projects|setup)\.\w+"
    r"|package\.json|bunfig\.toml)$"
)
# A report that is of more files than were loaded, or files that are loaded by some other name.
_MORE = re.compile(
    rb"\bcollectCoverage\b|\bcoverage\b['\"]?\s*:|\b(?:projects|workspace|rootDir|roots|root|dir)"
    rb"['\"]?\s*:|['\"](?:jest|vitest|babel)['\"]\s*:\s*\{|^\s*preload\b|\bimport\.meta\b",
    re.MULTILINE,
)


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_SECTIONS = ("pytest", "tool:pytest")
_KEYS = _words(
    "addopts testpaths markers python_files python_classes python_functions minversion "
    "asyncio_mode asyncio_default_fixture_loop_scope asyncio_default_test_loop_scope xfail_strict "
    "norecursedirs console_output_style junit_family junit_suite_name timeout timeout_method "
    "cache_dir log_cli log_cli_level log_cli_format log_cli_date_format log_level log_format "
    "log_file log_file_level filterwarnings pythonpath usefixtures anyio_mode "
    "verbosity_assertions empty_parameter_set_mark faulthandler_timeout strict strict_markers "
    "strict_config tmp_path_retention_policy tmp_path_retention_count collect_imported_tests "
    "truncation_limit_lines truncation_limit_chars"
)
_OPTION = re.compile(
    r"-[qvxsl]+|-r\w+|--(?:strict|strict-markers|strict-config|verbose|quiet|exitfirst|showlocals"
    r"|no-header|no-summary|disable-warnings|disable-pytest-warnings|no-cov|cache-clear|ff|nf)"
    r"|--(?:tb|durations|durations-min|color|maxfail|import-mode|capture|timeout|asyncio-mode|dist"
    r"|numprocesses|ignore|ignore-glob|log-level|log-cli-level|junitxml|junit-xml|verbosity"
    r"|random-order-seed|code-highlight|show-capture)=\S+|-n\w+|-pno:\S+"
)
_VALUED = _words(
    "-m -k -n -r --tb --durations --color --maxfail --import-mode --capture --timeout --dist "
    "--numprocesses --ignore --log-level"
)
_PATHS = frozenset({".", "./", "src", "./src", "lib"})  # where imports are looked for anyway
_CLASS = re.compile(r":\s*\w+\.\w")  # of warnings: `error::app.errors.Old`


def is_options(path: str) -> bool:
    """Whether a file of this name may configure a test runner."""
    return path.rpartition("/")[2] in (*OF_PYTEST, "setup.py") or is_scripted(path)


def is_scripted(path: str) -> bool:
    """Whether a file of this name may configure a test runner of JavaScript."""
    return _SCRIPTED.search(path) is not None


def loads_more(path: str, data: bytes) -> bool:
    """Whether it may have more loaded or reported on than tests and their imports; or unreadable.

    Also for each option that is not known.
    """
    if is_scripted(path):
        return bool(_MORE.search(data))
    if b"pytest11" in data:
        return True  # a plug-in that is loaded wherever the project is installed
    if path.endswith(".py"):
        return False
    try:
        tables = list(_tables(path, data.decode()))
        return any(_is_more(key, value) for table in tables for key, value in table.items())
    except (ValueError, AttributeError, RecursionError, configparser.Error):
        return True  # it cannot be read, or says things of other types than usual


def _tables(path: str, text: str) -> Iterator[Mapping[str, object]]:
    if path.endswith(".toml"):
        stated = tomllib.loads(text)
        tool = stated.get("tool", {}).get("pytest", {})
        options = tool.get("ini_options", {})
        yield {key: value for key, value in tool.items() if key != "ini_options"}
        yield options
        if not path.endswith("pyproject.toml"):
            yield stated.get("pytest", {})
        return
    stated_ini = configparser.ConfigParser(interpolation=None, strict=False)
    stated_ini.read_string(text)
    for name in _SECTIONS:
        if stated_ini.has_section(name):
            yield dict(stated_ini.items(name))


def _is_more(key: str, value: object) -> bool:
    if key not in _KEYS:
        return True
    words = [str(each) for each in value] if isinstance(value, list) else [str(value)]
    match key:
        case "addopts":
            return not _are_known(words if isinstance(value, list) else shlex.split(words[0]))
        case "pythonpath":
            return not _PATHS.issuperset(part for word in words for part in word.split())
        case "filterwarnings":
            return any(_CLASS.search(word) for word in words)
        case _:
            return False


def _are_known(words: Sequence[str]) -> bool:
    rest = list(reversed(words))
    while rest:
        word = rest.pop()
        following = rest[-1] if rest else ""
        if following and (word in _VALUED or (word == "-p" and following.startswith("no:"))):
            rest.pop()
        elif not _OPTION.fullmatch(word):
            return False
    return True
