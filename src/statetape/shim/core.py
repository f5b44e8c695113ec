"""What the proxy asks of each request: the bytes that go on in its place."""

import threading
import time
from collections import Counter
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from statetape.agents.recognised import agent_of
from statetape.code.languages import facts
from statetape.economics.account import Terms
from statetape.economics.reasons import LATE
from statetape.errors import StatetapeError
from statetape.policies import policy as policy_named
from statetape.policies.hosted import NO_MODEL, Models
from statetape.shim.arrivals import Steps
from statetape.shim.billing import Ledger, Means
from statetape.shim.branches import Branches
from statetape.shim.checkout import Checkout
from statetape.shim.conversation import NOTHING, Adding, Conversation
from statetape.shim.enveloped import opened
from statetape.shim.place import Place, place_of
from statetape.shim.readings import Readings
from statetape.shim.repeats import Repeats
from statetape.shim.standing import Memory, stood
from statetape.shim.stated import stated
from statetape.shim.waiting import Asked, Waiting
from statetape.store.changes import Changes
from statetape.store.index.cache import Cache
from statetape.store.index.place import cache_folder
from statetape.store.index.stored import StoredIndex
from statetape.tokens import tokens
from statetape.wire import keys
from statetape.wire.answers import Answer
from statetape.wire.levers import permitting_drops, retimed
from statetape.wire.reading import Reading
from statetape.wire.writing import written

_HOUR = 3600  # seconds
# A grammar is loaded, and a query compiled, by the first file of its language.
_SAMPLES = {"a.py": b"def f(): g()\n", "a.ts": b"f()\n", "a.go": b"package a\n", "a.js": b"f()\n"}


