"""What kind of a run a command is, from its name and its words."""

import re
from collections.abc import Mapping, Sequence
from typing import Literal

from statetape.agents.shell_line import Word
from statetape.agents.shell_place import basename, names

Kind = Literal["test", "build", "query", "event", "unknown"]


# Commands that say all by their name.
_KINDS: Mapping[Kind, frozenset[str]] = {
    "test": names(
        "pytest py.test tox nox jest vitest mocha ava tap rspec phpunit ctest bats nose2 nosetests "
        "gotestsum karma cypress ginkgo cargo-nextest trial stestr testthat minitest"
    ),
    "build": names(
        "tsc mypy pyright basedpyright pylint flake8 golangci-lint staticcheck shellcheck hadolint "
        "eslint stylelint tslint vulture bandit knip oxlint gcc g++ clang clang++ cc javac rustc "
        "cmake ninja webpack rollup esbuild tsup vite vue-tsc actionlint yamllint markdownlint "
        "cargo-clippy ty govulncheck revive errcheck deadcode sphinx-build mkdocs gopls xcodebuild "
        "swiftlint dialyzer credo lint-imports semgrep gitleaks gofmt goimports gofumpt black "
        "isort autopep8 yapf autoflake prettier oxfmt rustfmt clang-format shfmt dprint ultracite "
        "ktlint swiftformat fieldalignment modernize markdownlint-cli2 github-actionlint"
    ),
    "query": names(
        "wc stat du file sha256sum sha1sum md5sum shasum md5 cksum diff cmp comm cloc tokei scc "
        "jq yq xxd hexdump od strings readlink realpath test basename dirname sort uniq cut nm "
        "otool objdump base64 column rev fold tac paste join ctags zcat gzcat xmllint"
    ),
    "event": names(
        "gh glab curl wget echo printf sleep date which whereis type command uname whoami id pwd "
        "env printenv export true false : mkdir kill pkill killall ps pgrep top lsof netstat ss "
        "hostname uptime df free nproc sw_vers ping dig nslookup ssh read wait exit return set "
        "unset alias history jobs fg bg trap ulimit umask local shift break continue "
        "test [ [[ clear tput open pbcopy man info seq yes tty groups systemctl service "
        "journalctl launchctl brew apt apt-get dnf yum apk sysctl chmod chown psql mysql "
        "redis-cli aws gcloud az kubectl fnm nvm rustup asdf direnv crontab logger "
        "security codesign xcrun arch lscpu lsblk mount nc telnet rmdir"
    ),
}
_BY_NAME: dict[str, Kind] = {name: kind for kind, names in _KINDS.items() for name in names}

# Commands that say it by their first word.
_TARGETS = re.compile(r"[-_:.@/\s]+")
_TESTING = names("test tests testing check verify e2e spec specs coverage bench integration unit")
_BUILDING = names(
    "build lint lints typecheck types tsc compile vet mypy clippy validate typescript docs all "
    "package assemble"
)
_WRITING = names(
    "fmt format fix generate gen codegen write update sync migrate migration migrations seed "
    "release version install setup init clean"
)
_STARTING = names("dev start serve server preview watch storybook run deploy publish logs up down")


def target_kind(target: str) -> Kind:
    """The kind of a named task: an npm script, a make target, a tool's task."""
    words = frozenset(word.lower() for word in _TARGETS.split(target) if word)
    if words & _TESTING and not words & _WRITING:
        return "test"
    if words & _WRITING:
        return "unknown"
    if words & _BUILDING:
        return "build"
    return "event" if words & _STARTING else "unknown"


