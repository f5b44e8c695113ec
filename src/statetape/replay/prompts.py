"""The requests of a recording as its provider's cache saw them, rebuilt from what was held.

What the log does not have (system prompt, tools, thinking) are opaque blocks, whose sizes follow
from what the provider reported.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from msgspec.structs import replace

from statetape.bargain import placed
from statetape.economics.fit import estimated, fitted
from statetape.economics.prices import Price
from statetape.economics.prompt import Block, Prompt
from statetape.replay.recording import Sent
from statetape.types import Record, Slot

_HOUR, _MINUTES = 3600, 300
# Seconds that entries outlast their time by the clock of a log: of 6 requests after 300 to 330 s
# all found theirs, of 8 after 330 to 410 s none.
_LATE = 30
# A prompt that is so much smaller than what is known to be in it: the client dropped something.
_DROPPED = 0.03
_LEAST = 3_000  # tokens


def _is_added(slot: Slot) -> bool:
    return slot.side == "added"


class Piece(NamedTuple):
    """A block of the rebuilt prompt: `estimate` tokens, `tokens` as they fit what was reported.

    `slot` None: text that the log does not have.
    """

    slot: Slot | None
    number: int
    tokens: int
    estimate: int = 0


class Prompts:
    """Follows the requests of one recording. `price` says how its model counts.

    `ttl`: for how many seconds the client's breakpoints write; None: as the log says; 0: it sets
    none.
    """

    def __init__(self, price: Price, ttl: int | None = None) -> None:
        self._price = price
        self._ttl = ttl
        self._own = _MINUTES
        self._at = 0.0
        self._pieces: list[Piece] = []
        self._slots: set[Slot] = set()
        self._gone: set[Slot] = set()
        self._sent = 0
        self._made = 0
        self._last: tuple[Sent, Prompt] | None = None
        self._places: dict[Slot, int] = {}
        self.shared = False

    @property
    def blocks(self) -> Mapping[Slot, int]:
        """In which block of the last prompt each slot stands."""
        return self._places

    @property
    def sent(self) -> int:
        """How many blocks of the last prompt stood in the one before it."""
        return self._sent

    def forget(self, slots: Iterable[Slot] | None) -> None:
        """The client dropped these slots; None: everything but its system prompt."""
        if slots is None:
            del self._pieces[1:]
            self._slots.clear()
            self._gone.clear()
            return
        gone = set(slots)
        self._slots -= gone
        self._keep([piece for piece in self._pieces if piece.slot not in gone])

    def prompt(self, sent: Sent, held: Mapping[Slot, Record]) -> Prompt:
        """The next request, as the client made it; `held` is what it carries of the log.

        Asked again about the same one, it says the same.
        """
        if self._last is None or self._last[0] is not sent:
            self._last = sent, self._rebuilt(sent, held)
            slots = enumerate(piece.slot for piece in self._pieces)
            self._places = {slot: n for n, slot in slots if slot is not None}
        return self._last[1]

    def opening(self, model: str) -> Prompt:
        """What other sessions keep in the provider's cache, if it is `shared`: the system prompt.

        What the first request read of the cache is read by every later one, however long the
        session has paused.
        """
        return self._prompt(model, self._at, self._pieces[:1])

    def changed(
        self,
        prompt: Prompt,
        now: Mapping[Slot, Record],
        slots: Iterable[Slot],
        *,
        bare: bool = False,
    ) -> Prompt:
        """The prompt with the texts of these slots as they are `now`.

        What was added to a result makes its block larger. `bare`: only their sizes, as if a cache
        could not tell.
        """
        blocks = list(prompt.blocks)
        slots = tuple(slots)
        places = placed(self._places, slots)
        if places is not self._places:
            slots = tuple(sorted(slots, key=_is_added))  # behind the text of its result
        for slot in slots:
            if (at := places.get(slot)) is None:
                continue
            record, piece, block = now[slot], self._pieces[at], blocks[at]
            tokens = estimated(self._price, record.tokens, record.kind)
            digest = b"%d:%d" % (hash((slot, record.text)), record.tokens)
            scale = piece.tokens / piece.estimate if piece.estimate else float(_is_added(slot))
            if _is_added(slot):
                tokens -= self._price.tokens_block
                digest = b"%b+%b" % (block.digest, digest)
            tokens = round(tokens * scale) + (block.tokens if _is_added(slot) else 0)
            blocks[at] = block._replace(digest=block.digest if bare else digest, tokens=tokens)
        return replace(prompt, blocks=tuple(blocks))

    def _rebuilt(self, sent: Sent, held: Mapping[Slot, Record]) -> Prompt:
        new = [record for slot, record in held.items() if slot not in self._slots]
        self._slots.update(record.slot for record in new)
        estimates = [estimated(self._price, record.tokens, record.kind) for record in new]
        sizes = estimates
        if sent.at is not None:
            self._at = sent.at
        if sent.usage is not None and sent.usage.prompt:
            written = sent.usage.cache_write_5m, sent.usage.cache_write_1h
            if any(written):
                self._own = _HOUR if written[1] > written[0] else _MINUTES
            self._open(sent, sum(sizes))
            self._drop(sent.usage.prompt, sum(sizes))
            self._shrink(sum(piece.tokens for piece in self._pieces) - sent.usage.prompt)
            rest = sent.usage.prompt - sum(piece.tokens for piece in self._pieces)
            sizes = fitted([0, *sizes], [True, *(False for _ in sizes)], rest)
            opaque, sizes = sizes[0], sizes[1:]
        else:
            self._open(sent, 0)
            opaque = 0
        self._sent = len(self._pieces)
        if opaque:
            self._add(None, opaque)
        for record, size, estimate in zip(new, sizes, estimates, strict=True):
            self._add(record.slot, size, estimate)
        return self._prompt(sent.model, self._at, self._pieces)

    def _open(self, sent: Sent, known: int) -> None:
        """The first block: what was read of the cache at first, else what is not in the log."""
        if self._pieces:
            return
        usage = sent.usage
        read = usage.cache_read if usage else 0
        self.shared = bool(read)
        self._add(None, read or max(0, (usage.prompt if usage else 0) - known))

    def _drop(self, prompt: int, new: int) -> None:
        """Clients drop results without a word: then the oldest are taken to be gone."""
        missing = sum(piece.tokens for piece in self._pieces) + new - prompt
        if missing <= max(_LEAST, _DROPPED * prompt):
            return
        kept = []
        for n, piece in enumerate(self._pieces):
            result = piece.slot is not None and piece.slot.side == "result"
            if missing > 0 and n and result:
                missing -= piece.tokens
                continue
            kept.append(piece)
        while missing > 0 and len(kept) > 1:
            missing -= kept.pop(1).tokens
        self._keep(kept)

    def _shrink(self, much: int) -> None:
        """What was there is less than was thought: the last blocks are, which were estimated."""
        at = len(self._pieces) - 1
        while much > 0 and at >= 0:
            piece = self._pieces[at]
            less = min(much, piece.tokens)
            self._pieces[at] = piece._replace(tokens=piece.tokens - less)
            much, at = much - less, at - 1

    def _keep(self, pieces: list[Piece]) -> None:
        self._pieces = pieces

    def _add(self, slot: Slot | None, tokens: int, estimate: int = 0) -> None:
        self._made += 1
        self._pieces.append(Piece(slot, self._made, tokens, estimate))

    def _prompt(self, model: str, at: float, pieces: Sequence[Piece]) -> Prompt:
        ttl = self._own if self._ttl is None else self._ttl
        ttl += _LATE if ttl else 0
        last = len(pieces) - 1
        blocks = tuple(
            Block(b"%d" % piece.number, piece.tokens, ttl if n in (0, last) else 0)
            for n, piece in enumerate(pieces)
        )
        return Prompt(model, at, blocks, system=1)
