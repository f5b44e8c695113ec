"""A scripted session as Claude Code logs it: JSON lines, the same bytes for the same turns."""

import json
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from typing import Any
from uuid import NAMESPACE_URL, uuid5

from statetape.bench.synth_hand import ROOT, Done
from statetape.bench.synth_script import Turn
from statetape.tokens import tokens

_MODEL = "claude-sonnet-4-5-20250929"
_SYSTEM_TOKENS = 14_200
_BEGAN = datetime(2026, 1, 12, 9, 0, tzinfo=UTC)


class Log:
    """The lines of one session so far. `steps` and `requests` are counted as the replay does."""

    def __init__(self, name: str, version: str) -> None:
        self._name = name
        self._version = version
        self._lines: list[str] = []
        self._parent: str | None = None
        self._made = 0
        self._sent = 0
        self._held = _SYSTEM_TOKENS
        self.steps = 0
        self.requests = 0

    def __str__(self) -> str:
        return "".join(self._lines)

    def turn(self, turn: Turn) -> Sequence[tuple[str, int, Done]]:
        """One turn; of each of its calls the id, the step's number and the call."""
        if turn.user:
            self._line("user", {"role": "user", "content": turn.said})
            self._held += tokens(turn.said or "")
            return ()
        self.requests += 1
        placed = []
        blocks: list[dict[str, Any]] = []
        if turn.said:
            self.steps += 1
            blocks.append({"type": "text", "text": turn.said})
        for call in turn.calls:
            self.steps += 1
            name = self._id("toolu")
            block = {"type": "tool_use", "id": name, "name": call.tool, "input": call.input}
            blocks.append(block)
            placed.append((name, self.steps, call))
        self._answer(blocks)
        for name, _, call in placed:
            block = {"tool_use_id": name, "type": "tool_result", "content": call.text}
            message = {"role": "user", "content": [block]}
            self._line("user", message, toolUseResult=call.detail)
            self._held += tokens(call.text)
        return placed

    def _answer(self, blocks: Sequence[Mapping[str, Any]]) -> None:
        output = sum(tokens(json.dumps(block)) for block in blocks)
        head = {"model": _MODEL, "id": self._id("msg"), "type": "message", "role": "assistant"}
        usage = {
            "input_tokens": 4,
            "cache_creation_input_tokens": self._held - self._sent,
            "cache_read_input_tokens": self._sent,
            "output_tokens": output,
        }
        request = self._id("req")
        for block in blocks:
            message = {**head, "content": [block], "usage": usage}
            self._line("assistant", message, requestId=request)
        self._sent = self._held
        self._held += output

    def _line(self, kind: str, message: Mapping[str, Any], **more: Any) -> None:
        at = _BEGAN + timedelta(seconds=7 * len(self._lines))
        name = str(uuid5(NAMESPACE_URL, f"{self._name}#{len(self._lines)}"))
        line = {
            "parentUuid": self._parent,
            "isSidechain": False,
            "userType": "external",
            "cwd": ROOT,
            "sessionId": str(uuid5(NAMESPACE_URL, self._name)),
            "version": self._version,
            "gitBranch": "main",
            "type": kind,
            "message": message,
            "uuid": name,
            "timestamp": at.strftime("%Y-%m-%dT%H:%M:%S.000Z"),
            **more,
        }
        self._parent = name
        self._lines.append(json.dumps(line, ensure_ascii=False) + "\n")

    def _id(self, prefix: str) -> str:
        self._made += 1
        return f"{prefix}_01{sha256(f'{self._name}{prefix}{self._made}'.encode()).hexdigest()[:22]}"
