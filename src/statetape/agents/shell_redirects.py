"""Redirections: what of a command's output is shown, and what lands in a file."""

from collections.abc import Sequence

from statetape.agents.shell_calls import called
from statetape.agents.shell_line import Command, Group, Redirect
from statetape.agents.shell_place import Place
from statetape.agents.shell_reads import reads
from statetape.types import Action, Edit, Read, Run, Search

_WRITING = frozenset({">", ">>", ">|", "&>", "&>>"})


def redirected(part: Command | Group, done: Sequence[Action], place: Place) -> tuple[Action, ...]:
    """The actions of a command with those of its redirections.

    What goes into a file is not shown: reads and searches are gone, and the file has an edit, of
    known content where the command prints words that are known.
    """
    found = list(done)
    for redirect in part.redirects:
        if redirect.operator == "<":
            found += _input(part, redirect, place)
    for redirect in part.redirects:
        if redirect.operator not in _WRITING:
            continue
        is_output = redirect.descriptor in ("", "1")
        if is_output:
            found = [action for action in found if not isinstance(action, Read | Search)]
        path = place.path(redirect.target)
        if path is None:
            if redirect.target.kind != "literal":
                found.append(Run(part.text, "unknown"))
        elif not path.startswith("/dev/"):
            content = printed(part) if is_output else None
            found.append(Edit(path, content=content, append=redirect.operator.endswith(">>")))
    return tuple(found)


def _input(part: Command | Group, redirect: Redirect, place: Place) -> list[Action]:
    """What reading a file on the input adds."""
    call = called(part.words) if isinstance(part, Command) else None
    path = place.path(redirect.target)
    if call is None or path is None:
        return [Run(part.text, "query")]
    shown = reads(call.name, (*call.words, redirect.target), place)
    if shown is not None and reads(call.name, call.words, place) == ():
        return list(shown)
    return [Run(part.text, "query")] if call.name not in ("patch", "read") else []


def printed(part: Command | Group) -> str | None:
    """The text that a command prints, where its words alone say it."""
    if not isinstance(part, Command):
        return None
    call = called(part.words)
    if call is None or any(word.kind != "literal" for word in call.words):
        return None
    if call.name == "cat" and not call.words:
        given = part.given
        return given.text if given is not None and given.kind == "literal" else None
    if call.name in (":", "true"):
        return ""
    texts = [word.text for word in call.words]
    if call.name == "echo":
        return _echoed(texts)
    if call.name == "printf" and texts:
        return _formatted(texts)
    return None


def _echoed(texts: list[str]) -> str | None:
    ends = "\n"
    while texts and texts[0] in ("-n", "-e", "-E", "-ne", "-en"):
        if "e" in texts[0]:
            return None
        ends = "" if "n" in texts[0] else ends
        texts = texts[1:]
    text = " ".join(texts)
    return None if "\\" in text else text + ends  # shells differ on backslashes


def _formatted(texts: list[str]) -> str | None:
    form, values = texts[0], texts[1:]
    if form.startswith("-") or "\\" in form.replace("\\n", "").replace("\\t", ""):
        return None
    form = form.replace("\\n", "\n").replace("\\t", "\t")
    if form.count("%") != form.count("%s") or form.count("%s") != len(values):
        return None
    for value in values:
        form = form.replace("%s", value.replace("%", "\0"), 1)
    return form.replace("\0", "%")
