"""What the resolution of JavaScript symbols can see of a file, by name."""

from msgspec.structs import asdict

from statetape.code.extract.javascript_shape import Source
from statetape.code.facts import Facts, differing

_BY_NAME = ("kinds", "imports", "exports", "classes", "returns", "values")


def changed(before: Facts, after: Facts) -> set[str]:
    """The names under which two states of a file differ.

    A name is a qualified one of a definition or value, a local one of an import, or that of an
    export; `name.` stands for whether anything is nested in it, `name:` for its own text, the
    empty name for the modules that are exported whole. `:` stands for all of a damaged file: there
    the parse of a definition can depend on the text of those nested in it.
    """
    return differing(_seen(before), _seen(after))


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
    texts = {f"{each.name}:": each.digest for each in facts.definitions if each.name}
    return {
        **named,
        **texts,
        "": shape["stars"],
        ":": facts.digest if facts.broken else None,
    }
