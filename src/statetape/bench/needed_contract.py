"""G4, the contract: what an edited definition overrides or implements, and where it is listed."""

import ast
import re
from collections.abc import Iterator

from statetape.bench.bounds import is_source
from statetape.bench.definitions import Definition, is_python, parsed
from statetape.bench.mentions import bases, derived
from statetape.bench.moment import Moment, Wanted, region
from statetape.bench.needed_site import read, state_at
from statetape.bench.uses import AROUND
from statetape.types import Lines

_DEPTH = 4
"""How many bases of bases are looked through."""
_ABSTRACT = frozenset({"Protocol", "ABC", "ABCMeta"})
_LONGEST = 40
"""Lines of a collection that is a region as a whole; of a longer one those around the name."""
_SHORTEST = 3
"""Characters of a name that is looked for in collections."""
_FILES = 40
"""Files in which a name is looked for."""


def contracts(moment: Moment) -> Iterator[Wanted]:
    """The methods and interfaces that bind what the burst changes, and what lists its names."""
    every = dict.fromkeys([*moment.edited, *moment.made])
    concerned = [(path, each) for path, each in every if moment.stays(path)]
    state_at(moment, moment.tick)
    for path, each in concerned:
        if each.owner:
            yield from _overridden(moment, path, each.owner, each.own)
        elif each.kind == "class":
            yield from _implemented(moment, path, each.name)
    for path, each in concerned:
        if len(each.own) >= _SHORTEST:
            yield from _listed(moment, path, each)


def _overridden(moment: Moment, path: str, owner: str, method: str) -> Iterator[Wanted]:
    """The nearest method of that name in the bases of a class, and the interfaces it is of."""
    for where, base in _bases(moment, path, owner):
        found = moment.definition(where, f"{base.name}.{method}")
        if found is not None and is_source(where):
            yield region(where, found, "G4", f"{owner}.{method} overrides it")
            return


def _implemented(moment: Moment, path: str, name: str) -> Iterator[Wanted]:
    for where, base in _bases(moment, path, name):
        if is_source(where) and _is_abstract(moment, where, base):
            yield region(where, base, "G4", f"{name} implements it")


def _bases(moment: Moment, path: str, name: str) -> Iterator[tuple[str, Definition]]:
    """The bases of a class at the point, nearest first, each once."""
    waiting, seen = [(path, name, 0)], {(path, name)}
    while waiting:
        where, at, depth = waiting.pop(0)
        found = moment.definition(where, at)
        if found is None or depth == _DEPTH:
            continue
        for base_path, base in _stated(moment, where, found):
            if (base_path, base.name) not in seen:
                seen.add((base_path, base.name))
                yield base_path, base
                waiting.append((base_path, base.name, depth + 1))


def _stated(moment: Moment, path: str, found: Definition) -> Iterator[tuple[str, Definition]]:
    """The bases that a class states, where they are known."""
    state = moment.state(path)
    if not is_python(path):
        for name in derived(state.lines[found.first - 1]):
            yield from read(moment, path, name)
        return
    tree = parsed(state.text)
    for mention in bases(tree, state.text, found.first) if tree is not None else ():
        for target in moment.story.references.targets(path, mention.line, mention.column):
            base = moment.definition(target.path, target.name)
            if base is not None:
                yield target.path, base


def _is_abstract(moment: Moment, path: str, base: Definition) -> bool:
    """Whether a class says that it is an interface."""
    state = moment.state(path)
    if not is_python(path):
        words = state.lines[base.first - 1].split()
        return "interface" in words or "abstract" in words
    tree = parsed(state.text)
    stated = bases(tree, state.text, base.first) if tree is not None else ()
    text = "\n".join(state.lines[base.first - 1 : base.last])
    return any(each.name in _ABSTRACT for each in stated) or "@abstractmethod" in text


def _listed(moment: Moment, path: str, each: Definition) -> Iterator[Wanted]:
    """The collections of modules that have a text equal to the name."""
    quoted = re.compile(rf"""(["'`]){re.escape(each.own)}\1""")
    for where in _files(moment, path, each.own):
        lines = moment.state(where).lines
        hits = [at for at, line in enumerate(lines, 1) if quoted.search(line)]
        for found in moment.definitions(where) if hits else ():
            inside = [at for at in hits if found.first <= at <= found.last]
            if found.kind != "value" or found.own == "__all__" or not inside:
                continue
            if not _is_collection(where, lines[found.first - 1 : found.last]):
                continue
            whole = Lines(found.first, found.last)
            near = Lines(max(found.first, inside[0] - AROUND), min(found.last, inside[0] + AROUND))
            long = found.last - found.first >= _LONGEST
            reason = f"lists {each.own}"
            yield Wanted(where, near if long else whole, found.name, "G4", reason)


def _files(moment: Moment, path: str, word: str) -> list[str]:
    """The files in which a name may be listed: those of Python, or those that the agent reads."""
    if is_python(path):
        texts = moment.story.references.texts()
        found = [where for where, text in texts.items() if word in text]
    else:
        found = [where for where in moment.reads if word in moment.state(where).text]
    return sorted(where for where in found if is_source(where))[:_FILES]


def _is_collection(path: str, lines: tuple[str, ...]) -> bool:
    if not is_python(path):
        return any(mark in "\n".join(lines) for mark in "{[")
    tree = parsed("\n".join(line.lstrip() if at == 0 else line for at, line in enumerate(lines)))
    match tree:
        case ast.Module(body=[ast.Assign(value=value) | ast.AnnAssign(value=value)]):
            return isinstance(value, ast.Dict | ast.List | ast.Set | ast.Tuple | ast.Call)
    return False