_SUBCOMMANDS: Mapping[str, Mapping[Kind, frozenset[str]]] = {
    "go": {
        "test": names("test"),
        "build": names("build vet install"),
        "query": names("list doc"),
        "event": names("version env clean telemetry help"),
    },
    "cargo": {
        "test": names("test nextest bench t"),
        "build": names("build check clippy doc b c audit deny miri machete udeps"),
        "query": names("tree metadata"),
        "event": names("search login publish --version version fetch install clean"),
    },
    "dotnet": {"test": names("test"), "build": names("build publish pack")},
    "swift": {"test": names("test"), "build": names("build")},
    "bazel": {"test": names("test coverage"), "build": names("build"), "query": names("query")},
    "mix": {"test": names("test"), "build": names("compile credo dialyzer")},
    "zig": {"test": names("test"), "build": names("build")},
    "deno": {"test": names("test"), "build": names("check lint")},
    "flutter": {"test": names("test"), "build": names("analyze build")},
    "dart": {"test": names("test"), "build": names("analyze compile")},
    "ruff": {"build": names("check format"), "event": names("rule version")},
    "biome": {"build": names("check lint ci")},
    "playwright": {"test": names("test"), "event": names("install")},
    "cypress": {"test": names("run")},
    "wrangler": {"event": names("deploy tail whoami dev secret login")},
    "docker": {
        "event": names(
            "ps images logs inspect pull push login info version stats start stop restart rm rmi "
            "network volume system search tag kill top port context"
        ),
        "build": names("build buildx"),
    },
    "docker-compose": {"event": names("ps logs up down start stop restart pull")},
    "terraform": {"build": names("validate plan")},
    "pip": {"event": names("list show freeze install uninstall download check config cache index")},
    "uv": {"event": names("pip tool python venv cache version self --version")},
    "npm": {
        "event": names("view info show search whoami login publish config root prefix bin ping"),
        "query": names("ls list outdated audit why explain pkg"),
    },
    "bun": {"event": names("--version"), "query": names("pm")},
    "pre-commit": {"event": names("install --version")},
}  # fmt: skip
_PACKAGE_MANAGERS = frozenset({"npm", "pnpm", "yarn", "bun"})
_TASK_RUNNERS = names(
    "make gmake just task mise rake ant nx turbo lerna gradle gradlew mvn mvnw sbt lein bazelisk "
    "invoke inv poe hatch pdm moon grunt gulp composer wireit doit"
)
_TASKLESS_BUILDS = names("make gmake just task rake ant gradle gradlew")
_TASK_WORDS = frozenset({"run", "r", "run-many", "task", "exec", "x", "run-script", "affected"})
_PYTHON_MODULES: Mapping[str, Kind] = {
    **dict.fromkeys(("pytest", "unittest", "tox", "nox", "nose2", "doctest", "trial"), "test"),
    **dict.fromkeys(("mypy", "pyright", "flake8", "pylint", "compileall", "py_compile"), "build"),
    **dict.fromkeys(("build", "pyflakes", "ruff", "compileall"), "build"),
    **dict.fromkeys(("pip", "venv", "http.server", "ensurepip"), "event"),
    **dict.fromkeys(("json.tool", "tokenize", "ast", "dis"), "query"),
}
# Options and words that make a command write what it otherwise only looks at.
_UPDATES = re.compile(
    r"-u$|--?update(?:[-=].*|Snapshots?)?$|--snapshot-update$|--inline-snapshot=.*"
)
_FETCHES: Mapping[str, frozenset[str]] = {
    "gh": names("checkout clone download init"),
    "glab": names("checkout clone download"),
    **dict.fromkeys(("aws", "gcloud", "az", "kubectl"), names("cp sync download rsync")),
}
_ASKS = frozenset({"--version", "-V", "--help", "-h", "-v", "version", "help"})


def kind(words: Sequence[Word]) -> Kind:
    """The kind of a command. `unknown` for everything that nobody can tell."""
    found = _kind(words)
    rest = [word.text for word in words[1:]]
    if found == "test" and any(_UPDATES.match(text) for text in rest):
        return "unknown"  # it rewrites what it expects
    fetches = _FETCHES.get(basename(words[0].text)) if words else None
    return "unknown" if fetches and fetches & set(rest) else found


