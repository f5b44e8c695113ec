"""Commands that search: what for, where, and whether the output lists whole lines or names."""

import re
from collections.abc import Sequence
from typing import Literal, NamedTuple

from statetape.agents.shell_line import Word
from statetape.agents.shell_place import Arguments, Place, arguments, names
from statetape.types import Read, Search

Found = Search | Read | Literal["query", "filter", "unknown"]


class _Tool(NamedTuple):
    """A search tool: its options that take a value, and those that make its claim another one.

    A count, a part of a line or silence is still a claim on the matches; the files without one
    are not, nor are matches of several lines or of patterns in a file.
    """

    valued: str
    long_valued: frozenset[str]
    recursive: bool
    other_claims: frozenset[str]
    basic: bool = False


_RG = _Tool(
    "efgtTABCmMjrEd",
    names(
        "regexp file glob iglob type type-not after-context before-context context max-count "
        "max-columns max-depth threads replace encoding sort sortr color colors engine "
        "max-filesize ignore-file path-separator type-add pre"
    ),
    recursive=True,
    other_claims=names("U multiline multiline-dotall f file files-without-match pre"),
)
_GREP = _Tool(
    "efABCmdD",
    names(
        "regexp file after-context before-context context max-count include exclude exclude-dir "
        "label binary-files devices directories color"
    ),
    recursive=False,
    other_claims=names("L files-without-match z null-data f file"),
    basic=True,
)
_AG = _Tool(
    "ABCGmpW",
    names("ignore ignore-dir depth file-search-regex"),
    recursive=True,
    other_claims=names("L"),
)
_TOOLS: dict[str, _Tool] = {
    "rg": _RG,
    "grep": _GREP,
    "egrep": _GREP._replace(basic=False),
    "fgrep": _GREP,
    "zgrep": _GREP,
    "ag": _AG,
    "ack": _AG,
    "git grep": _GREP._replace(recursive=True),
}


def is_search(name: str) -> bool:
    """Whether a command searches files or lists their names."""
    return name in _TOOLS or name in _LISTINGS


def found(name: str, words: Sequence[Word], place: Place) -> Found:
    """What a search command shows.

    `filter`: it reads its input. `query`: a claim on files that is not one of matches or names.
    `unknown`: it does more than search.
    """
    if name in _LISTINGS:
        return _listed(name, words, place)
    tool = _TOOLS[name]
    given = arguments(words, tool.valued, tool.long_valued)
    if name == "rg" and given.has("files"):
        paths = _paths(given.operands, place)
        return "query" if paths is None else Search(None, paths, _glob(given))
    patterns = given.values("e", "regexp")
    operands = given.operands
    if not patterns and not given.has("f", "file"):
        patterns, operands = list(operands[:1]), operands[1:]
    recursive = tool.recursive or given.has("r", "R", "recursive")
    if not operands and not recursive:
        return "filter"
    paths = _paths(operands, place)
    search = _search(name, given, patterns, paths)
    if search is None or paths is None or given.has(*tool.other_claims):
        return "query"
    if given.has("v", "invert-match"):
        lone = len(paths) == 1 and not recursive
        return Read(paths[0]) if lone else "query"
    return search


def searches_input(name: str, words: Sequence[Word]) -> bool:
    """Whether a search command in a pipeline has nothing but its input to search."""
    tool = _TOOLS.get(name)
    if tool is None:
        return False
    given = arguments(words, tool.valued, tool.long_valued)
    patterns = 0 if given.has("e", "regexp", "f", "file") else 1
    recursive = given.has("r", "R", "recursive", "files") or name == "git grep"
    return not recursive and all(word.text == "-" for word in given.operands[patterns:])


def matches_lines(name: str, words: Sequence[Word]) -> bool:
    """Whether a search command that reads its input passes whole lines on."""
    tool = _TOOLS.get(name)
    if tool is None:
        return False
    given = arguments(words, tool.valued, tool.long_valued)
    return not given.has("c", "count", "o", "only-matching", "q", "quiet")


def _paths(operands: Sequence[Word], place: Place) -> tuple[str, ...] | None:
    """Paths to search; everywhere is the working directory. None where one is unknown."""
    if not operands:
        return None if place.cwd is None else ((place.cwd,) if place.cwd else ())
    paths = [place.pattern(word) for word in operands if word.text != "-"]
    if any(path is None for path in paths):
        return None
    return () if "" in paths else tuple(path for path in paths if path)


def _search(
    name: str, given: Arguments, patterns: Sequence[Word], paths: tuple[str, ...] | None
) -> Search | None:
    if not patterns or any(word.kind == "unknown" for word in patterns):
        return None
    fixed = name == "fgrep" or given.has("F", "fixed-strings", "Q", "literal")
    basic = _TOOLS[name].basic and not given.has("E", "extended-regexp", "P", "perl-regexp")
    texts = [line for word in patterns for line in word.text.split("\n")]
    smart = name == "ag" or (name == "rg" and given.has("S", "smart-case"))
    ignore = given.has("i", "ignore-case") or (smart and not any(map(_has_upper, texts)))
    whole = given.has("w", "word-regexp", "x", "line-regexp")
    if fixed and len(texts) == 1 and not whole:
        return Search(texts[0], paths or (), _glob(given), fixed=True, ignore_case=ignore)
    texts = [re.escape(t) if fixed else _pattern(t, basic=basic) for t in texts]
    pattern = texts[0] if len(texts) == 1 else "|".join(f"(?:{text})" for text in texts)
    if given.has("w", "word-regexp"):
        pattern = rf"\b(?:{pattern})\b"
    elif given.has("x", "line-regexp"):
        pattern = f"^(?:{pattern})$"
    return Search(pattern, paths or (), _glob(given), ignore_case=ignore)


