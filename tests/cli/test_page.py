"""The page: self-contained, and safe whatever a session's text is."""

import json
import re
import shutil
import subprocess
from base64 import b64encode
from collections.abc import Callable, Sequence
from hashlib import sha256
from html.parser import HTMLParser
from pathlib import Path

import pytest

from statetape.cli.figures import session_figures
from statetape.cli.page import page, session_data
from statetape.replay.timeline import Replayed

Make = Callable[..., Replayed]


class Parts(HTMLParser):
    """The tags of a page, and the text of its scripts and styles with their attributes."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.texts: list[tuple[str, dict[str, str | None], str]] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        if self.cdata_elem is not None:  # within a script or style, up to its end tag
            self.texts.append((*self.tags[-1], data))


def rendered(*replays: Replayed) -> str:
    return "".join(page(list(map(session_figures, replays)), map(session_data, replays)))


def with_text(small: Make, text: str) -> Replayed:
    """A replay whose every text is `text`."""
    import msgspec

    plain = small()
    records = tuple(
        msgspec.structs.replace(record, text=text, now=text, title=text, id=text)
        for record in plain.records
    )
    writes = tuple(
        msgspec.structs.replace(write, path=text, why=text, body=(text,)) for write in plain.writes
    )
    return small(records=records, writes=writes, problems=(text,), file=text, id=text)


def test_the_page_fetches_nothing(small: Make) -> None:
    text = rendered(small())
    parts = Parts(text)
    assert not {"src", "href", "action"} & {name for _, found in parts.tags for name in found}
    assert not {"link", "iframe", "img", "base"} & {tag for tag, _ in parts.tags}
    assert set(re.findall(r"https?://[^\"' ]+", text)) <= {"http://www.w3.org/2000/svg"}
    assert not re.search(r"\bfetch\(|XMLHttpRequest|@import|url\(|import\(", text)


def test_no_script_inserts_markup(small: Make) -> None:
    assert not re.search(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|eval\(",
                         rendered(small()))  # fmt: skip


def test_the_policy_allows_the_script_and_the_style_by_hash(small: Make) -> None:
    parts = Parts(rendered(small()))
    policy = next(found["content"] for tag, found in parts.tags if "http-equiv" in found) or ""
    assert policy.startswith("default-src 'none';")
    assert "unsafe" not in policy
    for tag, attributes, text in parts.texts:
        if "type" not in attributes:
            digest = b64encode(sha256(text.encode()).digest()).decode()
            assert f"{tag}-src 'sha256-{digest}'" in policy


@pytest.mark.parametrize(
    "text",
    [
        "</script><script>document.title='taken'</script>",
        "<!-- <script>",
        "<img src=x onerror=\"document.title='taken'\">",
        "]]> \u2028 \u2029 \x00 \x1b[31m \ud800 \\u003c/script>",
        "$script $data ${x} \\",
    ],
)
def test_hostile_text_comes_back_as_data_and_nothing_else(small: Make, text: str) -> None:
    replay = with_text(small, text)
    parts = Parts(rendered(replay))
    assert parts.tags == Parts(rendered(small())).tags
    data = [json.loads(body) for _, found, body in parts.texts if found.get("class") == "session"]
    assert [record["text"] for record in data[0]["records"]] == [text] * 5
    assert data[0]["writes"][0]["path"] == text
    assert data[0]["moments"][4]["control_stale"] == 1050
    assert data[0]["records"][1]["life"][1] == [4, "stale", ["app/parser.py::Parser.parse"]]


def test_sessions_stand_in_the_order_of_their_figures(small: Make) -> None:
    parts = Parts(rendered(small(id="a"), small(id="b", records=())))
    index = next(json.loads(body) for _, found, body in parts.texts if found.get("id") == "index")
    sizes = [len(json.loads(body)["records"]) for _, found, body in parts.texts
             if found.get("class") == "session"]  # fmt: skip
    assert [figures["id"] for figures in index] == ["a", "b"]
    assert sizes == [5, 0]


def browsed(text: str, folder: Path, *arguments: str) -> str:
    """The document as a browser leaves it after running the page."""
    browser = shutil.which("chromium") or shutil.which("chromium-browser")
    if browser is None:
        pytest.skip("there is no chromium to run the page in")
    (folder / "page.html").write_text(text, "utf-8")
    flags: Sequence[str] = (
        "--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking",
        f"--user-data-dir={folder / 'profile'}", "--virtual-time-budget=3000", "--dump-dom",
    )  # fmt: skip
    done = subprocess.run(
        [browser, *flags, *arguments, (folder / "page.html").as_uri()],
        check=True, capture_output=True, text=True, timeout=60,
    )  # fmt: skip
    return done.stdout


def test_a_browser_draws_the_page_and_runs_no_text_of_a_session(
    small: Make, tmp_path: Path
) -> None:
    text = "</script><script>document.title='no'</script><img src=x onerror=document.title=1>"
    document = browsed(rendered(with_text(small, text)), tmp_path)
    assert "<title>statetape replay</title>" in document
    assert document.count('class="record"') == 5
    assert document.count('<path class="fresh"') == 1
    assert document.count('class="mark') >= 2
    assert "&lt;/script&gt;&lt;script&gt;" in document


def test_a_large_session_is_drawn_without_its_texts(large: Make, tmp_path: Path) -> None:
    document = browsed(rendered(large(records=800, tokens=4000)), tmp_path)
    assert document.count('class="record"') == 800
    assert "<pre>" not in document
