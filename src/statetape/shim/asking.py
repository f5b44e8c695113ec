"""The core is asked here, and nowhere else may it harm a request: never worse than absent."""

import asyncio
import time
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from contextlib import suppress
from typing import NamedTuple

from statetape.shim.encodings import EncodingError, decoded
from statetape.shim.lanes import Done, Lanes
from statetape.shim.maintainer import Maintainer

# Requests at a time that wait for the core. More would only share the interpreter, and all be late.
_AT_ONCE = 4
# Deadlines after which a request that is late holds up no other one of its session.
_HOPE = 5
# What names the session of a request, whatever the client; without one all share a lane.
_SESSION = (
    "x-claude-code-session-id",
    "x-claude-code-agent-id",
    "x-session-id",
    "thread-id",
    "session-id",
    "x-litellm-session-id",
)

Notice = Callable[[str, str], None]


class Request(NamedTuple):
    """A request as the core sees it: see `Maintainer`. `lane` keeps those of one session in order.

    `body` is without its content encoding.
    """

    path: str
    headers: Mapping[str, str]
    body: bytes
    lane: str


class Asked(NamedTuple):
    """What came of asking: the body that goes on if it was changed, or why nothing was asked for.

    `request` is there if the core has it or may still get it, so that it is told of the answer.
    """

    changed: bytes | None = None
    reason: str | None = None
    request: Request | None = None


class Asking:
    """Asks the core in threads, with a deadline. `notice` is told each reason with its details."""

    def __init__(
        self, core: Maintainer, lanes: Lanes, *, deadline: float, limit: int, notice: Notice
    ) -> None:
        """`deadline` in seconds; `limit` in bytes, of a body without its content encoding."""
        self._core = core
        self._lanes = lanes
        self._deadline = deadline
        self._limit = limit
        self._notice = notice
        self._places = asyncio.Semaphore(_AT_ONCE)
        self._late: dict[str, tuple[Future[Done], float]] = {}

    async def asked(
        self, path: str, headers: Mapping[str, str], body: bytes, encoding: str
    ) -> Asked:
        """What becomes of a body. Takes no longer than the deadline and a half, never raises.

        Where the core is late or fails, the body goes on with the changes of before: without them
        the provider would not know again what it has in its cache, nor the thinking bound to it.
        """
        try:
            plain = decoded(body, encoding, self._limit)
        except EncodingError as error:
            return self._passed("unreadable body", str(error))
        request = Request(path, headers, plain, _lane(headers))
        if self._hopeless(request.lane):
            passed = self._passed("core behind", "still at work on an earlier request")
            return passed._replace(changed=await self._repeated(request))
        future: Future[Done] | None = None
        try:
            async with asyncio.timeout(self._deadline), self._places:
                future = self._lanes.put(request.lane, lambda: self._maintained(request))
                done = await asyncio.wrap_future(future)
        except TimeoutError:
            passed = self._passed("core late", f"longer than {self._deadline:g} s")
            if future is None or future.cancel():
                return passed._replace(changed=await self._repeated(request))
            self._late[request.lane] = future, time.monotonic()
            self._watched(future)
            changed = await self._repeated(request)
            self._watched(self._lanes.put(request.lane, lambda: self._core.passed(request.body)))
            return passed._replace(changed=changed, request=request)
        except asyncio.CancelledError:  # the client went away: there will be no answer
            if future is not None and not future.cancel():
                self.tell(request, None)
            raise
        if done.fault is not None:
            failed = self._failed(done.fault)
            return failed._replace(changed=await self._repeated(request), request=request)
        return self._outcome(request, done)

    async def _repeated(self, request: Request) -> bytes | None:
        """The body with the changes of before; None: it has none, or that took too long."""
        path, headers, body, lane = request
        future = self._lanes.put(f"{lane}\n", lambda: self._core.repeated(path, headers, body))
        try:
            async with asyncio.timeout(self._deadline / 2):
                done = await asyncio.wrap_future(future)
        except TimeoutError:
            return None
        return done.value if isinstance(done.value, bytes) and done.value != body else None

    def tell(self, request: Request, chunk: bytes | None) -> None:
        """Tell the core, behind all else of its session, what it is told of an answer."""
        self._watched(
            self._lanes.put(
                request.lane,
                lambda: self._core.answered(request.path, request.headers, request.body, chunk),
            )
        )

    def _maintained(self, request: Request) -> object:
        return self._core.maintained(request.path, request.headers, request.body)

    def _outcome(self, request: Request, done: Done) -> Asked:
        if not isinstance(done.value, bytes):
            return self._passed("core error", f"an answer of type {type(done.value).__name__}")
        same = done.value is request.body or done.value == request.body
        return Asked(None if same else done.value, None, request)

    def _hopeless(self, lane: str) -> bool:
        """Whether an earlier request of a session takes so long that none waits for it any more."""
        if lane not in self._late:
            return False
        late, since = self._late[lane]
        if late.done():
            del self._late[lane]
        return not late.done() and time.monotonic() - since > _HOPE * self._deadline

    def _watched(self, future: Future[Done]) -> None:
        loop = asyncio.get_running_loop()

        def report(ended: Future[Done]) -> None:
            fault = None if ended.cancelled() else ended.result().fault
            if fault is not None:
                with suppress(RuntimeError):  # the proxy has ended since
                    loop.call_soon_threadsafe(self._failed, fault)

        future.add_done_callback(report)

    def _failed(self, fault: BaseException) -> Asked:
        return self._passed(f"core error {type(fault).__name__}", f"{_where(fault)}: {fault}")

    def _passed(self, reason: str, details: str) -> Asked:
        self._notice(reason, details[:300])
        return Asked(reason=reason)


def _lane(headers: Mapping[str, str]) -> str:
    return " ".join(headers.get(name, "") for name in _SESSION)


def _where(fault: BaseException) -> str:
    at = fault.__traceback__
    while at is not None and at.tb_next is not None:
        at = at.tb_next
    return f"{at.tb_frame.f_globals.get('__name__', '?')}:{at.tb_lineno}" if at else "?"
