"""What the proxy says of itself."""

import re
from typing import Any

from statetape import __version__
from statetape.shim.counts import Counts

LINE = re.compile(r'statetape_\w+(\{(\w+="([^"\\\n]|\\[\\"n])*",?)+\})? [0-9.e+-]+')


async def test_state_metrics_and_health_are_pages(shim: Any, scripted: Any) -> None:
    async with shim(scripted(lambda body: body + b"!")) as running:
        await running.post(b"{}")
        async with running.session.get(running.url + "/_statetape/healthz") as page:
            assert (page.status, await page.text()) == (200, "ok\n")
        async with running.session.get(running.url + "/_statetape/state") as page:
            state = await page.json()
        async with running.session.get(running.url + "/_statetape/metrics") as page:
            assert page.headers["Content-Type"] == "text/plain; version=0.0.4; charset=utf-8"
            metrics = await page.text()
        async with running.session.get(running.url + "/_statetape/else") as page:
            assert page.status == 404
    assert (state["version"], state["observe"]) == (__version__, False)
    assert set(state["upstreams"].values()) == {running.upstream.url}
    assert state["core"]["tokens"] == {"with": 3, "without": 5}
    counted = state["proxy"]
    assert (counted["requests"], counted["asked"], counted["changed"]) == (1, 1, 1)
    assert (counted["open"], counted["passed"], counted["answers"]) == (0, {}, {"200": 1})
    for line in (
        f'statetape_build_info{{version="{__version__}"}} 1',
        "statetape_requests_total 1",
        "statetape_changed_total 1",
        'statetape_answers_total{code="200"} 1',
        'statetape_core_seconds_bucket{le="+Inf"} 1',
        "statetape_core_seconds_count 1",
        'statetape_tokens_total{kind="without"} 5',
    ):
        assert line in metrics.splitlines()
    assert len(running.upstream.seen) == 1


def test_metrics_are_in_their_format_whatever_is_counted() -> None:
    counts = Counts()
    counts.passed['a "reason"\\ of\nlines'] += 1
    counts.took(0.004)
    counts.took(9)
    text = counts.prometheus({"tokens": {"with": 1, "odd": "text"}, "changes": 7})
    assert text.endswith("\n")
    lines = text.splitlines()
    assert [one for one in lines if not one.startswith("# ") and not LINE.fullmatch(one)] == []
    helped = {one.split()[2] for one in lines if one.startswith("# HELP ")}
    typed = {one.split()[2] for one in lines if one.startswith("# TYPE ")}
    assert helped == typed
    assert 'statetape_core_seconds_bucket{le="0.005"} 1' in lines
    assert 'statetape_core_seconds_bucket{le="2.0"} 1' in lines
    assert 'statetape_core_seconds_bucket{le="+Inf"} 2' in lines
