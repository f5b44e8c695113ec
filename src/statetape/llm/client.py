"""A model that can be asked: at its endpoint, from the cache, or from the cache alone."""

import threading
import time
from typing import Literal

import msgspec

from statetape.context.asking import Ask, Reply
from statetape.errors import BadInput, StatetapeError
from statetape.llm import anthropic, chat
from statetape.llm.cache import Cache, Entry, key
from statetape.llm.endpoint import Endpoint
from statetape.llm.post import posted

Source = Literal["model", "cache", "fill"]

DEADLINE = 4.0
"""Seconds of one exchange, all its rounds together."""

_UNKNOWN_FIELD = (400, 422)


class Client:
    """One model. Safe to use from several threads.

    `cache` goes first; what a call says is kept in it. `source` "cache": nobody is called, and
    an ask that the cache does not know is an error (replays); "fill": what the cache does not know
    is asked, and without the vendor's key that is an error.
    """

    def __init__(
        self,
        endpoint: Endpoint,
        credential: str | None = None,
        *,
        cache: Cache | None = None,
        source: Source = "model",
    ) -> None:
        self.endpoint = endpoint
        self._credential = credential
        self._cache = cache
        self._source = source
        self._formats = True

    def reply(self, ask: Ask, until: float) -> Reply:
        """The reply to an ask by a moment of `time.monotonic`.

        BadInput where the cache alone answers and has none, or is to be filled without a key.
        Otherwise it raises nothing: what went wrong is in the reply.
        """
        try:
            name = key(self.endpoint.kind, self.endpoint.model, ask)
        except UnicodeEncodeError:  # half of a pair: no request can carry it
            return Reply(None, why="malformed")
        known = self._cache.get(name) if self._cache is not None else None
        if known is not None:
            return known
        if self._source == "cache":
            raise BadInput(
                f"no reply of {self.endpoint.model} in the cache for ask {name[:12]} ({ask.purpose}"
                f", round {ask.round}); fill it with --manager-cache DIR --manager-fill"
            )
        if self._source == "fill" and self._is_without_key():
            raise BadInput(
                f"{self.endpoint.model} has to be asked ({ask.purpose}, round {ask.round}), and "
                f"{self.endpoint.key_name} is not set"
            )
        reply = self._called(ask, until)
        if reply.why is None and self._cache is not None:
            self._keep(name, ask, reply)
        return reply

    def _keep(self, name: str, ask: Ask, reply: Reply) -> None:
        """Live, a cache that cannot be written is none; a fill that leaves holes would be found."""
        kind, _, model = self.endpoint
        entry = Entry(kind, model, ask.purpose, ask.version, reply)
        try:
            if self._cache is not None:
                self._cache.put(name, entry)
        except StatetapeError:
            self._cache = None

    def _is_without_key(self) -> bool:
        return self._credential is None and self.endpoint.is_vendors

    def _called(self, ask: Ask, until: float) -> Reply:
        kind, url, model = self.endpoint
        if self._is_without_key():
            return Reply(None, why="no key")
        if kind == "anthropic":
            path, said, read = anthropic.PATH, anthropic.headers(self._credential), anthropic.reply
            body = anthropic.body(ask, model)
        else:
            path, said, read = chat.PATH, chat.headers(self._credential), chat.reply
            vendors = self.endpoint.is_vendors
            body = chat.body(ask, model, vendors=vendors, formats=self._formats)
        found = posted(url + path, said, msgspec.json.encode(body), until)
        if found.why is not None:
            return Reply(None, why=found.why)
        if found.status != 200:
            if found.status in _UNKNOWN_FIELD and "response_format" in body:
                self._formats = False  # from the next ask on
            return Reply(None, why="refused")
        try:
            return read(msgspec.json.decode(found.body))
        except (msgspec.MsgspecError, RecursionError, UnicodeError):
            return Reply(None, why="malformed")


class Exchanges:
    """The answers of a client to exchanges, each under one deadline (seconds).

    Safe to use from several threads, as long as each exchange is had by one.
    """

    def __init__(self, client: Client, deadline: float = DEADLINE) -> None:
        self._client = client
        self._deadline = deadline
        self._clock = threading.local()

    def __call__(self, ask: Ask) -> Reply:
        """The reply to an ask. The first of an exchange sets its clock."""
        if ask.round == 1:
            self._clock.until = time.monotonic() + self._deadline
        return self._client.reply(ask, self._clock.until)
