"""Commands whose purpose is to change files, and which files they change."""

from collections.abc import Sequence
from typing import NamedTuple

from statetape.agents.diffs import edits as diff_edits
from statetape.agents.patch import edits as patch_edits
from statetape.agents.shell_git import moves, removals
from statetape.agents.shell_line import Command, Word
from statetape.agents.shell_place import Arguments, Place, arguments, basename, names
from statetape.agents.shell_runs import Kind
from statetape.types import Edit

# Options of `patch` and `git apply` that leave the meaning of a diff as it stands.
_PLAIN = names("- -p0 -p1 -s -N -u -v --verbose --silent --forward --recount --whitespace=nowarn")


class Written(NamedTuple):
    """The edits of a command. Its run is an event, unless it may write more than it names."""

    edits: tuple[Edit, ...]
    kind: Kind = "event"


def written(name: str, command: Command, words: Sequence[Word], place: Place) -> Written | None:
    """What a command writes, redirections apart; None where writing is not its purpose."""
    if name in ("apply_patch", "applypatch"):
        return _applied(command, words, place)
    if name in ("sed", "gsed"):
        return _sed_in_place(words, place)
    if name in ("perl", "ruby"):
        return _scripted_in_place(words, place)
    if name in ("mv", "cp", "rm", "unlink", "touch", "tee", "ln", "install", "truncate", "patch"):
        return _filing(name, command, words, place)
    if name in _OUTPUTS:
        return _output(name, words, place)
    manifest = _manifests(name, words, place)
    if manifest is not None:
        return manifest
    return _formatted(name, words, place)


def _named(operands: Sequence[Word], place: Place) -> Written:
    """Edits of unknown content for the files named; more may be written where one is no file."""
    paths = [place.path(word) for word in operands]
    plain = bool(paths) and all(path and "." in basename(path) for path in paths)
    kind: Kind = "event" if plain else "unknown"
    return Written(tuple(Edit(p) for p in paths if p and "." in basename(p)), kind)


def _applied(command: Command, words: Sequence[Word], place: Place) -> Written:
    given = command.given or next(iter(words), None)
    if given is None or given.kind != "literal":
        return Written((), "unknown")
    return Written(at_place(patch_edits(given.text), place))


def diffed(command: Command, words: Sequence[Word], place: Place) -> tuple[Edit, ...]:
    """The edits of `patch` or `git apply` where the diff stands in the command; () else.

    Options may mean another diff, other paths or the other direction: only a few plain ones do not.
    """
    given = command.given
    if given is None or given.kind != "literal" or any(w.text not in _PLAIN for w in words):
        return ()
    return at_place(diff_edits(given.text), place)


def at_place(edits: Sequence[Edit], place: Place) -> tuple[Edit, ...]:
    """Edits with repository paths, from paths as a patch spells them."""
    found: list[Edit] = []
    for edit in edits:
        path = place.path(Word(edit.path))
        moved = None if edit.moved_to is None else place.path(Word(edit.moved_to))
        if path is not None:
            found.append(
                Edit(
                    path,
                    content=edit.content,
                    absent=edit.absent,
                    moved_to=moved,
                    patch=edit.patch,
                )
            )
    return tuple(found)


def _sed_in_place(words: Sequence[Word], place: Place) -> Written | None:
    given = arguments(words, "efEl", ("expression", "file"))
    if not given.has("i", "in-place") and not any(w.text.startswith("-i") for w in words):
        return None
    operands = [word for word in given.operands if word.text]  # BSD: -i ''
    scripted = given.has("e", "expression", "f", "file")
    return _named(operands if scripted else operands[1:], place)


def _scripted_in_place(words: Sequence[Word], place: Place) -> Written | None:
    """`perl -pi -e SCRIPT FILE...`; any other script is unknown."""
    given = arguments(words, "e0IMm")
    if not given.has("i") or not given.has("e") or not given.has("p", "n"):
        return None
    return _named(given.operands, place)


