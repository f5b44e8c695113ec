"""Supersede: a later read or write of a file drops the reads of it before.

After the plugins that prune contexts by what tools are called with: opencode-dcp drops calls that
were repeated, and the input of a write once the file is read; opencode-acp goes by file. Inputs
stay here. It looks at paths alone: an earlier read goes though the later one shows other lines, and
what another hand wrote is not noticed.
"""

from collections.abc import Generator

from statetape.context.asking import Ask, Reply
from statetape.context.situation import Situation
from statetape.context.wording import superseded
from statetape.types import Plan, Query, Record, Replace, Slot, Symbols


def supersede(situation: Situation) -> Generator[Ask, Reply, Plan]:
    """Drop every read of which all files were read or written by the agent later.

    Only what does nothing but read; the output of tests and searches stays. A later read that has
    shown nothing counts for nothing. A read that is no longer than its tombstone stays.
    """
    yield from ()
    standing = {record.slot for record in situation.results()}
    later: set[str] = set()
    found: list[Slot] = []
    results = [record for slot, record in situation.held.items() if slot.side == "result"]
    for record in reversed(results):
        if record.slot in standing and _only_reads(record) and later.issuperset(record.read):
            found.append(record.slot)
        later.update(record.written)
        if isinstance(record.referent, Symbols | Query):
            later.update(record.read)
    changes = []
    for slot in reversed(found):
        record = situation.held[slot]
        text = superseded(situation.title(record))
        if len(text) < len(record.text):
            changes.append(Replace(slot, text, "drop"))
    return Plan(tuple(changes))


def _only_reads(record: Record) -> bool:
    shows = isinstance(record.referent, Symbols)
    return shows and bool(record.read) and not record.written
