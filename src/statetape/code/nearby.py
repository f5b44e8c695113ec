"""Who calls a symbol, among files that are extracted already: the question extracts none."""

import re
from collections.abc import Mapping

from statetape.code.chosen import vendored
from statetape.code.graph import Graph
from statetape.code.sites import innermost
from statetape.types import Mark, SymbolId


def callers_nearby(symbol: SymbolId, graph: Graph, most: int) -> Mapping[SymbolId, Mark]:
    """Who calls or uses a symbol by its own name, in files that somebody looked into.

    Nothing where more than `most` symbols there say the name: to resolve them would take time.
    Costs a look-up for each file, a search of those that say the name, and at most so many
    resolutions (about 0.3 ms each).
    """
    container, _, name = symbol.name.rpartition(".")
    name = container.rpartition(".")[2] if container and name.startswith("__") else name
    if not name:
        return {}
    word = re.compile(rb"(?<![\w$])%b(?![\w$])" % re.escape(name.encode(errors="replace")))
    found: list[SymbolId] = []
    for facts in graph.extracted():
        if name not in facts.used or facts.generated or vendored(facts.path):
            continue
        data = graph.read(facts.path) or b""
        definitions = {definition.name: definition for definition in facts.definitions}
        places = [match.start() for match in word.finditer(data)]
        owners = dict.fromkeys(innermost(definitions, places))
        found += [SymbolId(facts.path, owner) for owner in owners]
        if len(found) > most:
            return {}
    marks = ((owner, graph.edges(owner)) for owner in found if owner != symbol)
    return {owner: edges[symbol] for owner, edges in marks if symbol in edges}