def _filing(name: str, command: Command, words: Sequence[Word], place: Place) -> Written:
    if name == "mv":
        return Written(moves(arguments(words, "tS").operands, place))
    if name in ("rm", "unlink"):
        operands = arguments(words, "").operands
        removed = removals(operands, place)
        named = all(place.path(word) is not None for word in operands)
        return Written(removed, "event" if named else "unknown")
    if name == "touch":
        operands = arguments(words, "dtr").operands
        return Written(tuple(Edit(p, content="", append=True) for p in _paths(operands, place)))
    if name == "tee":
        given = arguments(words, "")
        content = None
        if command.given is not None and command.given.kind == "literal":
            content = command.given.text
        append = given.has("a", "append")
        found = (Edit(p, content=content, append=append) for p in _paths(given.operands, place))
        return Written(tuple(edit for edit in found if not edit.path.startswith("/dev/")))
    given = arguments(words, "tSsmogpi")
    if name == "patch":
        stated = diffed(command, words, place)
        if stated:
            return Written(stated)
        found_paths = _paths(given.operands[:1], place)
        return Written(tuple(Edit(path) for path in found_paths), "unknown")
    if name == "truncate":
        return _named(given.operands, place)
    return _copied(given, place)


# Commands that only print, unless an option names their output; the options with a value.
_OUTPUTS = {
    "sort": ("kStTo", ("o", "output")),
    "curl": ("odHXuAbceFmTwx", ("o", "output", "O", "remote-name", "J")),
    "wget": ("OoPUet", ("O", "output-document")),
    "yq": ("opI", ("i", "inplace")),
    "tree": ("LPIo", ("o",)),
}


def _output(name: str, words: Sequence[Word], place: Place) -> Written | None:
    valued, options = _OUTPUTS[name]
    given = arguments(words, valued, ("output", "output-document"))
    target = given.value(*options)
    if target is None or target.kind != "literal":
        return Written((), "unknown") if given.has(*options) or name == "wget" else None
    if target.text in ("-", "/dev/null", "/dev/stdout"):
        return None
    return Written(tuple(Edit(path) for path in _paths([target], place)))


def _copied(given: Arguments, place: Place) -> Written:
    """A copy or a link: the target's content is known only to the file system."""
    operands = given.operands
    if len(operands) < 2 or given.has("r", "R", "a", "recursive", "archive"):
        return Written((), "unknown")
    target = place.path(operands[-1])
    if target is None:
        return Written((), "unknown")
    if len(operands) > 2 or operands[-1].text.endswith("/"):
        folder = f"{target}/" if target else ""
        names = [basename(word.text) for word in operands[:-1] if word.kind == "literal"]
        return Written(tuple(Edit(folder + name) for name in names))
    return Written((Edit(target),), "event" if "." in basename(target) else "unknown")


def _paths(operands: Sequence[Word], place: Place) -> list[str]:
    return [path for word in operands if (path := place.path(word))]


# What a package manager rewrites, by its name.
_NODE_FILES = ("package.json",)
_MANIFESTS: dict[str, tuple[tuple[str, ...], frozenset[str]]] = {
    "npm": (
        (*_NODE_FILES, "package-lock.json"),
        names("install i add uninstall remove rm update up ci audit dedupe version"),
    ),
    "pnpm": (
        (*_NODE_FILES, "pnpm-lock.yaml"),
        names("install i add remove rm update up import dedupe"),
    ),
    "yarn": ((*_NODE_FILES, "yarn.lock"), names("install add remove upgrade up")),
    "bun": (
        (*_NODE_FILES, "bun.lock", "bun.lockb"),
        names("install i add remove rm update"),
    ),
    "go": (("go.mod", "go.sum"), frozenset({"get"})),
    "cargo": (("Cargo.toml", "Cargo.lock"), frozenset({"add", "remove", "rm", "update"})),
    "uv": (("pyproject.toml", "uv.lock"), frozenset({"add", "remove", "sync", "lock"})),
    "poetry": (
        ("pyproject.toml", "poetry.lock"),
        frozenset({"add", "remove", "install", "lock", "update"}),
    ),
    "pdm": (("pyproject.toml", "pdm.lock"), frozenset({"add", "remove", "update", "lock"})),
    "composer": (
        ("composer.json", "composer.lock"),
        frozenset({"require", "remove", "install", "update"}),
    ),
    "bundle": (("Gemfile", "Gemfile.lock"), frozenset({"add", "install", "update", "lock"})),
    "mix": (("mix.lock",), frozenset({"deps.get", "deps.update"})),
}
_NO_MANIFEST = frozenset({"--dry-run", "-g", "--global", "--frozen-lockfile", "--no-save"})