def _kind(words: Sequence[Word]) -> Kind:
    if not words or words[0].kind != "literal":
        return "unknown"
    name = basename(words[0].text).removesuffix(".exe").removesuffix(".cmd")
    rest = [word.text for word in words[1:]]
    if len(rest) == 1 and rest[0] in _ASKS:
        return "event"
    if name.startswith("python") or name in ("py", "pypy", "pypy3"):
        return _python(rest)
    if name in _PACKAGE_MANAGERS:
        return _package_manager(name, rest)
    if name in _TASK_RUNNERS:
        return _task_runner(name, rest)
    first = next((text for text in rest if not text.startswith(("-", "+"))), "")
    if name in _SUBCOMMANDS:
        return _subcommand(name, first)
    if name in ("source", "."):
        return "event" if first.endswith(("activate", ".env", "rc", "profile")) else "unknown"
    if name in ("bash", "sh", "zsh") and rest[:1] == ["-n"]:
        return "build"
    if name in ("node", "deno", "tsx", "ts-node"):
        tests = "--test" in rest or rest[:1] == ["--check"]
        return _script(first) if not tests else "test" if "--test" in rest else "build"
    return _BY_NAME.get(name) or _script(words[0].text)


def _script(path: str) -> Kind:
    """A script may do anything, unless its name says that it tests."""
    name, _, suffix = basename(path).rpartition(".")
    return "test" if suffix == "sh" and target_kind(name) == "test" else "unknown"


def _subcommand(name: str, first: str) -> Kind:
    for found, verbs in _SUBCOMMANDS[name].items():
        if first in verbs:
            return found
    return "unknown"


def _python(rest: Sequence[str]) -> Kind:
    for at, text in enumerate(rest):
        if text == "-m" and at + 1 < len(rest):
            writes = rest[at + 1] == "json.tool" and len(rest) > at + 3
            return "unknown" if writes else _PYTHON_MODULES.get(rest[at + 1], "unknown")
        if not text.startswith("-"):
            tests = re.search(r"(?:^|/)(?:runtests|run_tests|manage)\.py$", text)
            return "test" if tests and (text[-9:] != "manage.py" or "test" in rest) else "unknown"
        if text == "-c":
            break
    return "unknown"


def _package_manager(name: str, rest: Sequence[str]) -> Kind:
    words = _without_options(rest, frozenset({"--filter", "-F", "--prefix", "-C", "--cwd", "-w"}))
    first, target = (*words, "", "")[:2]
    if first in ("test", "t", "tst"):
        return "test"
    if first in _TASK_WORDS or first == "workspace":
        if first == "workspace":
            return _package_manager(name, words[2:])
        if first in ("exec", "x"):
            return kind([Word(text) for text in words[1:]])
        return _package_script(target)
    found = _subcommand("npm", first)
    if found != "unknown" or name == "npm":
        return found
    if name == "bun" and first == "build":
        return "build"
    if first and not first.endswith((".js", ".ts")):
        inner = _BY_NAME.get(first)
        return inner if inner in ("test", "build") else _package_script(first)
    return "unknown"


def _package_script(script: str) -> Kind:
    """The kind of a script of a package: `check` alone is a build there, not a test."""
    return "build" if script in ("check", "check:types", "check:types") else target_kind(script)


def _task_runner(name: str, rest: Sequence[str]) -> Kind:
    words = _without_options(rest, frozenset({"-C", "-f", "-p", "-pl", "--project", "-j"}))
    words = [word for word in words if "=" not in word]
    while words and words[0] in _TASK_WORDS:
        words = words[1:]
    if not words:
        return "build" if name in _TASKLESS_BUILDS else "unknown"
    if name in ("mvn", "mvnw"):
        return "test" if {"test", "verify", "integration-test"} & set(words) else "build"
    targets = words if name in _TASKLESS_BUILDS else words[:1]
    kinds = [target_kind(word) for word in targets]
    if name == "mise" and words[0] in ("tasks", "ls", "install", "trust", "current", "which"):
        return "event"
    order: tuple[Kind, ...] = ("unknown", "test", "build", "event")
    return next(one for one in order if one in kinds)


def _without_options(rest: Sequence[str], valued: frozenset[str]) -> list[str]:
    words: list[str] = []
    skip = False
    for text in rest:
        if skip:
            skip = False
        elif text == "--":
            break
        elif text.startswith("-"):
            skip = text in valued
        else:
            words.append(text)
    return words
