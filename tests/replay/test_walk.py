"""A session that follows a walk: what comes is held, what goes is let go, writes are judged."""

from tests.skills.story import Story

from statetape.replay.walk import Came, Went, Wrote, follow
from statetape.types import Slot, Write


def test_a_session_follows_what_happens() -> None:
    story = Story()
    slot = story.read("shop/base.py")
    session, space = story.session, story.space
    record = session.held[slot]
    session.forget(None)
    follow(session, Came((record,), None))
    assert dict(session.held) == {slot: record}
    data = space.read("shop/base.py")
    assert data is not None
    entry = space.observe(Write("shop/base.py", data, data.replace(b"LIMIT = 3", b"LIMIT = 4")))
    assert slot not in session.nominations
    follow(session, Wrote(entry, "agent", "", 1, doubted=False))
    assert slot in session.nominations
    follow(session, Went(frozenset({Slot("another", "result")})))
    assert slot in session.held
    follow(session, Went(None))
    assert not session.held
