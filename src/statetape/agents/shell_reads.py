"""Commands that show files: which lines of which, or that it is no plain showing (None)."""

import re
from collections.abc import Callable, Sequence
from typing import Literal

from statetape.agents.shell_line import Word
from statetape.agents.shell_place import Place, arguments
from statetape.types import Read

Range = tuple[int | None, int | None]
_WHOLE: Range = (None, None)


def reads(name: str, words: Sequence[Word], place: Place) -> tuple[Read, ...] | None:
    """The reads of a command with file operands.

    Empty where it reads its input instead. None where its output is not whole lines of known
    files: a transformation, a glob, an unknown operand.
    """
    shape = _SHAPES.get(name)
    if shape is None:
        return None
    found = shape(words)
    if found is None:
        return None
    ranges, files = found
    paths = [place.path(word) for word in files if word.text != "-"]
    if len(paths) > 1 and any(first is not None for first, _ in ranges) and name in _JOINING:
        ranges = (_WHOLE,)  # its line numbers run through all files
    return (
        None
        if None in paths
        else tuple(
            Read(path, first, last) for path in paths if path is not None for first, last in ranges
        )
    )


def is_reader(name: str) -> bool:
    """Whether a command's purpose is to show files."""
    return name in _SHAPES


def unlike(name: str, words: Sequence[Word]) -> Literal["query", "unknown"]:
    """The kind of a reader that shows no plain lines: a script of `sed` or `awk` may also write."""
    form = _SED_WRITES if name.endswith("sed") else _AWK_WRITES if name.endswith("awk") else None
    writes = form is not None and any(form.search(word.text) for word in words[:4])
    writes = writes or any(word.text == "inplace" for word in words)
    return "unknown" if writes else "query"


def narrowed(name: str, words: Sequence[Word], read: Read) -> tuple[Read, ...] | None:
    """A read piped into a command that shows its input; None where that is not lines of it."""
    shape = _SHAPES.get(name)
    found = None if shape is None else shape(words)
    if found is None or any(word.text != "-" for word in found[1]):
        return None
    return tuple(_within(read, part) for part in found[0])


def _within(read: Read, part: Range) -> Read:
    first, last = part
    if read.first is None and read.last is not None:
        return Read(read.path)
    start = read.first or 1
    if first is None and last is None:
        return read
    begin = start + (first or 1) - 1
    end = None if last is None else start + last - 1
    if end is None or (read.last is not None and end > read.last):
        end = read.last
    return Read(read.path, begin, end)


Shape = tuple[Sequence[Range], tuple[Word, ...]] | None


def _cat(words: Sequence[Word]) -> Shape:
    given = arguments(words, "")
    return None if given.has("A", "v", "e", "t", "T", "E") else ((_WHOLE,), given.operands)


def _number(word: Word | None) -> int | None:
    text = "" if word is None or word.kind != "literal" else word.text
    return int(text) if text.isascii() and text.isdigit() and len(text) < 10 else None


def _head(words: Sequence[Word]) -> Shape:
    given = arguments(words, "nc", ("lines", "bytes"))
    if given.has("c", "bytes"):
        return None
    counted = given.value("n", "lines", "#")
    count = 10 if counted is None else _number(counted)
    return ((1, count) if count else _WHOLE,), given.operands


def _tail(words: Sequence[Word]) -> Shape:
    if words and words[0].text[:1] == "+":
        words = [Word("-n"), *words]
    given = arguments(words, "nc", ("lines", "bytes"))
    if given.has("c", "bytes", "f", "F", "follow"):
        return None
    value = given.value("n", "lines")
    if value is not None and value.text.startswith("+"):
        first = _number(value._replace(text=value.text[1:]))
        return ((first, None) if first else _WHOLE,), given.operands
    return (_WHOLE,), given.operands


def _nl(words: Sequence[Word]) -> Shape:
    return (_WHOLE,), arguments(words, "bdfhilnsvw").operands


def _bat(words: Sequence[Word]) -> Shape:
    given = arguments(words, "rlmH", ("line-range", "language", "style", "theme", "color", "wrap"))
    ranges = [_bat_range(word.text) for word in given.values("r", "line-range")]
    return ranges or (_WHOLE,), given.operands


def _bat_range(text: str) -> Range:
    first, colon, last = text.partition(":")
    begin, end = _number(Word(first)), _number(Word(last))
    return (begin, end if colon else begin) if begin or end else _WHOLE


def _pager(words: Sequence[Word]) -> Shape:
    return (_WHOLE,), arguments(words, "pPtxj").operands


def _sed(words: Sequence[Word]) -> Shape:
    """`sed -n` with commands that only print lines, and `sed Nq`."""
    given = arguments(words, "efEl", ("expression", "file"))
    if given.has("i", "in-place", "f", "file"):
        return None
    scripts = given.values("e", "expression")
    operands = given.operands
    if not scripts:
        scripts, operands = list(operands[:1]), operands[1:]
    if not scripts or any(script.kind == "unknown" for script in scripts):
        return None
    script = ";".join(script.text for script in scripts)
    quiet = given.has("n", "quiet", "silent")
    ranges = _printed(script) if quiet else _until_quit(script)
    return None if ranges is None else (ranges, operands)


