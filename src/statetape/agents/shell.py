"""What a shell command line does: reads, searches, edits and runs, in order."""

from collections.abc import Sequence
from itertools import pairwise
from typing import Literal

from msgspec.structs import replace

from statetape.agents.shell_calls import Called, called, script
from statetape.agents.shell_git import git_call, git_edits, git_kind, writes_only
from statetape.agents.shell_line import Command, Group, Pipeline, Word
from statetape.agents.shell_pipes import filtered, filters
from statetape.agents.shell_place import Place, arguments, names
from statetape.agents.shell_reads import is_reader, reads, unlike
from statetape.agents.shell_redirects import printed, redirected
from statetape.agents.shell_runs import kind
from statetape.agents.shell_searches import found, is_search, searches_input
from statetape.agents.shell_tests import steered, tests
from statetape.agents.shell_words import pipelines
from statetape.agents.shell_writes import diffed, written
from statetape.types import Action, Edit, Read, Run, Search

_DEEPEST = 8
# Commands that say nothing of the repository and change nothing: no action at all.
_SILENT = names(
    "echo printf true false : export set unset sleep wait read local shift return exit break "
    "continue test [ [[ trap umask ulimit declare typeset shopt pwd date"
)


def actions(command: str, cwd: str, root: str) -> tuple[tuple[Action, ...], str]:
    """What a command line does, in order, and the working directory that it leaves.

    `cwd` is a repository path, `root` the repository as the agent spells it. Reads and searches
    are what the output shows; a line that only reads or searches has no `Run`, any other has one
    for each part that ran, of the kind of that part. Never raises. Linear in the command.
    """
    shell = _Shell(root, cwd, 0)
    done = shell.ran(pipelines(command))
    if steered(command):
        done = tuple(replace(a, tests=()) if isinstance(a, Run) else a for a in done)
    runs = any(isinstance(action, Run) for action in done)
    if not runs and (not done or any(isinstance(action, Edit) for action in done)):
        done = (*done, Run(command, "event"))
    return done, shell.cwd if shell.cwd is not None else cwd


def purpose(command: str) -> Literal["read", "search", "run"]:
    """What a line starts out to do, by the name of its first command that is not silent."""
    for line in pipelines(command):
        first = line.parts[0]
        call = called(first.words) if isinstance(first, Command) else None
        inner = None if call is None else script(call)
        if inner is not None and inner.text != command:
            return purpose(inner.text)
        if call is None or call.name not in (*_SILENT, "cd", "pushd"):
            break
    else:
        return "run"
    if call is None or any(isinstance(part, Group) for part in line.parts):
        return "run"
    git = git_call(call.words, Place("/", "")).subcommand if call.name == "git" else ""
    if is_search(call.name) or git == "grep":
        return "search"
    return "read" if is_reader(call.name) else "run"


