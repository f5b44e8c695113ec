"""A replay as one self-contained page: no network, nothing but what stands in the file.

The text of a session is untrusted. It stands in the page as JSON in which no `<` occurs, is
inserted as text only, and a content security policy allows no script but the page's own.
"""

import json
from base64 import b64encode
from collections.abc import Iterable, Sequence
from hashlib import sha256
from importlib.resources import files
from string import Template

from msgspec import to_builtins

from statetape.cli.figures import Figures
from statetape.replay.timeline import Replayed

SCRIPTS = ("elements.js", "chart.js", "records.js", "page.js")


def session_data(replayed: Replayed) -> str:
    """What the page has to know of a session beside its figures, as JSON text without `<`."""
    data = {
        "steps": to_builtins(replayed.steps),
        "writes": to_builtins(replayed.writes),
        "records": to_builtins(replayed.records),
        "moments": [moment._asdict() for moment in replayed.moments],
    }
    return _json(data)


def page(figures: Sequence[Figures], sessions: Iterable[str]) -> Iterable[str]:
    """The page in pieces; `sessions` are `session_data` in the order of `figures`."""
    script = "".join(asset(name) for name in SCRIPTS)
    style = asset("page.css")
    policy = f"default-src 'none'; script-src {source_hash(script)}; style-src {source_hash(style)}"
    shell = Template(asset("page.html")).substitute(
        policy=policy, style=style, script=script, data="\0"
    )
    head, tail = shell.split("\0")
    yield head
    yield f'<script type="application/json" id="index">{_json(figures)}</script>\n'
    for data in sessions:
        yield f'<script type="application/json" class="session">{data}</script>\n'
    yield tail


def _json(value: object) -> str:
    """JSON in ASCII; `<` occurs in strings only, so escaping it everywhere is sound."""
    return json.dumps(value, separators=(",", ":")).replace("<", "\\u003c")


def source_hash(text: str) -> str:
    """How a content security policy names the one script or style that it allows."""
    return f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'"


def asset(name: str) -> str:
    """A text that pages are made of."""
    return (files("statetape.cli") / "assets" / name).read_text("utf-8")
