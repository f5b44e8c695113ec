"""The cache simulator against requests that were really made: `usage_check.py FILE.csv[.gz]`.

The file has one line for each request of a session's main thread, as its provider reported it:
session, agent, model, timestamp (ISO, or milliseconds), input_uncached, cache_read, cache_write,
cache_write_5m, cache_write_1h. Texts are not needed: from the figures each session is rebuilt as
prompts of opaque blocks, one for what the first request read (somebody else's work: it is put
into the cache, and the first request is not counted), one for each later growth. Where a prompt
has shrunk, all but the first block is new. Of OpenAI's models two things are fitted to the file,
by client and model: the tail, and whether answers are kept. Other providers are left out.

Printed by agent and model: of how many requests the simulator tells the cache read to 0.5 % of
the prompt, and in percent what the others are:

- edge: the time since the request before is about the ttl; survived: read, although it is over
- model: another one than the request before; shrunk: a shorter prompt than before
- back: what an earlier request of the session left, which is not the last one; to the token, or
  to the step where there are steps
- first: no more than the first block, though the cache was warm; behind: less than expected
- more: more than the requests of the file can have left, so there were others
"""

# ruff: noqa: T201

import csv
import gzip
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from datetime import datetime
from itertools import pairwise
from pathlib import Path
from statistics import median
from typing import NamedTuple

from msgspec import structs

from statetape.economics.cache import Cache, cache_of
from statetape.economics.prices import Price, Prices, dollars, price_of
from statetape.economics.prompt import Block, Prompt
from statetape.pricing import shipped
from statetape.types import Usage

PROVIDERS = ("anthropic", "openai")
CLOSE = 0.005  # of the prompt
EDGE = (0.9, 1.15)  # of the ttl: logs have the time of an answer, ttls begin with a request
MISSES = ("edge", "survived", "model", "shrunk", "back", "first", "behind", "more")


class Request(NamedTuple):
    """One line of the file; `at` in seconds, `ttl` that of what it wrote (0: it says nothing)."""

    agent: str
    model: str
    at: float
    usage: Usage
    ttl: int


class Guess(NamedTuple):
    """A request, what was expected of it, and what the miss is; None: it is none."""

    request: Request
    expected: Usage
    miss: str | None


def sessions(path: Path) -> Iterator[list[Request]]:
    """The requests of each session, as they are in the file."""
    found = defaultdict(list)
    with (gzip.open if path.suffix == ".gz" else open)(path, "rt", encoding="utf-8") as lines:
        for row in csv.DictReader(lines):
            found[row["agent"], row["session"]].append(request(row))
    yield from found.values()


def request(row: dict[str, str]) -> Request:
    number = {name: int(row[name] or 0) for name in row if name.startswith(("cache", "input"))}
    hour = number["cache_write_1h"]
    five = number["cache_write"] - hour
    stamp = row["timestamp"]
    at = int(stamp) / 1000 if stamp.isdigit() else datetime.fromisoformat(stamp).timestamp()
    usage = Usage(number["input_uncached"], number["cache_read"], five, hour, int(row["output"]))
    return Request(row["agent"], row["model"], at, usage, 3600 if hour else 300 if five else 0)


class Fit(NamedTuple):
    """What is seen and documented nowhere: tokens at the end that are never read, and whether
    what the model said is in the cache, too."""

    tail: int = 0
    answers: bool = False


Fits = dict[tuple[str, str], Fit]


