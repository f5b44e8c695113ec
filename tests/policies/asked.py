"""What models say that policies ask: useful, useless, hostile."""

import json
from collections.abc import Sequence
from typing import Any

from hypothesis import strategies as st

from statetape.context.asking import Reply, ToolCall

NUMBERS = [str(n) for n in range(-1, 30)]


def naming(names: Sequence[object]) -> str:
    """A well-formed reply that names records."""
    return json.dumps({"records": [{"record": name, "reason": "because"} for name in names]})


HOSTILE = (
    "",
    " \n",
    "I cannot help with that.",
    "[statetape: result of read a.py, summed up below. Ask again if you need it.]",
    "{",
    "}{",
    "[" * 100_000,
    '{"records":' * 10_000,
    '{"records": "all"}',
    '{"records": null}',
    '{"records": [null, [], {}, {"record": null}, {"record": {"record": "2"}}, true, 1e999]}',
    '{"records": [{"record": "2; DROP"}, {"record": "-1"}, {"record": "99999999999999999999"}]}',
    '{"evict": [{"record": "2"}]}',
    "\ud800 \x00 \x1b[31m",
    "word " * 30_000,
)

TEXTS: Any = st.one_of(
    st.text(max_size=80),
    st.sampled_from(HOSTILE),
    st.lists(st.sampled_from(NUMBERS), max_size=12).map(naming),
    st.lists(st.integers(-3, 40), max_size=5).map(naming),
    st.lists(st.sampled_from(NUMBERS), max_size=5).map(
        lambda names: f"Sure:\n```json\n{naming(names)}\n```\nDone."
    ),
    st.just("FOUND:\na.py:4 load() returns helper()"),
)
REPLIES: Any = st.one_of(
    st.builds(Reply, TEXTS),
    st.just(Reply(None, why="late")),
    st.just(Reply(None, (ToolCall("1", "delete_all", "{}"),))),
)