def _manifests(name: str, words: Sequence[Word], place: Place) -> Written | None:
    files, verbs = _MANIFESTS.get(name, ((), frozenset()))
    texts = [word.text for word in words]
    verb = next((text for text in texts if not text.startswith("-")), "")
    tidies = name == "go" and texts[:2] in (["mod", "tidy"], ["mod", "edit"], ["mod", "init"])
    if not files or (verb not in verbs and not tidies and not (name == "yarn" and not texts)):
        return None
    if _NO_MANIFEST & set(texts) or verb == "ci":
        return Written((), "event")
    paths = _paths([Word(file) for file in files], place)
    # Other packages of the repository may be meant, and install scripts run.
    return Written(tuple(Edit(path) for path in paths), "unknown" if name != "go" else "event")


# Formatters: options that make one only look, options it needs to write, options with a value.
_FORMATTERS: dict[str, tuple[frozenset[str], frozenset[str]]] = {
    "gofmt": (frozenset(), frozenset({"-w"})),
    "goimports": (frozenset(), frozenset({"-w"})),
    "gofumpt": (frozenset(), frozenset({"-w"})),
    "black": (frozenset({"--check", "--diff"}), frozenset()),
    "isort": (frozenset({"--check", "-c", "--check-only", "--diff"}), frozenset()),
    "autopep8": (frozenset(), frozenset({"-i", "--in-place"})),
    "yapf": (frozenset(), frozenset({"-i", "--in-place"})),
    "autoflake": (frozenset(), frozenset({"-i", "--in-place"})),
    "pyupgrade": (frozenset(), frozenset()),
    "prettier": (frozenset(), frozenset({"--write", "-w"})),
    "eslint": (frozenset(), frozenset({"--fix"})),
    "stylelint": (frozenset(), frozenset({"--fix"})),
    "oxfmt": (frozenset({"--check"}), frozenset()),
    "oxlint": (frozenset(), frozenset({"--fix"})),
    "rustfmt": (frozenset({"--check"}), frozenset()),
    "clang-format": (frozenset(), frozenset({"-i"})),
    "shfmt": (frozenset(), frozenset({"-w"})),
    "dprint": (frozenset({"check"}), frozenset({"fmt"})),
    "golangci-lint": (frozenset(), frozenset({"--fix", "fmt"})),
    "fieldalignment": (frozenset(), frozenset({"-fix", "--fix"})),
    "modernize": (frozenset(), frozenset({"-fix", "--fix"})),
    "markdownlint-cli2": (frozenset(), frozenset({"--fix"})),
    "biome": (frozenset(), frozenset({"--write", "--apply", "--fix", "--apply-unsafe"})),
    "ruff": (frozenset({"--check", "--diff"}), frozenset({"format", "--fix"})),
    "ultracite": (frozenset({"check"}), frozenset({"fix", "format"})),
    "ktlint": (frozenset(), frozenset({"-F", "--format"})),
    "swiftformat": (frozenset({"--lint"}), frozenset()),
    "terraform": (frozenset({"-check"}), frozenset({"fmt"})),
    "buf": (frozenset(), frozenset({"-w", "generate"})),
}
_VERBS = frozenset({"format", "check", "lint", "fmt", "run", "fix", "generate", "ci"})
_GENERATORS = names(
    "protoc sqlc stringer mockgen wire oapi-codegen gqlgen swag openapi-generator quicktype "
    "graphql-codegen prisma drizzle-kit alembic datamodel-codegen"
)


def _formatted(name: str, words: Sequence[Word], place: Place) -> Written | None:
    texts = {word.text for word in words}
    if name in _GENERATORS:
        return Written((), "unknown")
    if name in ("go", "cargo"):
        verb = next((word.text for word in words), "")
        writes = {"go": {"fmt", "generate", "fix"}, "cargo": {"fmt", "fix"}}[name]
        if verb in writes and not texts & {"--check"}:
            return Written((), "unknown")
        return Written((), "build") if verb == "fmt" else None  # `cargo fmt --check`
    if name not in _FORMATTERS:
        return None
    looking, needed = _FORMATTERS[name]
    if texts & looking or (needed and not texts & needed):
        return None
    given = arguments(words, "lecotrs", ("config", "line-length", "select", "parser", "rules"))
    return _named([word for word in given.operands if word.text not in _VERBS], place)
