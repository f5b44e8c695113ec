"""A command line as values: words, commands, groups and pipelines."""

from typing import Literal, NamedTuple


class Word(NamedTuple):
    """One word of a command after quoting is undone.

    A `glob` stands for the names that match its text; of an `unknown` word (an expansion, a
    substitution) only the shell knows the value, and the text is its source.
    """

    text: str
    kind: Literal["literal", "glob", "unknown"] = "literal"


class Redirect(NamedTuple):
    """A redirection to or from a file: its operator, its descriptor ("" by default), its target."""

    operator: str
    descriptor: str
    target: Word


class Command(NamedTuple):
    """One simple command.

    `given` is what a heredoc or a here-string puts on its input; its kind is unknown where it has
    expansions. `inner` are the substitutions that run to make up its words.
    """

    text: str
    words: tuple[Word, ...]
    redirects: tuple[Redirect, ...] = ()
    given: Word | None = None
    inner: tuple["Pipeline", ...] = ()


class Group(NamedTuple):
    """Commands that share their redirections: a loop, a conditional, braces, a subshell."""

    text: str
    body: tuple["Pipeline", ...]
    redirects: tuple[Redirect, ...] = ()
    given: Word | None = None
    subshell: bool = False


class Pipeline(NamedTuple):
    """Commands of which each reads what the one before it prints."""

    parts: tuple["Command | Group", ...]