class Thread:
    """One model's requests in one session: its cache, and the blocks of its last prompt.

    `whole`: nothing tells where the last breakpoint is, so it counts as being at the end.
    `ends`: what the requests before the last one have left in the cache, in tokens.
    """

    def __init__(self, price: Price, requests: list[Request], fit: Fit, *, begun: bool) -> None:
        most = max(request.usage.cache_read for request in requests)
        self.cache: Cache = cache_of(price, offset=most, tail=fit.tail)
        self.answers = fit.answers
        self.whole = not any(request.ttl for request in requests)
        self.marks = price.provider == "anthropic"
        self.unread = price.step - 1 + fit.tail
        self.ttl = next((request.ttl for request in requests if request.ttl), price.lifetime)
        self.made = 0
        self.blocks: list[Block] = []
        self.answer: Block | None = None
        self.ends: set[int] = set()
        self.shrunk = False
        if read := requests[0].usage.cache_read:
            self.blocks.append(self.block(read))
            if not begun:
                self.cache.answered(self.prompt(requests[0], self.blocks))

    def block(self, tokens: int) -> Block:
        self.made += 1
        return Block(b"%d" % self.made, tokens)

    def cached(self, usage: Usage) -> int:
        return usage.prompt if self.whole else usage.prompt - usage.input

    def expected(self, request: Request) -> Usage:
        """What the next request reads and writes; from then on the cache holds it."""
        usage = request.usage
        have, now = total(self.blocks), self.cached(usage)
        self.ends.add(have)
        self.shrunk = now < have
        if self.shrunk:
            self.blocks = self.blocks[:1] if self.blocks[0].tokens <= now else []
        elif self.answer is not None and self.answer.tokens < now - have:
            self.blocks.append(self.answer)
        if (new := now - total(self.blocks)) or not self.blocks:
            self.blocks.append(self.block(new))
        rest = [self.block(usage.prompt - now)] if usage.prompt > now else []
        expected = self.cache.answered(self.prompt(request, self.blocks, rest))
        self.ends.discard(now)
        self.answer = self.block(usage.output) if self.answers else None
        if self.answer is not None:
            self.cache.answered(self.prompt(request, [*self.blocks, self.answer]))
        return expected

    def prompt(self, request: Request, blocks: list[Block], rest: Iterable[Block] = ()) -> Prompt:
        """The first and the last block marked as Claude Code does, and the rest behind them."""
        self.ttl = request.ttl or self.ttl
        marked = {0, len(blocks) - 1} if self.marks else ()
        row = (b._replace(ttl=self.ttl) if n in marked else b for n, b in enumerate(blocks))
        return Prompt(request.model, request.at, (*row, *rest))


def total(blocks: Iterable[Block]) -> int:
    return sum(block.tokens for block in blocks)


def guesses(requests: list[Request], prices: Prices, fits: Fits) -> Iterator[Guess]:
    """What the simulator expects of each request but the first of a session."""
    threads: dict[str, Thread] = {}
    before: Request | None = None
    for now in requests:
        price = price_of(now.model, prices)
        if price is None or price.provider not in PROVIDERS or not now.usage.prompt:
            continue
        if now.model not in threads:
            own = [other for other in requests if other.model == now.model and other.usage.prompt]
            fit = fits.get((now.agent, now.model), Fit())
            threads[now.model] = Thread(price, own, fit, begun=before is not None)
        thread = threads[now.model]
        expected = thread.expected(now)
        if before is not None:
            gap = (now.at - before.at) / thread.ttl
            kind = "model" if now.model != before.model else miss(now, expected, gap, thread)
            close = abs(now.usage.cache_read - expected.cache_read) <= CLOSE * now.usage.prompt
            yield Guess(now, expected, None if close else kind)
        before = now


def miss(now: Request, expected: Usage, gap: float, thread: Thread) -> str:
    """What a wrong guess is, the first of the kinds that fits; `gap` as a multiple of the ttl."""
    read, more = now.usage.cache_read, now.usage.cache_read > expected.cache_read
    if EDGE[0] < gap <= EDGE[1]:
        return "edge"
    if more and gap > 1:
        return "survived"
    left = any(0 <= end - read <= thread.unread for end in thread.ends)
    if left and read > thread.blocks[0].tokens:
        return "back"
    if thread.shrunk:
        return "shrunk"
    if more:
        return "more"
    return "first" if read <= thread.blocks[0].tokens else "behind"


