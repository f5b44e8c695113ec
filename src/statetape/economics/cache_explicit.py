"""A prompt cache whose entries end at breakpoints: Anthropic's, and OpenAI's from GPT-5.6 on."""

from itertools import compress, count
from typing import NamedTuple

from statetape.economics.cache_rules import HOUR, Mark, Rules, marks
from statetape.economics.prefixes import Prefixes, prefixes
from statetape.economics.prompt import Prompt
from statetape.types import Usage

_MANY = 4096
"""Entries, from which on the dead ones are forgotten; a request leaves one to four."""


class Held(NamedTuple):
    """An entry: until when it lives (seconds), and for how long each use lets it live."""

    until: float
    ttl: int


class _Plan(NamedTuple):
    """What a request does: it reads its first `hit` blocks and writes at the `written` marks."""

    usage: Usage
    hit: int = 0
    refreshed: tuple[int, ...] = ()
    written: tuple[Mark, ...] = ()


class Explicit:
    """What one provider's cache holds, as far as the requests told of here have put it there.

    *Read* is the longest prefix with a living entry that a breakpoint finds in its lookback, one
    position for a block and those `joined` to it. *Written* are the breakpoints behind it. An
    entry lives, to the second, for its ttl after the start of the request that wrote it or
    refreshed it last.

    *A read refreshes* the entry hit, and the entries exactly at this request's other breakpoints
    within what was read, each for its own ttl. The documents say that use refreshes, and those
    are the entries that the request names. Entries further inside are part of the same bytes, but
    nothing shows that they are kept; a gate that counted on them would promise a read that may
    not come. For the same reason a breakpoint within the prefix that was read, without an entry
    of its own, writes none.

    An entry can be read from the call of `answered` on, which belongs to the moment when the
    response begins: what starts before is asked about with `expected` before. Times ascend.
    """

    def __init__(self, rules: Rules, entries: dict[bytes, Held] | None = None) -> None:
        """`entries`: what the cache holds, by prefix; several conversations share one cache."""
        self._rules = rules
        self._entries = {} if entries is None else entries
        self._known: Prefixes | None = None

    def expected(self, prompt: Prompt) -> Usage:
        """What the provider would report; `input` alone where it would refuse the request."""
        return self._plan(self._prefixes(prompt)).usage

    def answered(self, prompt: Prompt) -> Usage:
        """The same; from now on the cache holds what this request wrote and refreshed."""
        known = self._prefixes(prompt)
        plan = self._plan(known)
        for n in plan.refreshed:
            entry = self._entries[known.keys[n]]
            self._entries[known.keys[n]] = Held(max(entry.until, prompt.at + entry.ttl), entry.ttl)
        for mark in plan.written:
            self._entries[known.keys[mark.end]] = Held(prompt.at + mark.ttl, mark.ttl)
        if len(self._entries) > _MANY:
            for key in [key for key, it in list(self._entries.items()) if it.until < prompt.at]:
                del self._entries[key]
        return plan.usage

    def live(self, prompt: Prompt) -> tuple[int, ...]:
        """The ascending n for which an entry of the first n blocks lives at `prompt.at`.

        Each could be read if a breakpoint lay within the lookback behind it. Recorded sessions
        show reads of entries up to seven requests and 41 minutes old, none from further back than
        a lookback: what an anchor reads there is a hope, no income.
        """
        keys = self._prefixes(prompt).keys
        held = compress(count(), map(self._entries.__contains__, keys))
        return tuple(n for n in held if self._alive(keys[n], prompt.at))

    def _prefixes(self, prompt: Prompt) -> Prefixes:
        if self._known is None or self._known.prompt is not prompt:
            self._known = prefixes(prompt, self._known)
        return self._known

    def _alive(self, key: bytes, at: float) -> bool:
        entry = self._entries.get(key)
        return entry is not None and entry.until >= at

    def _plan(self, known: Prefixes) -> _Plan:
        tokens, at = known.tokens, known.prompt.at
        found = marks(known.prompt, self._rules)
        if found is None:
            return _Plan(Usage(input=tokens[-1]))
        # The windows ascend with the breakpoints: the last one that finds something finds most.
        hit = next((n for mark in reversed(found) if (n := self._hit(known, mark))), 0)
        read = self._rules.read(tokens[hit])
        behind = tuple(
            mark for mark in found if mark.end > hit and tokens[mark.end] >= self._rules.least
        )
        hour = max((tokens[mark.end] for mark in behind if mark.ttl >= HOUR), default=read)
        last = max((tokens[mark.end] for mark in behind), default=read)
        inside = (mark.end for mark in found if mark.end < hit)
        refreshed = (hit, *(n for n in inside if self._alive(known.keys[n], at))) if hit else ()
        usage = Usage(
            input=tokens[-1] - last,
            cache_read=read,
            cache_write_5m=last - hour,
            cache_write_1h=hour - read,
        )
        return _Plan(usage, hit, refreshed, behind)

    def _hit(self, known: Prefixes, mark: Mark) -> int:
        """The longest prefix that this breakpoint finds an entry of, in blocks; 0: none."""
        left, at = self._rules.lookback, known.prompt.at
        for n in range(mark.end, 0, -1):
            if self._alive(known.keys[n], at):
                return n
            left -= not known.prompt.blocks[n - 1].joined
            if left <= 0:
                return 0
        return 0