_ADDRESS = r"(?:\d+|\$|/(?:[^/\\]|\\.)*/I?)"
_PRINT = re.compile(rf"\s*(?P<from>{_ADDRESS})?\s*(?:,\s*(?P<to>\+?{_ADDRESS}))?\s*p\s*")
_QUIT = re.compile(r"\s*(\d+|\$)q\s*")


def _printed(script: str) -> list[Range] | None:
    found: list[Range] = []
    for command in re.split(r"[;\n}{]", script) if "/" not in script else [script]:
        if not command.strip() or _QUIT.fullmatch(command):
            continue
        match = _PRINT.fullmatch(command)
        if match is None:
            return [_WHOLE] if _prints_by_pattern(script) else None
        found.append(_range(match["from"], match["to"]))
    return found or None


def _prints_by_pattern(script: str) -> bool:
    parts = re.split(r"(?<=p)\s*[;\n]", script)
    return all(_PRINT.fullmatch(part) for part in parts if part.strip())


def _range(start: str | None, end: str | None) -> Range:
    if start is None or start == "$" or start[0] == "/":
        return _WHOLE
    first = int(start[:9])
    if end is None:
        return first, first
    if end[0] == "+" and end[1:].isdigit():
        return first, first + int(end[1:10])
    return first, max(first, int(end[:9])) if end.isdigit() else None


def _until_quit(script: str) -> list[Range] | None:
    match = _QUIT.fullmatch(script)
    if match is not None:
        return [(1, int(match[1][:9])) if match[1] != "$" else _WHOLE]
    return [_WHOLE] if script.strip() in ("", "p") else None


_NR = r"F?NR"
_BETWEEN = re.compile(rf"{_NR}\s*(>=?)\s*(\d+)\s*&&\s*{_NR}\s*(<=?)\s*(\d+)")
_EXACT = re.compile(rf"{_NR}\s*==\s*(\d+)(?:\s*,\s*{_NR}\s*==\s*(\d+))?")
_BELOW = re.compile(rf"{_NR}\s*(<=?)\s*(\d+)")
_ABOVE = re.compile(rf"{_NR}\s*(>=?)\s*(\d+)")
_PATTERN = re.compile(r"/(?:[^/\\]|\\.)*/(?:\s*,\s*/(?:[^/\\]|\\.)*/)?")
# What still prints whole lines: nothing, `print`, and the line number in front of the line.
_PRINTS = re.compile(
    r"(?:\{\s*(?:print(?:\s+\$0)?|print\s+F?NR\s*(?:\"[^\"]*\"|\s)\s*\$0"
    r"|printf\s*\(?\s*\"[^\"]*%s\\n\"\s*,\s*F?NR\s*,\s*\$0\s*\)?)\s*;?\s*\})?"
)


def _awk(words: Sequence[Word]) -> Shape:
    """`awk` with a range of lines or a pattern, printing whole lines."""
    given = arguments(words, "Fvf", ("field-separator", "assign", "file"))
    if given.has("f", "file") or not given.operands or given.operands[0].kind == "unknown":
        return None
    program = given.operands[0].text.strip()
    for form in (_BETWEEN, _EXACT, _BELOW, _ABOVE, _PATTERN):
        match = form.match(program)
        if match is not None and _PRINTS.fullmatch(program[match.end() :].strip()):
            return (_awk_range(form, match),), given.operands[1:]
    return ((_WHOLE,), given.operands[1:]) if program and _PRINTS.fullmatch(program) else None


def _awk_range(form: re.Pattern[str], match: re.Match[str]) -> Range:
    if form is _PATTERN:
        return _WHOLE
    if form is _EXACT:
        return int(match[1][:9]), int((match[2] or match[1])[:9])
    if form is _BETWEEN:
        return int(match[2][:9]) + (match[1] == ">"), int(match[4][:9]) - (match[3] == "<")
    number = int(match[2][:9])
    return (1, number - (match[1] == "<")) if form is _BELOW else (number + (match[1] == ">"), None)


_SED_WRITES = re.compile(r"(?:^|[;{\d$/])\s*w\s+\S|/[gpI\d]*[we](?:\s+\S|$)")
_AWK_WRITES = re.compile(r"print[^;}]*[>|]|system\(")
# Commands whose line numbers run through all their files.
_JOINING = frozenset({"sed", "awk", "gawk", "mawk"})
_SHAPES: dict[str, Callable[[Sequence[Word]], Shape]] = {
    "cat": _cat,
    "head": _head,
    "tail": _tail,
    "nl": _nl,
    "bat": _bat,
    "batcat": _bat,
    "less": _pager,
    "more": _pager,
    "sed": _sed,
    "gsed": _sed,
    "awk": _awk,
    "gawk": _awk,
    "mawk": _awk,
}
