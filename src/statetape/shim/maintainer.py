"""The seam between the proxy and what maintains a context."""

from collections.abc import Mapping
from typing import Any, Protocol


class Maintainer(Protocol):
    """What the proxy asks. It is called from several threads, for one session in order.

    `path` has no query. `headers` have lower-case names and no credentials.
    """

    def maintained(self, path: str, headers: Mapping[str, str], body: bytes) -> bytes:
        """The body that goes on; the same object where nothing changes. May block, may raise."""

    def repeated(self, path: str, headers: Mapping[str, str], body: bytes) -> bytes:
        """The body as `maintained` would have it without new changes; asked where that fails.

        May be called while that is at work on the same session.
        """

    def passed(self, request: bytes) -> None:
        """`maintained` was late: `request` went on as `repeated` says. Comes before its answer."""

    def answered(
        self, path: str, headers: Mapping[str, str], request: bytes, chunk: bytes | None
    ) -> None:
        """A part of the answer to `request` (the body as it was asked for) has passed, decoded.

        None comes last and always, even if the answer was cut, was an error or is unreadable.
        """

    def state(self) -> dict[str, Any]:
        """What was done so far, as a JSON document."""
