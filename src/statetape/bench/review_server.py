"""The page on which labels are reviewed: a server for this machine alone."""

import asyncio
import json
import re
from base64 import b64encode
from collections.abc import Mapping, Sequence
from hashlib import sha256
from importlib.resources import files
from string import Template

import msgspec
from aiohttp import web
from aiohttp.typedefs import Handler

from statetape.bench.labels import Held, Source
from statetape.bench.review import Answer, Case
from statetape.bench.review_kept import Review, Reviews
from statetape.bench.review_shown import Shown, shown
from statetape.errors import StatetapeError
from statetape.shim.security import Gate, Refusal

HOST = "127.0.0.1"
_MOST_BYTES = 100_000
_HEADERS = {
    "Cache-Control": "no-store",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
}
_HELD = frozenset({"needed", "stale", "superseded", "finished", "skip"})
_REGION = frozenset({"needed", "unneeded", "skip"})


class _Said(msgspec.Struct, frozen=True):
    """What the page sends: the answer to a case; None takes it back."""

    case: str
    answer: Answer | None


class Desk:
    """The cases in the order in which they are asked, and the answers so far."""

    def __init__(
        self, cases: Sequence[Case], sources: Mapping[str, Source], reviews: Reviews
    ) -> None:
        self._cases = cases
        self._places = {case.name: place for place, case in enumerate(cases)}
        self._sources = sources
        self._reviews = reviews
        self._shown: dict[str, Mapping[str, Shown]] = {}
        self._replaying = asyncio.Lock()

    def standing(self) -> dict[str, object]:
        """How many are asked and answered, the first open one, and the last that was answered."""
        answers = self._reviews.answers
        open_ones = (place for place, case in enumerate(self._cases) if case.name not in answers)
        last = self._reviews.last
        return {
            "cases": len(self._cases),
            "answered": sum(case.name in answers for case in self._cases),
            "next": next(open_ones, None),
            "last": None if last is None else self._places.get(last),
        }

    async def case(self, place: int) -> dict[str, object] | None:
        """One case with its texts and what was answered; None where there is none.

        The first one of each session waits for a replay of it.
        """
        if not 0 <= place < len(self._cases):
            return None
        case = self._cases[place]
        async with self._replaying:
            if case.session not in self._shown:
                own = [each for each in self._cases if each.session == case.session]
                source = self._sources[case.session]
                self._shown[case.session] = await asyncio.to_thread(shown, source, own)
        found = msgspec.to_builtins(self._shown[case.session][case.name])
        return {"place": place, "answer": self._reviews.answers.get(case.name), **found}

    def answer(self, said: _Said) -> str | None:
        """Keep an answer; what is wrong with it, if anything."""
        place = self._places.get(said.case)
        if place is None:
            return "no such case"
        case = self._cases[place]
        if said.answer not in (_HELD if isinstance(case.of, Held) else _REGION) | {None}:
            return "no answer to this case"
        self._reviews.add(Review(said.case, case.label, said.answer))
        return None


def application(desk: Desk, token: str) -> web.Application:
    """The page and what it asks for. Whoever does not know the token hears nothing."""
    gate = Gate(local=True, token=token)
    page, policy = _page()

    @web.middleware
    async def admitted(request: web.Request, handler: Handler) -> web.StreamResponse:
        del handler  # every path is answered here
        headers = {name.lower(): value for name, value in request.headers.items()}
        target = gate.admitted(request.path_qs, headers)
        if isinstance(target, Refusal):
            return web.Response(status=target.status, text=target.reason, headers=_HEADERS)
        try:
            return await _answered(desk, request, target, page, policy)
        except StatetapeError as error:
            return _json({"problem": str(error)}, 500)

    return web.Application(middlewares=[admitted], client_max_size=_MOST_BYTES)


async def _answered(
    desk: Desk, request: web.Request, target: str, page: str, policy: str
) -> web.Response:
    path, _, query = target.partition("?")
    match request.method, path:
        case "GET", "/":
            headers = {**_HEADERS, "Content-Security-Policy": policy}
            return web.Response(text=page, content_type="text/html", headers=headers)
        case "GET", "/standing":
            return _json(desk.standing())
        case "GET", "/case":
            found = await desk.case(int(query) if re.fullmatch(r"\d{1,9}", query, re.ASCII) else -1)
            return _json({"problem": "no such case"}, 404) if found is None else _json(found)
        case "POST", "/answer":
            try:
                said = msgspec.json.decode(await request.read(), type=_Said)
            except msgspec.DecodeError as error:
                return _json({"problem": str(error)}, 400)
            problem = desk.answer(said)
            return _json({"problem": problem}, 400) if problem else _json(desk.standing())
    return _json({"problem": "no such page"}, 404)


def _json(value: object, status: int = 200) -> web.Response:
    text = json.dumps(value)
    return web.Response(text=text, content_type="application/json", status=status, headers=_HEADERS)


def _page() -> tuple[str, str]:
    """The page, and the policy that lets it run its own script and ask this server only."""
    script, style = _asset("review.js"), _asset("review.css")
    policy = (
        f"default-src 'none'; script-src {_hash(script)}; style-src {_hash(style)}; "
        "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    )
    return Template(_asset("review.html")).substitute(style=style, script=script), policy


def _hash(text: str) -> str:
    return f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'"


def _asset(name: str) -> str:
    return (files("statetape.bench") / "assets" / name).read_text("utf-8")
