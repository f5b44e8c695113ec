"""`statetape` with a scripted model beside it, which its policy asks.

asking.py [OPTION...] API MANNER OUT: API is `anthropic` or `openai`, MANNER `well` or `ill`;
OUT/heard.json is what the model was asked: path, headers and body of each request.
"""

import json
import os
import sys
import threading
from functools import partial
from pathlib import Path

from tests.clients import modelled
from tests.llm.scripted import Answer, serving

from statetape.cli import main
from statetape.policies import POLICIES
from statetape.policies.summary import summary


def asking(api: str, manner: str, out: Path) -> None:
    """Runs the command line, whose options end in those of the model."""
    answer = modelled.ill() if manner == "ill" else modelled.well
    one = threading.Lock()

    def script(path: str, body: modelled.Given) -> Answer:
        with one:
            (out / "heard.json").write_text(json.dumps(server.heard))
        return answer(path, body)

    with serving(script) as server:
        os.environ["STATETAPE_MANAGER_KEY"] = modelled.KEY
        os.environ["ANTHROPIC_API_KEY"] = os.environ["OPENAI_API_KEY"] = modelled.VENDORS
        sys.argv += ["--manager-model", "scripted", "--manager-url", f"{api}={server.url}"]
        sys.argv += ["--manager-deadline", str(modelled.DEADLINE), "--manager-share", "1000"]
        main()


if __name__ == "__main__":
    # The paper's 21 turns are more than most scenarios have.
    POLICIES["summary"] = partial(summary, at=8, kept=3, every=1)
    api, manner, out = sys.argv[-3:]
    del sys.argv[-3:]
    asking(api, manner, Path(out))
