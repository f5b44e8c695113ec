"""Which tests a test command runs, where its words say so."""

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from statetape.agents.paths import is_outside
from statetape.agents.shell_calls import Called
from statetape.agents.shell_line import Word
from statetape.agents.shell_place import Place, names


class _Runner(NamedTuple):
    """The options of a test runner that change neither which files it loads nor what it reports on.

    Of those in `valued` the next word is the value, but where it is joined by `=`. `files` are the
    targets that are files, `folders` what is loaded of one that is a folder.
    """

    plain: frozenset[str]
    valued: frozenset[str]
    files: re.Pattern[str]
    folders: str = ""


_PYTEST = _Runner(
    names(
        "-q -qq -v -vv -vvv -x -s -l -ra -rA -rs -rf -rx --quiet --verbose --exitfirst --no-header "
        "--no-summary --showlocals --strict-markers"
    ),
    names("-k -m -n -r --tb --maxfail --timeout --durations --color --capture -W"),
    re.compile(r".+\.py"),
    "**.py",
)
_GO = _Runner(
    names("-v -race -short -failfast -cover -benchmem -json"),
    names("-run -count -timeout -bench -benchtime -skip -parallel -tags -cpu"),
    re.compile(r"(?!)"),
    "*.go",
)
_JAVASCRIPT = _Runner(
    names(
        "--run --silent --verbose --bail --no-color --color --passWithNoTests --ci -i --runInBand "
        "--no-coverage -b"
    ),
    names("-t --reporter --testNamePattern --test-name-pattern --timeout --testTimeout"),
    re.compile(r".+\.[cm]?[jt]sx?"),
)
_RUNNERS: Mapping[str, _Runner] = {
    **dict.fromkeys(("pytest", "py.test"), _PYTEST),
    "go": _GO,
    **dict.fromkeys(("vitest", "jest", "bun"), _JAVASCRIPT),
}


# What has other files loaded, or looked for elsewhere, whatever the words of the runner say.
_STEERED = re.compile(
    r"\b(?:PYTEST_(?!CURRENT)\w*|DJANGO_\w*|COV_\w*|GOFLAGS|GOWORK|GO111MODULE|NODE_(?!ENV)\w*|JEST_\w*"
    r"|VITEST\w*|BABEL_\w*|TS_NODE\w*|BUN_OPTIONS"
    r"|PYTHON(?:HOME|STARTUP|PATH(?!=['\"]?(?:\.|(?:\./)?src|lib|\$PWD|\$\(pwd\))[/'\"]*(?:\s|$))))="
    r"|\b(?:env|uv|rye|poetry|pixi|npm|npx|pnpm|yarn|bun)\b[^|;&\n]{0,200}?\s"
    r"(?:-C|--chdir|--directory|--project|--cwd|--dir|--filter|-F|--prefix|-w|--workspaces?|-ws"
    r"|--recursive|-r)(?=[\s=]|$)"
    r"|-W[ =]?['\"]?[^\s'\"]{0,200}:\w+\.\w"  # a class of warnings is imported
)


def steered(line: str) -> bool:
    """Whether a command line sets what tests load by other words than those of their runner."""
    return _STEERED.search(line) is not None


def tests(call: Called, place: Place) -> tuple[str, ...]:
    """The files and folders of which a command runs the tests; empty where nobody can tell.

    Paths, and globs of which `*` is a name in a folder, `**` any path below it. Only for commands
    of which each word is known: an option may have other files loaded, or reported on.
    """
    name, words = call.name, [word.text for word in call.words]
    if any(word.kind != "literal" for word in call.words):
        return ()
    if re.fullmatch(r"python[\d.]*|py", name) and words[:2] == ["-m", "pytest"]:
        name, words = "pytest", words[2:]
    runner = _RUNNERS.get(name)
    if runner is None or (name in ("go", "bun") and words[:1] != ["test"]):
        return ()
    if runner is not _PYTEST and words[:1] in (["run"], ["test"]):
        words = words[1:]
    targets = _targets(words, runner)
    if runner is _GO and targets == []:
        targets = ["."]
    found = [_path(each, runner, place) for each in targets or ()]
    return tuple(each for each in found if each) if all(found) else ()


def _targets(words: Sequence[str], runner: _Runner) -> list[str] | None:
    """The words that are no options; None where an option is none of those that are known."""
    found: list[str] = []
    rest = list(reversed(words))
    while rest:
        word = rest.pop()
        option, joined, _ = word.partition("=")
        if not word.startswith("-"):
            found.append(word)
        elif option in runner.valued and (joined or rest):
            rest = rest if joined else rest[:-1]
        elif word not in runner.plain:
            return None
    return found


def _path(word: str, runner: _Runner, place: Place) -> str | None:
    """A target as a repository path; None where it is none."""
    stated, below, folders = word, "", runner.folders
    if runner is _GO:
        stated, dots, _ = word.partition("/...")
        below = "*" if dots else ""
        if not stated.startswith((".", "/")) or stated.endswith(".go"):
            return None  # a package of elsewhere, or some files of one
    else:
        stated = word.partition("::")[0]
    path = place.path(Word(stated))
    if path is None or is_outside(path):
        return None
    if runner.files.fullmatch(stated):
        return _filtered(stated, place) if runner is _JAVASCRIPT else path
    return f"{path}/{below}{folders}".lstrip("/") if folders else None


def _filtered(stated: str, place: Place) -> str | None:
    """The files that end like a word, below where a runner is started: to it, it is no path."""
    if stated.startswith(("/", "~")) or ".." in stated.split("/"):
        return place.path(Word(stated))
    return f"{place.path(Word('.')) or ''}/**{stated.removeprefix('./')}".lstrip("/")
