"""G3, the blast radius: sites outside of the burst that have to stay consistent with it."""

import ast
import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from statetape.bench.bounds import is_source
from statetape.bench.definitions import Definition, definitions, enclosing, is_python, parsed
from statetape.bench.mentions import Mention, all_of
from statetape.bench.moment import Moment, Site, Wanted
from statetape.bench.needed_site import state_at
from statetape.bench.references import Target
from statetape.types import Lines

_MOST = 60
"""Places at which a name that has gone is looked up, and places within one later hunk's site."""


class Changed(NamedTuple):
    """A definition whose name, signature or contract the burst changes; `gone`: its name is."""

    path: str
    definition: Definition
    gone: bool


def radius(moment: Moment) -> Iterator[Wanted]:
    """The sites of later hunks that refer to what changes, and references that break."""
    changes = changed(moment)
    if not changes:
        return
    state_at(moment, moment.tick)
    own = {(site.path, site.lines) for site in moment.sites}
    later = dict.fromkeys(site for hunk in moment.later for site in moment.sites_of(hunk))
    for site in later:
        if (site.path, site.lines) in own:
            continue
        for change in changes:
            if _refers(moment, site, change):
                reason = f"uses {change.definition.name}, is edited later"
                name = site.definition.name if site.definition is not None else ""
                yield Wanted(site.path, site.lines, name, "G3", reason)
                break
    yield from _broken(moment, [change for change in changes if change.gone])


def changed(moment: Moment) -> tuple[Changed, ...]:
    """The definitions whose name, signature or contract differs after the burst."""
    found = []
    for path, definition in moment.edited:
        text = moment.after(path).text
        stays = moment.stays(path)
        after = [d for d in definitions(path, text) if stays and d.name == definition.name]
        before = _contract(path, moment.state(path).text, definition)
        if not after or all(_contract(path, text, each) != before for each in after):
            found.append(Changed(path, definition, not after))
    return tuple(found)


def _contract(path: str, text: str, definition: Definition) -> object:
    """What others rely on of a definition: of Python signature, raises and returns; or its head.

    The head of other languages ends with the line of the first brace. A value is all of it.
    """
    lines = text.split("\n")[definition.first - 1 : definition.head]
    tree = parsed(text) if is_python(path) else None
    node = _node(tree, definition) if tree is not None else None
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
        return _promises(node)
    if definition.kind == "function":
        ends = next((at for at, line in enumerate(lines) if "{" in line), 0)
        return tuple(line.strip() for line in lines[: ends + 1])
    return tuple(line.strip() for line in lines if line.strip())


def _node(tree: ast.Module, definition: Definition) -> ast.AST | None:
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            first = min([node.lineno, *(each.lineno for each in node.decorator_list)])
            if (first, node.name) == (definition.first, definition.own):
                return node
    return None


def _promises(node: ast.FunctionDef | ast.AsyncFunctionDef) -> tuple[object, ...]:
    raised, returned = set(), set()
    for each in ast.walk(node):
        match each:
            case ast.Raise(exc=ast.Call(func=error)) | ast.Raise(exc=error) if error is not None:
                raised.add(ast.dump(error))
            case ast.Return(value=value):
                returned.add("nothing" if value is None else type(value).__name__)
            case ast.Yield() | ast.YieldFrom():
                returned.add("yields")
    returns = node.returns and ast.dump(node.returns)
    decorators = tuple(ast.dump(each) for each in node.decorator_list)
    way = type(node).__name__
    return way, ast.dump(node.args), returns, decorators, frozenset(raised), frozenset(returned)


def _refers(moment: Moment, site: Site, change: Changed) -> bool:
    """Whether the lines of a site mention a definition, and mean it where that can be told."""
    if (site.path, site.definition) == (change.path, change.definition):
        return False
    lines = moment.state(site.path).lines[site.lines.first - 1 : site.lines.last]
    word = re.compile(rf"\b{re.escape(change.definition.own)}\b")
    if not any(word.search(line) for line in lines):
        return False
    if not is_python(site.path):
        return not is_python(change.path)
    return any(
        _means(moment, site.path, mention, change)
        for mention in _mentions(moment, site.path, change, site.lines)[:_MOST]
    )


def _mentions(moment: Moment, path: str, change: Changed, lines: Lines) -> Sequence[Mention]:
    every = frozenset(range(lines.first, lines.last + 1))
    return all_of(moment.state(path).text, change.definition.own, every)


def _means(moment: Moment, path: str, mention: Mention, change: Changed) -> bool:
    meant = Target(change.path, change.definition.name)
    found = moment.story.references.targets(path, mention.line, mention.column)
    return meant in found or Target(meant.path, f"{meant.name}.__init__") in found


def _broken(moment: Moment, gone: Sequence[Changed]) -> Iterator[Wanted]:
    """References to names that are gone, which nothing answers to after the burst."""
    held: list[tuple[str, Mention, Changed]] = []
    for change in gone:
        word = change.definition.own
        texts = moment.story.references.texts()
        for path in sorted(path for path, text in texts.items() if word in text):
            if is_source(path) and len(held) < _MOST:
                every = Lines(1, len(moment.state(path).lines))
                mentions = _mentions(moment, path, change, every)
                held += [(path, m, change) for m in mentions if _means(moment, path, m, change)]
    state_at(moment, moment.end)
    for path, mention, change in held[:_MOST]:
        number = moment.state(path).numbers[mention.line - 1]
        line = moment.after(path).places.get(number)
        if line is None or moment.story.references.targets(path, line, mention.column):
            continue
        around = enclosing(moment.definitions(path), mention.line, mention.line)
        if around is not None:
            last = around.last if around.kind != "class" else around.head
            reason = f"{change.definition.name} is gone"
            yield Wanted(path, Lines(around.first, last), around.name, "G3", reason)
