"""Notes, pointers and regret in the proxy: what never-sent results say, and that it stays."""

from pathlib import Path

import pytest
from tests.shim.spending import Agent, far

from statetape.economics.account import Terms

pytestmark = pytest.mark.usefixtures("clock")


def outside(agent: Agent, name: str, old: str, new: str) -> None:
    path = agent.folder / name
    path.write_text(path.read_text().replace(old, new))


def test_what_stays_stale_is_told_once_behind_the_next_result(tmp_path: Path) -> None:
    agent = far(tmp_path, notes=120)
    outside(agent, "a.py", "return 3 ", "return 33 ")
    agent.talk("some words")
    agent.send()
    told = agent.texts()[-1]
    assert told.startswith("some words\n")
    assert "f3" in told
    assert "a.py" in told
    agent.talk("other words")
    agent.send()
    assert agent.texts()[-2:] == [told, "other words"]


def test_notes_are_kept_over_a_restart(tmp_path: Path) -> None:
    agent = far(tmp_path, notes=120)
    outside(agent, "a.py", "return 3 ", "return 33 ")
    agent.talk("some words")
    agent.send()
    told = agent.texts()[-1]
    assert told != "some words"
    agent.core.close()
    agent.core = agent.started()
    agent.talk("other words")
    agent.send()
    assert agent.texts()[-2] == told


def test_without_notes_nothing_is_told(tmp_path: Path) -> None:
    agent = far(tmp_path)
    outside(agent, "a.py", "return 3 ", "return 33 ")
    agent.talk("some words")
    agent.send()
    assert agent.texts()[-1] == "some words"


def test_what_is_read_again_points_to_what_is_shown(tmp_path: Path) -> None:
    agent = Agent(tmp_path, dedupe=True)
    agent.file("a.py")
    agent.read("a.py")
    agent.send()
    agent.read("a.py")
    agent.send()
    first, again = agent.texts()
    assert "return 3 " in first
    assert again.startswith("[statetape: ")
    assert "return 3 " not in again
    agent.talk()
    agent.send()
    assert agent.texts()[1] == again


def test_a_pointer_becomes_the_text_where_what_it_points_to_goes(tmp_path: Path) -> None:
    agent = Agent(tmp_path, dedupe=True, terms=Terms(maintain="eager"), edits="free")
    agent.file("a.py")
    agent.read("a.py")
    agent.send()
    agent.read("a.py")
    agent.send()
    (agent.folder / "a.py").unlink()
    agent.talk()
    agent.send()
    assert all("return 3 " not in text for text in agent.texts()[:2])


def test_what_is_asked_for_again_is_charged(tmp_path: Path) -> None:
    agent = Agent(tmp_path)
    agent.file("a.py")
    agent.read("a.py")
    agent.send()
    agent.edit("a.py", "return 3 ", "return 33 ")
    agent.send()
    assert "return 4 " not in agent.texts()[0]
    agent.read("a.py")
    agent.send()
    assert agent.bills()[-1].harm > 0
    assert agent.core.state()["bill"]["tokens"]["harm"] > 0
