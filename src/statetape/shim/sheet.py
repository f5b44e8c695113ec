"""A request block by block: what each is, and how large in its model's own tokens."""

from collections.abc import Collection, Mapping, Sequence
from hashlib import blake2b
from typing import NamedTuple

from msgspec.structs import replace

from statetape.bargain import placed
from statetape.economics.fit import estimated, fitted
from statetape.economics.prices import Price
from statetape.economics.prompt import Block, Prompt
from statetape.session import Session
from statetape.types import Record, Slot, Usage
from statetape.wire.pieces import Piece, pieces, settings
from statetape.wire.reading import Reading

# Bytes of JSON for one token, where nothing better is known of a block.
_BYTES = 4


class Sheet(NamedTuple):
    """A request as its client made it. The first `known` blocks were in the one before.

    `sizes` are put right in place by what the provider reports. `places` tells in which block a
    slot stands.
    """

    pieces: tuple[Piece, ...]
    sizes: list[int]
    known: int
    places: Mapping[Slot, int]

    def prompt(self, reading: Reading, at: float) -> Prompt:
        """The request as a cache sees it; `at` is when it starts, in seconds."""
        blocks = tuple(
            Block(piece.digest, size, piece.ttl, piece.joined)
            for piece, size in zip(self.pieces, self.sizes, strict=True)
        )
        layers = [piece.layer for piece in self.pieces]
        tools, system = layers.count("tools"), layers.count("system")
        return Prompt(
            reading.model,
            at,
            blocks,
            tools,
            system,
            settings(reading),
            max(0, _marks(reading) - sum(piece.ttl > 0 for piece in self.pieces)),
        )

    def resized(self, prompt: Prompt, before: Sequence[int]) -> Prompt:
        """The prompt with each block as much larger as its size has grown since `before`.

        One whose text was changed follows in proportion, as far as it is the shorter one.
        """
        blocks = tuple(
            block._replace(tokens=block.tokens + _part(size - old, block.tokens, old))
            if size != old
            else block
            for block, size, old in zip(prompt.blocks, self.sizes, before, strict=True)
        )
        return replace(prompt, blocks=blocks)

    def fit_total(self, sent: Prompt, usage: Usage, sure: int = 0) -> Prompt:
        """The provider counted `sent`: what is new in it comes to what nobody had counted before.

        What stands behind the last breakpoint is counted apart, where there is one. Where nothing
        is new, the last block takes the difference. The first `sure` blocks are not new. Returned
        is `sent` with these sizes; where a new block has a text that was changed, the client's own
        is off by the same share.
        """
        marked = [n for n, block in enumerate(sent.blocks, 1) if block.ttl]
        end = marked[-1] if marked else len(sent.blocks)
        behind = usage.input if marked else 0
        known = max(self.known, sure)
        blocks = list(sent.blocks)
        for first, last, total in (
            (0, end, usage.prompt - behind),
            (end, len(sent.blocks), behind),
        ):
            new = range(max(first, min(known, last - 1)), last)
            now = [sent.blocks[n].tokens for n in new]
            fixed = sum(block.tokens for block in sent.blocks[first : max(first, new.start)])
            loose = [not self.pieces[n].slots for n in new]
            sizes = fitted(now, loose, total - fixed)
            for n, size, old in zip(new, sizes, now, strict=True):
                own = self.sizes[n]
                self.sizes[n] = round(own * size / old) if old else own + size
                blocks[n] = blocks[n]._replace(tokens=size)
        return replace(sent, blocks=tuple(blocks))

    def fit_prefix(self, count: int, tokens: int, ours: Collection[int]) -> None:
        """The provider read the first `count` blocks, which come to `tokens` more than reckoned.

        The largest of them whose text nobody has is as much larger, and the next blocks smaller:
        those first that were counted together with it, and of these the ones that are not `ours`,
        whose texts were changed.
        """
        loose = [n for n in range(count) if not self.pieces[n].slots]
        if not loose or count >= len(self.sizes):
            return
        largest = max(loose, key=lambda n: self.sizes[n])
        behind = sorted(range(count, len(self.sizes)), key=lambda n: (n >= self.known, n in ours))
        if tokens < 0:
            less = min(-tokens, self.sizes[largest])
            self.sizes[largest] -= less
            self.sizes[behind[0]] += less
            return
        for n in behind:
            part = min(tokens, self.sizes[n] // 2)
            self.sizes[n] -= part
            self.sizes[largest] += part
            tokens -= part


def _part(grown: int, tokens: int, whole: int) -> int:
    """By how much a text grows that has so many tokens, where a whole block has `grown`."""
    return round(grown * min(tokens, whole) / whole) if whole else grown


EMPTY = Sheet((), [], 0, {})


def laid(
    reading: Reading,
    before: Sheet,
    held: Mapping[Slot, Record],
    original: Mapping[Slot, int],
    price: Price,
) -> Sheet:
    """The blocks of a request with their sizes: those of the request `before` keep theirs.

    `original` are the cl100k tokens of the texts as the client sends them.
    """
    found = pieces(reading)
    pairs = zip(found, before.pieces, strict=False)
    other = (n for n, (one, two) in enumerate(pairs) if one.digest != two.digest)
    same = next(other, min(len(found), len(before.pieces)))
    sizes = before.sizes[:same]
    for piece in found[same:]:
        texts = [slot for slot in piece.slots if slot in original]
        size = sum(estimated(price, original[slot], held[slot].kind) for slot in texts)
        sizes.append(size if texts else round(piece.size / _BYTES * price.tokens_prose))
    places = {slot: n for n, piece in enumerate(found) for slot in piece.slots}
    return Sheet(found, sizes, same, places)


def maintained(
    prompt: Prompt, sheet: Sheet, session: Session, original: Mapping[Slot, int], price: Price
) -> Prompt:
    """The prompt with the texts that were changed as they are now, as large as is estimated.

    What was added to a result makes its block larger.
    """
    blocks = list(prompt.blocks)
    places = placed(sheet.places, session.ledger)
    for slot, change in session.ledger.items():
        at = places.get(slot)
        if at is None or slot not in original:
            continue
        record, block = session.held[slot], blocks[at]
        less = estimated(price, original[slot], record.kind)
        less -= estimated(price, record.tokens, record.kind)
        text = change.text.encode("utf-8", "surrogatepass")
        digest = blake2b(block.digest + text, digest_size=16).digest()
        blocks[at] = block._replace(digest=digest, tokens=max(0, block.tokens - less))
    return replace(prompt, blocks=tuple(blocks))


def changed(unmodified: Prompt, now: Prompt) -> frozenset[int]:
    """The blocks in which a request as it goes on differs from the one that came."""
    pairs = enumerate(zip(unmodified.blocks, now.blocks, strict=True))
    return frozenset(n for n, (one, two) in pairs if one.digest != two.digest)


def begun(prompt: Prompt, count: int, ttl: int) -> Prompt:
    """The first blocks of a prompt, with a breakpoint on the last one."""
    blocks = list(prompt.blocks[:count])
    blocks[-1] = blocks[-1]._replace(ttl=ttl)
    return replace(prompt, blocks=tuple(blocks))


def _marks(reading: Reading) -> int:
    """How many breakpoints of the Messages API a request has, at most: its texts have no quotes."""
    document = getattr(reading.places, "document", None)
    return document.data.count(b'"cache_control"') if document is not None else 0