def fitted(sessions: Iterable[list[Request]], prices: Prices) -> Fits:
    """By agent and model: with and without the answers, whatever makes more requests hits.

    The tail is the least that a hit leaves unread: the first percentile, since some requests read
    what none of the file has left, in steps of 16.
    """
    unread: dict[tuple[str, str], tuple[list[int], list[int]]] = {}
    for requests in sessions:
        for before, now in pairwise(requests):
            price = price_of(now.model, prices)
            if price is None or price.provider != "openai" or before.model != now.model:
                continue
            lists = unread.setdefault((now.agent, now.model), ([], []))
            for answer, lefts in zip((0, before.usage.output), lists, strict=True):
                left = before.usage.prompt + answer - now.usage.cache_read
                if 0 <= left < price.step + 128:
                    lefts.append(left)
    return {
        name: Fit(sorted(lefts)[len(lefts) // 100] // 16 * 16, answers)
        for name, (without, along) in unread.items()
        if (answers := len(along) > len(without)) or without
        for lefts in (along if answers else without,)
    }


def report(name: str, found: list[Guess]) -> str:
    """One line: requests, share that is close, then the kinds of misses, in percent."""
    kinds = Counter(guess.miss for guess in found)
    shares = "".join(f"{100 * kinds[kind] / len(found):9.2f}" for kind in MISSES)
    return f"{name:36}{len(found):8,}{100 * kinds[None] / len(found):8.2f}{shares}"


def errors(costs: list[tuple[float, float]]) -> str:
    """By what share the expected cost of sessions differs from the reported one."""
    off = sorted(abs(guessed / paid - 1) for guessed, paid in costs)
    total = sum(guessed for guessed, _ in costs) / sum(paid for _, paid in costs) - 1
    p90 = off[len(off) * 9 // 10]
    return f"median {100 * median(off):.2f} %, p90 {100 * p90:.1f} %, sum {100 * total:+.2f} %"


def main(path: Path) -> None:
    prices, recorded = shipped(), list(sessions(path))
    fits = fitted(recorded, prices)
    models: dict[tuple[str, str], list[Guess]] = defaultdict(list)
    costs: dict[str, list[tuple[float, float]]] = defaultdict(list)
    for requests in recorded:
        found = list(guesses(requests, prices, fits))
        for guess in found:
            models[guess.request.agent, guess.request.model].append(guess)
        if found:
            costs[found[0].request.agent].append(cost(found, prices))
    lines = sum(map(len, recorded))
    print(f"{lines:,} requests of {len(recorded):,} sessions; of a model: tail, a: answers kept")
    print(f"{'':36}{'counted':>8}{'close':>8}" + "".join(f"{kind:>9}" for kind in MISSES))
    print(report("all", [guess for found in models.values() for guess in found]))
    for agent in sorted(costs):
        rows = {model: found for (name, model), found in models.items() if name == agent}
        print(report(agent, [guess for found in rows.values() for guess in found]))
        for model, found in sorted(rows.items(), key=lambda row: -len(row[1])):
            fit = fits.get((agent, model), Fit())
            told = f" +{fit.tail}" if fit.tail else ""
            print(report(f"  {model}{told}{'a' * fit.answers}", found))
        print(f"  input of a session in dollars: {errors(costs[agent])}")


def cost(found: list[Guess], prices: Prices) -> tuple[float, float]:
    """Dollars of a session's input, as expected and as reported.

    Where a client's log has no writes, those expected count as other input on both sides.
    """
    guessed = paid = 0.0
    logged = any(guess.request.ttl for guess in found)
    for request, expected, _ in found:
        price = price_of(request.model, prices)
        assert price is not None
        unlogged = Usage(expected.prompt - expected.cache_read, expected.cache_read)
        guessed += dollars(price, expected if logged else unlogged)
        paid += dollars(price, structs.replace(request.usage, output=0))
    return guessed, paid


if __name__ == "__main__":
    main(Path(sys.argv[1]))