def _has_upper(text: str) -> bool:
    return text != text.lower()


def _glob(given: Arguments) -> str | None:
    """The one glob that files have to match; None where there is none, or several."""
    globs = [
        word.text
        for word in given.values("g", "glob", "iglob", "include")
        if word.kind != "unknown" and not word.text.startswith("!")
    ]
    if len(globs) == 1:
        return globs[0]
    types = [word.text for word in given.values("t", "type")]
    return _TYPE_GLOBS.get(types[0]) if len(types) == 1 and not globs else None


_TYPE_GLOBS = {
    "go": "*.go",
    "rust": "*.rs",
    "rs": "*.rs",
    "java": "*.java",
    "css": "*.css",
    "ruby": "*.rb",
}
_CLASSES = {
    "[:space:]": r"\s",
    "[:blank:]": r" \t",
    "[:digit:]": "0-9",
    "[:alpha:]": "a-zA-Z",
    "[:alnum:]": "a-zA-Z0-9",
    "[:upper:]": "A-Z",
    "[:lower:]": "a-z",
    "[:punct:]": r"!-/:-@\[-`{-~",
    "[:xdigit:]": "0-9a-fA-F",
}


def _pattern(pattern: str, *, basic: bool) -> str:
    """A pattern in the syntax of Python, near enough: POSIX classes, and what grep escapes."""
    for name, members in _CLASSES.items():
        pattern = pattern.replace(name, members)
    if not basic:
        return pattern
    out: list[str] = []
    inside = escaped = False
    for character in pattern:
        if escaped:
            bound = character in "<>"
            out.append(
                r"\b" if bound else character if character in "|(){}+?" else "\\" + character
            )
            escaped = False
        elif character == "\\" and not inside:
            escaped = True
        else:
            inside = character == "[" or (inside and character != "]")
            out.append("\\" + character if character in "|(){}+?" and not inside else character)
    return "".join(out)


_LISTINGS = frozenset({"find", "fd", "fdfind", "ls", "tree", "eza", "exa"})
_FIND_PLAIN = names(
    "type maxdepth mindepth print print0 o or a and not prune L H P E follow xdev mount"
)
_FIND_NAMES = frozenset({"name", "iname", "path", "ipath", "wholename", "regex", "iregex"})


def _listed(name: str, words: Sequence[Word], place: Place) -> Found:
    if name == "find":
        return _find(words, place)
    if name in ("fd", "fdfind"):
        given = arguments(
            words, "etdExXjcSo", ("extension", "type", "max-depth", "exclude", "exec")
        )
        if given.has("x", "X", "exec", "exec-batch"):
            return "unknown"
        paths = _paths(given.operands[1:], place)
        extension = given.value("e", "extension")
        glob = None if extension is None else f"*.{extension.text}"
        return "query" if paths is None else Search(None, paths, glob)
    if name == "tree":
        given = arguments(words, "LPIo", ("filelimit",))
        long = given.has("s", "h", "D", "du")
    else:
        given = arguments(words, "IwT", ("color", "ignore", "sort", "level"))
        long = given.has("l", "s", "t", "S", "o", "g", "n", "long", "size")
    paths = _paths(given.operands, place)
    return "query" if long or paths is None else Search(None, paths)


def _find(words: Sequence[Word], place: Place) -> Found:
    """`find`: a listing by name; anything that runs a command or looks at more than names."""
    starts = 0
    while starts < len(words) and words[starts].text[:1] not in ("-", "(", "!"):
        starts += 1
    globs: list[str] = []
    plain = True
    for at in range(starts, len(words)):
        text = words[at].text
        if text[:1] != "-" or (at and words[at - 1].text.lstrip("-") in _FIND_NAMES):
            continue
        option = text[1:]
        if option in ("exec", "execdir", "ok"):
            return _find_exec(words[at + 1 :], words[:starts], place)
        if option == "delete" or option.startswith(("fprint", "fls")):
            return "unknown"
        if option in _FIND_NAMES and at + 1 < len(words):
            globs.append(words[at + 1].text)
        elif option not in _FIND_PLAIN:
            plain = False
    paths = _paths(words[:starts], place)
    negated = any(word.text in ("-not", "!", "-o", "-or") for word in words)
    glob = globs[0] if len(globs) == 1 and not negated and "/" not in globs[0] else None
    return Search(None, paths, glob) if plain and paths is not None else "query"


def _find_exec(words: Sequence[Word], roots: Sequence[Word], place: Place) -> Found:
    name = words[0].text if words else ""
    end = next((at for at, word in enumerate(words) if word.text in (";", "+")), len(words))
    body = [word for word in words[1:end] if word.text != "{}"]
    if name in _TOOLS:
        tool = found(name, [*body, *(roots or [Word(".")])], place)
        return tool if isinstance(tool, Search) else "query"
    plain = {"cat", "head", "tail", "wc", "ls", "stat", "file", "sha256sum", "md5sum", "echo"}
    return "query" if name in plain else "unknown"
