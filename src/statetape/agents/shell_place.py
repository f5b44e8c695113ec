"""Where a command runs, and its words told apart into options and operands."""

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from statetape.agents.paths import relative
from statetape.agents.shell_line import Word


class Place(NamedTuple):
    """The repository's root, and the working directory (None where nobody can tell)."""

    root: str
    cwd: str | None

    def path(self, word: Word) -> str | None:
        """The repository path of a word; None where it is not one known path."""
        if word.kind != "literal" or word.text in ("", "-"):
            return None
        anywhere = word.text.startswith(("/", "~")) or word.text[1:2] == ":"
        if self.cwd is None and not anywhere:
            return None
        return relative(word.text, self.root, self.cwd or "")

    def pattern(self, word: Word) -> str | None:
        """The same, for a word that may be a glob; the path then has its wildcards."""
        return self.path(word._replace(kind="literal") if word.kind == "glob" else word)


class Arguments(NamedTuple):
    """Options in order, each with its value or None, and operands.

    A short option is one letter, a number (`-20`) the option `#`; a long one has no dashes.
    """

    options: tuple[tuple[str, Word | None], ...]
    operands: tuple[Word, ...]

    def has(self, *names: str) -> bool:
        """Whether one of the options is given."""
        return any(name in names for name, _ in self.options)

    def value(self, *names: str) -> Word | None:
        """The value of the last of these options, None where none has one."""
        found = [value for name, value in self.options if name in names and value is not None]
        return found[-1] if found else None

    def values(self, *names: str) -> list[Word]:
        """The values of all of these options."""
        return [value for name, value in self.options if name in names and value is not None]


def arguments(words: Sequence[Word], valued: str, long_valued: Iterable[str] = ()) -> Arguments:
    """The words after a command's name.

    `valued` are the letters whose option takes a value (joined to it or the next word),
    `long_valued` the long names whose value is the next word (`--name=value` always counts).
    """
    long_names = frozenset(long_valued)
    options: list[tuple[str, Word | None]] = []
    operands: list[Word] = []
    rest = list(reversed(words))
    while rest:
        word = rest.pop()
        text = word.text
        if text == "--":
            operands += reversed(rest)
            break
        if text.startswith("--"):
            name, joined, value = text[2:].partition("=")
            takes_next = not joined and name in long_names and rest
            options.append((name, word._replace(text=value) if joined else None))
            if takes_next:
                options[-1] = (name, rest.pop())
        elif len(text) < 2 or text[0] != "-":
            operands.append(word)
        elif text[1:].isdigit():
            options.append(("#", Word(text[1:])))
        else:
            options += _cluster(word, valued, rest)
    return Arguments(tuple(options), tuple(operands))


def _cluster(word: Word, valued: str, rest: list[Word]) -> Iterator[tuple[str, Word | None]]:
    """The short options of one word; the value of the last may be the next of `rest`, reversed."""
    for index, letter in enumerate(word.text[1:], 2):
        if letter in valued:
            joined = word.text[index:]
            value = word._replace(text=joined) if joined else rest.pop() if rest else None
            yield letter, value
            return
        yield letter, None


def basename(path: str) -> str:
    """The last name of a path."""
    return path.replace("\\", "/").rstrip("/").rpartition("/")[2]


def names(text: str) -> frozenset[str]:
    """The words of a text: how the tables of commands are written."""
    return frozenset(text.split())