class Core:
    """All conversations of one proxy. Safe to use from several threads.

    Nothing here catches what is not expected: whoever asks forwards the agent's own bytes then.
    """

    patience = 1.0  # seconds that a request waits for others on its repository

    def __init__(
        self,
        *,
        repo: Path | None,
        policy: str,
        rewrite_inputs: bool,
        store: Path,
        means: Means | None = None,
        models: Models = NO_MODEL,
    ) -> None:
        """Raises BadInput for an unknown policy. `store` is opened when it is needed first.

        `means`: what requests cost and on what terms changes are made; None: all at once.
        `models`: whom a policy asks.
        """
        self._repo = repo
        self._models = models
        self._policy = policy_named(policy)
        self._rewrite_inputs = rewrite_inputs
        self._store = store
        if means is not None and means.observe:  # what was never sent is no change of anything
            self._store = store.with_name(f"observed-{store.name}")
        self._changes: Changes | None = None
        self._memory = Memory(store)
        self._means = means or Means(prices=(), terms=Terms(maintain="eager"), edits="free")
        self._ledger = Ledger(self._means, store)
        self._adding = Adding(self._means.notes, self._means.dedupe)
        if policy == "control":
            self._adding = NOTHING
        self._cache = Cache(cache_folder())
        self._lock = threading.Lock()
        self._checkouts: dict[Path, Checkout] = {}
        self._branches = Branches()
        self._readings = Readings()
        self._repeats = Repeats(self._opened, self._ledger.drops)
        self._waiting = Waiting()
        self._counts: Counter[str] = Counter()
        self._idle: Counter[str] = Counter()
        self._made: Counter[str] = Counter()
        self._brought: Counter[str] = Counter(regions=0, tokens=0)

    def maintained(self, path: str, headers: Mapping[str, str], body: bytes) -> bytes:
        """The body that goes on: the same object where nothing is to be changed.

        `path` is that of the request, without its query. Raises WireError for what is no request
        of its API, and whatever the disk, the store or the policy raises.
        """
        began = time.perf_counter()
        reading = self._readings.of(path, headers, body)
        if reading is None:
            return body
        side = reading.side or keys.side(headers)
        if side is not None:
            return self._passed(f"a request beside the conversation ({side})", reading, body)
        agent = agent_of(reading.tools)
        if agent is None:
            return self._passed("no agent that is known offers these tools", reading, body)
        place = place_of(stated(headers, reading), self._repo)
        if isinstance(place, str):
            return self._passed(place, reading, body)
        if agent == "mini-swe-agent":
            reading = opened(reading)
        named = keys.key(headers, reading)
        key = f"{place.root}\n{named}"
        conversation, checkout = self._conversation(key, reading, agent, place)
        if not checkout.ready(self.patience) or not checkout.lock.acquire(timeout=self.patience):
            return self._passed("the repository is being looked through", reading, body)
        try:
            self._memory.recall(checkout, reading, conversation.common(reading.chain))
            payer = self._ledger.payer(named, conversation, reading)
            done = conversation.maintained(reading, payer)
            true = stood(conversation.session, reading, checkout.seen)
            self._count(conversation)
        except BaseException:
            with self._lock:
                self._branches.forget(key, conversation)
            raise
        finally:
            checkout.lock.release()
        seconds = time.perf_counter() - began
        entry = self._ledger.entry(named, reading.model, conversation, payer, seconds)
        with self._lock:
            answer = Answer(reading.wire, streamed=reading.stream)
            put = tuple(conversation.put)
            self._waiting.put(
                Asked(body, answer, key, conversation, true, payer, payer.number, entry, put)
            )
        changed = written(body, reading, done.texts, done.anchors)
        if done.texts and payer.account.terms.edits == "drop_block":
            changed = permitting_drops(changed, reading)
        if not payer.ttl:
            return changed
        return retimed(changed, reading, 3600 if payer.ttl >= _HOUR else 300)

    def repeated(self, path: str, headers: Mapping[str, str], body: bytes) -> bytes:
        """The body with the changes that were made before, no more: where `maintained` cannot.

        Raises as that, and waits for no repository.
        """
        reading = self._readings.of(path, headers, body)
        if reading is None:
            return body
        if agent_of(reading.tools) == "mini-swe-agent":
            reading = opened(reading)
        return self._repeats.body(reading, body, late=True)

    def passed(self, request: bytes) -> None:
        """What `maintained` made of a request came too late: it went on as `repeated` says.

        Where only what was never sent may be changed, the changes are withdrawn: it was sent now.
        """
        went = self._repeats.went(request)
        with self._lock:
            asked = self._waiting.of(request)
            if asked is None:
                return
            asked.payer.passed(asked.number)
            entry = replace(asked.entry, changes={}, rewritten=0, nothing=LATE)
            self._waiting.put(asked._replace(entry=entry))
            unsent = [each for each in asked.put if went.get(each[1].slot) != each[1].text]
            if not unsent or asked.payer.account.terms.edits != "tail":
                return
            self._branches.forget(asked.key, asked.conversation)
            changes = self._opened_in_lock()
        changes.withdraw(unsent)

    def warm(self) -> None:
        """Do now what the first request would have to wait for. May be called in a thread.

        What fails here fails again, and is told, where it is needed.
        """
        with suppress(StatetapeError, OSError):
            self._warm()

    def _warm(self) -> None:
        tokens("def warm(): pass")
        for path, text in _SAMPLES.items():
            facts(path, text)
        if self._repo is not None:
            with self._lock:
                self._checkout(self._repo)

    def answered(
        self,
        path: str,  # noqa: ARG002 -- every core is told the same
        headers: Mapping[str, str],  # noqa: ARG002
        request: bytes,
        chunk: bytes | None,
    ) -> None:
        """Part of the answer to a request is passing by; None: that was all.

        `request` is the object that `maintained` was given. Never raises for what passes.
        """
        with self._lock:
            known = self._waiting.of(request, last=chunk is None)
        if known is not None:
            calls = known.answer.ended() if chunk is None else known.answer.after(chunk)
            if calls:
                known.conversation.foresee(calls)
            if chunk is None:
                self._memory.keep(known.true)
                if known.answer.heard:
                    self._ledger.paid(known.entry, known.payer, known.answer.usage, known.number)

    def state(self) -> dict[str, Any]:
        """What was done so far: counts, tokens of all maintained requests, why nothing was done."""
        paid = self._ledger.state()
        with self._lock:
            return {
                **paid,
                "requests": self._counts["requests"],
                "tokens": {"without": self._counts["without"], "with": self._counts["with"]},
                "changes": dict(self._made),
                "brought_in": dict(self._brought),
                "manager": self._ledger.asked(),
                "nothing_done": dict(self._idle),
                "conversations": len(self._branches),
                "repositories": sorted({key.partition("\n")[0] for key in self._branches.keys}),
                "not_watched": sorted(
                    str(root) for root, each in self._checkouts.items() if not each.watched
                ),
            }

    def close(self) -> None:
        """Let go of the folders under watch and of the store."""
        with self._lock:
            for checkout in self._checkouts.values():
                checkout.close()
            self._checkouts.clear()
            if self._changes is not None:
                self._changes.close()
                self._changes = None
            self._cache.close()
            self._memory.close()
            self._ledger.close()

    def _passed(self, why: str, reading: Reading, body: bytes) -> bytes:
        with self._lock:
            self._idle[why] += 1
        return self._repeats.body(reading, body)

    def _count(self, conversation: Conversation) -> None:
        with self._lock:
            self._counts["requests"] += 1
            self._counts["without"] += conversation.tokens_without
            self._counts["with"] += conversation.session.tokens
            self._made.update(conversation.made)
            self._brought.update(conversation.brought._asdict())

    def _conversation(
        self, key: str, reading: Reading, agent: str, place: Place
    ) -> tuple[Conversation, Checkout]:
        """The branch under a key that has most in common with a request, else a new one."""
        with self._lock:
            checkout = self._checkout(place.root)
            changes = self._opened_in_lock()
            conversation = self._branches.of(
                key,
                reading,
                lambda: Conversation(
                    checkout,
                    Steps(agent, place.spelled, place.cwd, checkout.real),
                    self._models.hosted(self._policy, checkout.lock),
                    changes,
                    rewrite_inputs=self._rewrite_inputs,
                    adding=self._adding,
                ),
            )
            return conversation, checkout

    def _opened(self) -> Changes:
        with self._lock:
            return self._opened_in_lock()

    def _opened_in_lock(self) -> Changes:
        if self._changes is None:
            self._changes = Changes(self._store)
            self._changes.prune()
        return self._changes

    def _checkout(self, root: Path) -> Checkout:
        checkout = self._checkouts.get(root)
        if checkout is None:
            checkout = self._checkouts[root] = Checkout(root, StoredIndex(self._cache, root))
        return checkout
