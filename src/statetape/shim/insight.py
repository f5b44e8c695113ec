"""What the proxy says of itself: health, metrics, state."""

import asyncio
import time
from typing import Any

from aiohttp import web

from statetape import __version__
from statetape.shim.counts import Counts
from statetape.shim.lanes import Lanes
from statetape.shim.maintainer import Maintainer
from statetape.shim.security import HEALTH, OWN
from statetape.shim.upstreams import Upstreams

_PATIENCE = 2.0  # seconds for the core to say what it did


class Insight:
    """Answers requests for paths below `/_statetape/`."""

    def __init__(
        self,
        core: Maintainer,
        lanes: Lanes,
        counts: Counts,
        upstreams: Upstreams,
        *,
        observe: bool,
    ) -> None:
        self._core = core
        self._lanes = lanes
        self._counts = counts
        self._upstreams = upstreams
        self._observe = observe
        self._began = time.monotonic()

    async def answer(self, path: str) -> web.Response:
        """The page at a path; 404 where there is none."""
        if path == HEALTH:
            return web.Response(text="ok\n")
        if path == f"{OWN}metrics":
            text = self._counts.prometheus(await self._of_core())
            return web.Response(
                body=text.encode(),
                headers={"Content-Type": "text/plain; version=0.0.4; charset=utf-8"},
            )
        if path == f"{OWN}state":
            return web.json_response(await self.state())
        return web.Response(status=404, text="there are healthz, metrics and state\n")

    async def state(self) -> dict[str, Any]:
        """All that is counted, and the core's own state (empty where it does not answer)."""
        return {
            "version": __version__,
            "seconds": round(time.monotonic() - self._began, 1),
            "observe": self._observe,
            "upstreams": self._upstreams.hosts(),
            "proxy": self._counts.document(),
            "core": await self._of_core(),
        }

    async def _of_core(self) -> dict[str, Any]:
        asked = self._lanes.put("insight", self._core.state)
        try:
            async with asyncio.timeout(_PATIENCE):
                done = await asyncio.wrap_future(asked)
        except TimeoutError:
            return {}
        return done.value if isinstance(done.value, dict) else {}
