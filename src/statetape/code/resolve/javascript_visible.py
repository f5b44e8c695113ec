"""What the resolution of JavaScript symbols can see of a file, by name."""

from msgspec.structs import asdict

from statetape.code.extract.javascript_shape import Source
from statetape.code.facts import Facts, differing
from statetape.code.resolve.javascript_flow import called, own_text

_BY_NAME = ("kinds", "imports", "exports", "classes", "returns", "values", "settled", "assigned")


def changed(before: Facts, after: Facts) -> set[str]:
    """The names under which two states of a file differ.

    A name is a qualified one of a definition or value, a local one of an import, or that of an
    export; `name.` stands for whether anything is nested in it, `name:` for its own text, `name()`
    for the calls of that name, the empty name for the modules that are exported whole, `!` for all
    of a damaged file.
    """
    old, new = _texts(before), _texts(after)
    texts = differing(old, new)
    calls = {
        f"{name}()"
        for text in texts
        for facts in (before, after)
        for name in _calls(facts, text.removesuffix(":"))
    }
    return differing(_seen(before), _seen(after)) | texts | calls


def visible(facts: Facts) -> dict[str, object]:
    """What there is to see, by name."""
    calls: dict[str, list[object]] = {}
    for each in facts.definitions:
        for name in _calls(facts, each.name):
            calls.setdefault(f"{name}()", []).append((each.name, each.digest, each.kind))
    return {**_seen(facts), **_texts(facts), **calls}


def _texts(facts: Facts) -> dict[str, object]:
    """The digests of the own texts, where nested definitions stand for their kinds, too."""
    return {f"{each.name}:": (each.digest, each.kind) for each in facts.definitions}


def _calls(facts: Facts, name: str) -> set[str]:
    if not isinstance(facts.detail, Source):
        return set()
    return called(own_text(facts.detail, name))


def _seen(facts: Facts) -> dict[str, object]:
    if not isinstance(facts.detail, Source):
        return {}
    shape = asdict(facts.detail.shape)
    named: dict[str, dict[str, object]] = {}
    for kind in _BY_NAME:
        for name, value in shape[kind].items():
            named.setdefault(name, {})[kind] = value
    for name in facts.detail.shape.holders:
        named.setdefault(name, {})["holds"] = True
    return {**named, "": shape["stars"], "!": facts.digest if facts.broken else None}
