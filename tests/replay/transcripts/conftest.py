"""Sessions made by hand: a line is a decoded value, or bytes as they stand in the file."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from statetape.replay.recording import Recording
from statetape.replay.transcripts import recording

Read = Callable[..., Recording]


@pytest.fixture
def read(tmp_path: Path) -> Read:
    def of_lines(*lines: Any) -> Recording:
        file = tmp_path / "session.jsonl"
        file.write_bytes(
            b"".join(
                line if isinstance(line, bytes) else json.dumps(line).encode() + b"\n"
                for line in lines
            )
        )
        return recording(file)

    return of_lines
