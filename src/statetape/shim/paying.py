"""What the requests of one conversation cost, and what of a plan pays."""

from collections.abc import Mapping, Sequence
from hashlib import blake2b
from typing import Literal, NamedTuple

from msgspec.structs import replace

from statetape.bargain import Request, bargained
from statetape.economics.account import Account, Decision, Paid, marked
from statetape.economics.fit import estimated, fitted
from statetape.economics.lifetimes import Lifetimes, Ttl, timed
from statetape.economics.prompt import Block, Prompt
from statetape.session import Session
from statetape.types import Plan, Record, Slot, Usage
from statetape.wire.pieces import Piece, pieces, settings
from statetape.wire.raw import Path
from statetape.wire.reading import Reading

# Bytes of JSON for one token, where nothing better is known of a block.
_BYTES = 4


class _Sheet(NamedTuple):
    """One request, block by block: what each is and how large, as the client made it."""

    pieces: tuple[Piece, ...]
    sizes: list[int]
    known: int
    places: Mapping[Slot, int]


class Payer:
    """Follows the requests of one conversation: decides what pays, and reckons what was paid.

    Not thread-safe: one request at a time, as its conversation.
    """

    def __init__(
        self,
        account: Account,
        *,
        ttl: Ttl | Literal["client", "auto"],
        idle: float | None,
        observe: bool,
    ) -> None:
        """`ttl`: how long entries live, in seconds; as the client says, or as its pauses suggest.

        `idle`: seconds since a request of this conversation was answered last, None: not known.
        `observe`: requests go on as they came, whatever is decided.
        """
        self.account = account
        self._ttl = ttl
        self._idle = idle
        self._observe = observe
        explicit = account.price.caching == "explicit" and not account.price.implicit
        self._lifetimes = Lifetimes(account.price) if explicit else None
        self.lives: Mapping[Ttl, float] = {}
        self.decision = Decision()
        self.paid: Paid | None = None
        self._sheet = _Sheet((), [], 0, {})
        self.rewritten = 0
        self._request = Request(Prompt("", 0.0, ()), Prompt("", 0.0, ()), 0, {})
        self._asked: tuple[Prompt, Prompt] | None = None

    @property
    def ttl(self) -> Ttl | None:
        """The life that the breakpoints of the next request get; None: the client's own."""
        if self._lifetimes is None or self._ttl == "client":
            return None
        if self._ttl == "auto":
            return self._lifetimes.better if self.account.requests else None
        return self._ttl

    def open(
        self, reading: Reading, at: float, session: Session, original: Mapping[Slot, int]
    ) -> None:
        """A request comes; nothing more of it is changed yet.

        `at` is now, in seconds; `original` are the cl100k tokens of the texts as the client sends
        them. What was held before is taken to be as large as it was reckoned to be then.
        """
        self._sheet = self._laid(reading, session.held, original)
        unmodified = self._prompt(reading, at)
        ttl = self.ttl
        base = unmodified if ttl is None else timed(unmodified, ttl)
        prompt = self._now(base, session, original)
        if not self.account.requests:
            self._resume(unmodified, prompt, reading)
        sent = _sent(reading, self._sheet.pieces)
        self._request = Request(unmodified, prompt, sent, self._sheet.places)

    def chosen(self, plan: Plan, session: Session) -> Plan:
        """What of a plan is carried out now."""
        plan, self.decision = bargained(plan, self._request, self.account, session)
        return plan

    def closed(self, session: Session, original: Mapping[Slot, int]) -> Mapping[Path, int]:
        """The request is ready; where breakpoints are to be set, with their ttl in seconds."""
        unmodified, before, _, _ = self._request
        ttl = self.ttl
        now = self._now(unmodified if ttl is None else timed(unmodified, ttl), session, original)
        anchor = self.decision.anchor
        if anchor and not self._sheet.pieces[anchor - 1].markable:
            anchor = 0
        now = marked(now, anchor)
        self._asked = unmodified, now
        self.rewritten = 0
        if self.decision.changes:
            lost = self.account.read(before) - self.account.read(now)
            self.rewritten = max(0, lost)
        return {self._sheet.pieces[anchor - 1].path: now.blocks[anchor - 1].ttl} if anchor else {}

    def answered(self, usage: Usage | None) -> Paid | None:
        """The answer has come; `usage` as the provider reports it, None where it does not.

        What is reckoned of the request and of the unmodified one, None where none was asked.
        """
        if self._asked is None:
            return None
        unmodified, now = self._asked
        self._asked = None
        if usage is not None and usage.prompt:
            unmodified, now = self._fit(unmodified, now, usage.prompt)
        if self._lifetimes is not None:
            self.lives = self._lifetimes.answered(unmodified)
        self.paid = self.account.answered(unmodified, now)
        return self.paid

    def _laid(
        self, reading: Reading, held: Mapping[Slot, Record], original: Mapping[Slot, int]
    ) -> _Sheet:
        """The blocks with their sizes: those of the last request keep theirs."""
        found = pieces(reading)
        before = self._sheet
        pairs = zip(found, before.pieces, strict=False)
        other = (n for n, (one, two) in enumerate(pairs) if one.digest != two.digest)
        same = next(other, min(len(found), len(before.pieces)))
        sizes = before.sizes[:same]
        price = self.account.price
        for piece in found[same:]:
            texts = [slot for slot in piece.slots if slot in original]
            size = sum(estimated(price, original[slot], held[slot].kind) for slot in texts)
            sizes.append(size if texts else round(piece.size / _BYTES * price.tokens_prose))
        places = {slot: n for n, piece in enumerate(found) for slot in piece.slots}
        return _Sheet(found, sizes, same, places)

    def _prompt(self, reading: Reading, at: float) -> Prompt:
        blocks = tuple(
            Block(piece.digest, size, piece.ttl, piece.joined)
            for piece, size in zip(self._sheet.pieces, self._sheet.sizes, strict=True)
        )
        layers = [piece.layer for piece in self._sheet.pieces]
        return Prompt(
            reading.model,
            at,
            blocks,
            layers.count("tools"),
            layers.count("system"),
            settings(reading),
        )

    def _now(self, prompt: Prompt, session: Session, original: Mapping[Slot, int]) -> Prompt:
        """The prompt with the texts that were changed as they are now."""
        blocks = list(prompt.blocks)
        price = self.account.price
        for slot, change in session.ledger.items():
            at = self._sheet.places.get(slot)
            if at is None or slot not in original:
                continue
            record, block = session.held[slot], blocks[at]
            less = estimated(price, original[slot], record.kind)
            less -= estimated(price, record.tokens, record.kind)
            text = change.text.encode("utf-8", "surrogatepass")
            digest = blake2b(block.digest + text, digest_size=16).digest()
            blocks[at] = block._replace(digest=digest, tokens=max(0, block.tokens - less))
        return replace(prompt, blocks=tuple(blocks))

    def _resume(self, unmodified: Prompt, prompt: Prompt, reading: Reading) -> None:
        """A conversation that went on before we knew of it: its past may be in the cache.

        To take a warm cache for a cold one would cost what the whole cache is worth, so it is
        taken to be warm, unless we know that nothing was sent for longer than entries live.
        """
        sent = _sent(reading, self._sheet.pieces)
        messages = unmodified.tools + unmodified.system
        if sent <= messages:
            return
        ttl = max((block.ttl for block in unmodified.blocks), default=0)
        if self._idle is not None and self._idle > ttl:
            return
        begun = _cut(unmodified, sent, ttl)
        self.account.warm(begun, _cut(prompt, sent, ttl))
        if self._lifetimes is not None:
            self._lifetimes.warm(begun)

    def _fit(self, unmodified: Prompt, now: Prompt, total: int) -> tuple[Prompt, Prompt]:
        """Both prompts with the sizes of what is new put right by what the provider counted."""
        sheet = self._sheet
        same = [
            one.digest == two.digest for one, two in zip(unmodified.blocks, now.blocks, strict=True)
        ]
        new = [n for n in range(sheet.known, len(sheet.sizes)) if same[n]]
        sent = unmodified if self._observe else now
        fixed = set(range(len(sent.blocks))).difference(new)
        rest = total - sum(sent.blocks[n].tokens for n in fixed)
        loose = [not sheet.pieces[n].slots for n in new]
        for n, size in zip(new, fitted([sheet.sizes[n] for n in new], loose, rest), strict=True):
            sheet.sizes[n] = size
        return _sized(unmodified, sheet.sizes, new), _sized(now, sheet.sizes, new)


def _sent(reading: Reading, found: Sequence[Piece]) -> int:
    """How many blocks were in requests before: all up to what the model said last."""
    spoken = [
        n
        for n, element in enumerate(getattr(reading.places, "understood", ()))
        if any(turn.role == "assistant" for turn in element.turns)
    ]
    last = spoken[-1] if spoken else -1
    sent = 0
    for n, piece in enumerate(found, 1):
        at = piece.path[1] if len(piece.path) > 1 else last + 1
        if piece.layer != "message" or (isinstance(at, int) and at <= last):
            sent = n
    return sent


def _cut(prompt: Prompt, count: int, ttl: int) -> Prompt:
    """The first blocks of a prompt, with a breakpoint on the last one."""
    blocks = list(prompt.blocks[:count])
    blocks[-1] = blocks[-1]._replace(ttl=ttl)
    return replace(prompt, blocks=tuple(blocks))


def _sized(prompt: Prompt, sizes: Sequence[int], which: Sequence[int]) -> Prompt:
    blocks = list(prompt.blocks)
    for n in which:
        blocks[n] = blocks[n]._replace(tokens=sizes[n])
    return replace(prompt, blocks=tuple(blocks))
