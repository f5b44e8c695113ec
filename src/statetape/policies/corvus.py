"""CORVUS: every file that the agent reads is shown as it is now, as a whole.

The paper's Appendix D: it "registers every file the agent reads and re-injects its current
contents on each request" (Zheng et al., 2026, arXiv:2607.22711); §2: "unconditionally,
whole-file, and for file reads alone". What differs here, where texts are replaced in their place:
the contents stand where the file was read last, not at the end of the request; they are put there
once the file has changed, for until then what was read is current; and reads of the file before
that one are dropped, so that it is shown once.
"""

from collections import defaultdict
from collections.abc import Generator, Iterator, Sequence

from statetape.context.asking import Ask, Reply
from statetape.context.settling import default_change, removal
from statetape.context.situation import Situation
from statetape.context.wording import outdated
from statetape.types import Nomination, Plan, Record, Replace, Slot, Symbols


def corvus(situation: Situation) -> Generator[Ask, Reply, Plan]:
    """Show each changed file as a whole where it was read last, and drop its other reads.

    A read of several files at once is refreshed as the default does: only the lines that it
    shows. Of a file that is gone, the tombstone says so. Searches and test results stay.
    """
    yield from ()
    nominated = {each.record.slot: each for each in situation.nominations}
    of_path: defaultdict[str, list[Record]] = defaultdict(list)
    found: dict[Slot, Replace] = {}
    for record in situation.results():
        if not isinstance(record.referent, Symbols) or record.written:
            continue
        if len(record.read) == 1:
            of_path[record.read[0]].append(record)
        elif record.read and record.slot in nominated:
            found[record.slot] = default_change(nominated[record.slot], situation)
    for path, reads in of_path.items():
        changed = [r for r in reads if _changed(r, path, nominated.get(r.slot), situation)]
        if not changed:
            continue
        if (whole := situation.whole(reads[-1])) is not None:
            found |= {change.slot: change for change in _shown_once(reads, whole, situation)}
        else:
            gone = (nominated[record.slot] for record in changed if record.slot in nominated)
            found |= {each.record.slot: removal(each, situation) for each in gone}
    return Plan(tuple(found[slot] for slot in situation.held if slot in found))


def _changed(record: Record, path: str, nominated: Nomination | None, situation: Situation) -> bool:
    """Whether the file has another text than the read was of, by the tape or by what it shows."""
    if nominated is not None and any(symbol.path == path for symbol in nominated.body):
        return True
    return situation.changed(path, record.born)


def _shown_once(reads: Sequence[Record], whole: Record, situation: Situation) -> Iterator[Replace]:
    *earlier, last = reads
    for record in earlier:
        yield Replace(record.slot, outdated(situation.title(record)), "drop")
    if _lines(last) != _lines(whole):
        yield Replace(last.slot, whole.text, "refresh")


def _lines(record: Record) -> list[str]:
    shown = record.referent.shown if isinstance(record.referent, Symbols) else ()
    return [part.text for part in shown]