class _Shell:
    """A shell: its working directory changes as commands run."""

    def __init__(self, root: str, cwd: str | None, depth: int) -> None:
        self.root = root
        self.cwd = cwd
        self._depth = depth
        self._left: list[str | None] = []

    def ran(self, lines: Sequence[Pipeline]) -> tuple[Action, ...]:
        done: list[Action] = []
        for line in lines:
            done += self._piped(line)
        return tuple(done)

    def _piped(self, line: Pipeline) -> list[Action]:
        if len(line.parts) == 1:
            return list(self._part(line.parts[0]))
        text = " | ".join(part.text for part in line.parts)
        shown: list[Action] = list(self._subshell(line.parts[0]))
        for before, part in pairwise(line.parts):
            shown = _once(self._through(shown, _fed_words(before, part), text))
        return [replace(a, command=text) if isinstance(a, Run) else a for a in shown]

    def _through(self, shown: list[Action], part: Command | Group, text: str) -> list[Action]:
        """What is shown after a further part of a pipeline has read it."""
        call = called(part.words) if isinstance(part, Command) else None
        if call is not None and searches_input(call.name, call.words):
            kept = filtered(shown, call)
            return _claims(shown, text) if kept is None or _is_hidden(part) else list(kept)
        own = self._subshell(part)
        if call is None or not isinstance(part, Command):
            return [*_claims(shown, text), *own]
        if call.name == "xargs":
            return [*shown, *own] if _is_listing(shown) is None else self._fed(shown, call, text)
        edits = [action for action in own if isinstance(action, Edit)]
        if filters(call) and not any(isinstance(a, Read | Search) for a in own):
            kept = filtered(shown, call)
            hidden = _is_hidden(part)
            passed = _claims(shown, text) if kept is None else list(kept)
            return [*(a for a in passed if not hidden or isinstance(a, Run | Edit)), *edits]
        return [*_claims(shown, text), *own]

    def _fed(self, shown: Sequence[Action], call: Called, text: str) -> list[Action]:
        """A listing of names fed to a command by `xargs`."""
        words = arguments_of_xargs(call.words)
        inner = called(words)
        listing = _is_listing(shown)
        others = [action for action in shown if action is not listing]
        if inner is None or listing is None:
            return [*others, Run(text, "event" if inner is None else "unknown")]
        if is_search(inner.name):
            place = Place(self.root, "")
            search = found(inner.name, (*inner.words, Word("/"), Word("/")), place)
            if isinstance(search, Search):
                return [*others, _narrowed(search, listing)]
            return [*others, Run(text, "query")]
        if reads(inner.name, inner.words, Place(self.root, self.cwd)) is not None:
            return [*others, Run(text, "query")]
        own = kind(inner.all())
        return [*others, Run(text, own if own != "event" else "query")]

    def _subshell(self, part: Command | Group) -> tuple[Action, ...]:
        inner = _Shell(self.root, self.cwd, self._depth)
        return inner._part(part)

    def _part(self, part: Command | Group) -> tuple[Action, ...]:
        place = Place(self.root, self.cwd)
        if isinstance(part, Group):
            shell = _Shell(self.root, self.cwd, self._depth) if part.subshell else self
            done = shell.ran(part.body)
        else:
            inner = _Shell(self.root, self.cwd, self._depth).ran(part.inner)
            quiet = [a for a in inner if not isinstance(a, Run) or a.kind != "event"]
            done = (*_claims(quiet, part.text), *self._command(part))
        return redirected(part, done, place)

    def _command(self, command: Command) -> tuple[Action, ...]:
        call = called(command.words)
        if call is None:
            return (Run(command.text, "unknown"),) if command.words else ()
        line = script(call)
        if line is not None:
            return self._script(command, call, line)
        place = Place(self.root, self.cwd)
        if call.name in ("cd", "pushd", "popd", "chdir"):
            self._cd(call)
            return ()
        if call.name in _SILENT:
            return ()
        if call.name == "git":
            return self._git(command, call)
        if is_search(call.name):
            return self._search(command, call, place)
        effect = written(call.name, command, call.words, place)
        if effect is not None:
            # An edit needs no run of its own: the line has one, unless it may do more.
            runs = effect.kind != "event" or not effect.edits
            return (*effect.edits, *((Run(command.text, effect.kind),) if runs else ()))
        if call.name == "xargs":
            own = kind(called_words(arguments_of_xargs(call.words)))
            return (Run(command.text, own),)
        if is_reader(call.name):
            shown = reads(call.name, call.words, place)
            return (Run(command.text, unlike(call.name, call.words)),) if shown is None else shown
        own = kind(call.all())
        return (Run(command.text, own, tests(call, place) if own == "test" else ()),)

    def _script(self, command: Command, call: Called, line: Word) -> tuple[Action, ...]:
        if line.kind != "literal" or self._depth >= _DEEPEST:
            return (Run(command.text, "unknown"),)
        shell = self if call.name == "eval" else _Shell(self.root, self.cwd, self._depth + 1)
        return shell.ran(pipelines(line.text))

    def _cd(self, call: Called) -> None:
        operands = arguments(call.words, "").operands
        target = operands[0] if operands else Word("~")
        left = self._left[-1:] or [None]
        if call.name == "popd":
            self.cwd = self._left.pop() if self._left else None
            return
        self._left.append(self.cwd)
        self.cwd = left[0] if target.text == "-" else Place(self.root, self.cwd).path(target)

    def _git(self, command: Command, call: Called) -> tuple[Action, ...]:
        git = git_call(call.words, Place(self.root, self.cwd))
        if git.subcommand == "grep":
            search = found("git grep", git.words, git.place)
            return (search,) if isinstance(search, Search) else (Run(command.text, "query"),)
        stated = diffed(command, git.words, git.place) if git.subcommand == "apply" else ()
        if stated:
            return stated
        edits = git_edits(git)
        if writes_only(edits, git):
            return edits
        return (*edits, Run(command.text, git_kind(git)))

    def _search(self, command: Command, call: Called, place: Place) -> tuple[Action, ...]:
        search = found(call.name, call.words, place)
        if isinstance(search, Search | Read):
            return (search,)
        if search == "filter":
            return ()
        return (Run(command.text, search),)


def called_words(words: Sequence[Word]) -> tuple[Word, ...]:
    """The words of the command that really runs; empty where nobody can tell."""
    call = called(words)
    return () if call is None else call.all()


def _fed_words(before: Command | Group, part: Command | Group) -> Command | Group:
    """A part of a pipeline with what the one before prints, where its words say that."""
    text = printed(before) if part.given is None and not before.redirects else None
    return part if text is None else part._replace(given=Word(text))


def arguments_of_xargs(words: Sequence[Word]) -> tuple[Word, ...]:
    """The command after the options of `xargs`."""
    at = 0
    while at < len(words) and words[at].text.startswith("-"):
        at += 2 if words[at].text in ("-n", "-P", "-I", "-L", "-d", "-a", "-s", "-E") else 1
    return tuple(words[at:])


def _claims(shown: Sequence[Action], text: str) -> list[Action]:
    """Reads whose lines are no longer shown as they are have become claims of some other form."""
    found: list[Action] = [action for action in shown if not isinstance(action, Read)]
    return found if len(found) == len(shown) else [*found, Run(text, "query")]


def _is_listing(shown: Sequence[Action]) -> Search | None:
    lists = [a for a in shown if isinstance(a, Search)]
    return lists[0] if len(lists) == 1 else None


def _narrowed(search: Search, listing: Search) -> Search:
    """A search in the files that another one listed."""
    glob = listing.glob if listing.pattern is None else None
    return Search(search.pattern, listing.paths, glob, search.fixed, search.ignore_case)


def _is_hidden(part: Command | Group) -> bool:
    return any(
        redirect.descriptor in ("", "1") and redirect.operator in (">", ">>", "&>", "&>>", ">|")
        for redirect in part.redirects
    )


def _once(done: Sequence[Action]) -> list[Action]:
    """The actions with each run of one kind once: they are all of one pipeline."""
    kinds: set[str] = set()
    kept: list[Action] = []
    for action in done:
        if isinstance(action, Run):
            if action.kind in kinds:
                continue
            kinds.add(action.kind)
        kept.append(action)
    return kept
