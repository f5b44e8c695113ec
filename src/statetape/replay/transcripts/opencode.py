"""opencode's exported sessions (1.2 to 1.14): one document, {info, messages[{info, parts}]}."""

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Literal

from msgspec.structs import replace

from statetape.agents.paths import relative
from statetape.replay.recording import Event, Evidence, Forgot, Happened, Recording, Sent
from statetape.replay.transcripts.lines import Line, decoded
from statetape.replay.transcripts.opencode_results import result_evidence
from statetape.replay.transcripts.shape import items, mapping, number, part_text, string
from statetape.types import Call, Result, Say, Slot, Usage

_INFO = re.compile(r'(?<!\\)"info"\s*:\s*')
_MESSAGES = re.compile(r'(?<!\\)"messages"\s*:\s*\[')
_SEPARATOR = re.compile(r"[\s,]*")
_START = re.compile(rb'\s*(?:\xef\xbb\xbf)?\{\s*"(?:info|messages)"\s*:')


def is_opencode(head: bytes) -> bool:
    """Whether a file that begins with `head` can only be an exported opencode session."""
    return _START.match(head) is not None


def opencode_document(pieces: Iterable[bytes], problems: list[str]) -> Line | None:
    """The document of an exported session; of a cut one, the messages that are whole."""
    raw = b"".join(pieces)
    faults: list[str] = []
    for line in tuple(decoded(raw, 1, faults)):
        if isinstance(mapping(line.value).get("messages"), list):
            problems.extend(fault.replace("line 1: ", "document: ") for fault in faults)
            return line
    text = raw.decode("utf-8", "replace")
    info, start = _INFO.search(text), _MESSAGES.search(text)
    messages = list(_values(text, start.end())) if start else []
    if not messages:
        return None
    problems.append(f"document: cut off or damaged; {len(messages)} whole messages are read")
    about = next(_values(text, info.end()), None) if info else None
    return Line(1, {"info": about, "messages": messages})


def _values(text: str, at: int) -> Iterator[Any]:
    decoder = json.JSONDecoder(strict=False)
    while separator := _SEPARATOR.match(text, at):
        try:
            value, at = decoder.raw_decode(text, separator.end())
        except (ValueError, RecursionError):
            return
        yield value


def opencode(document: Line, file: str, problems: list[str]) -> Recording:
    """The recording of one exported session; what cannot be understood is added to `problems`."""
    session = _Session(document, problems)
    for message in items(mapping(document.value).get("messages")):
        session.take(mapping(mapping(message).get("info")), items(mapping(message).get("parts")))
    info = mapping(mapping(document.value).get("info"))
    return Recording(
        id=string(info.get("id")),
        agent="opencode",
        file=file,
        root=session.root,
        agent_versions=tuple(filter(None, [string(info.get("version"))])),
        models=tuple(session.models),
        events=tuple(session.events),
        problems=tuple(problems),
    )


class _Session:
    """The events so far, and what is needed to place the next message."""

    def __init__(self, document: Line, problems: list[str]) -> None:
        self.problems = problems
        self.torn = document.torn
        self.root = string(mapping(mapping(document.value).get("info")).get("directory"))
        self.cwd = ""
        self.models: dict[str, None] = {}
        self.events: list[Event] = []
        self.ids: set[str] = set()
        # When the last thing was said that the model had not said: a request follows at once.
        self.asked: float | None = None
        # Results that the client clears from what it sends, by the time it does so (ms).
        self.cleared: dict[Slot, int] = {}

    def take(self, info: Mapping[str, Any], parts: list[Any]) -> None:
        self._place(info)
        created = number(mapping(info.get("time")).get("created"))
        self._clock(created)
        self._forget(created)
        if info.get("role") == "assistant":
            self._assistant(info, parts)
            return
        for part in map(mapping, parts):
            if part.get("ignored") is not True and part.get("type") in ("text", "file"):
                self._say(part, "user")
            elif part.get("type") == "subtask":
                text = "The following tool was executed by the user"
                self._say({"id": part.get("id"), "text": text}, "user")

    def _place(self, info: Mapping[str, Any]) -> None:
        path = mapping(info.get("path"))
        self.root = self.root or string(path.get("root"))
        if cwd := string(path.get("cwd")):
            self.root = self.root or cwd
            self.cwd = self._path(cwd)

    def _clock(self, milliseconds: int | None) -> None:
        self.asked = self.asked if milliseconds is None else milliseconds / 1000

    def _path(self, path: str) -> str:
        return relative(path, self.root, self.cwd)

    def _forget(self, now: int | None) -> None:
        due = frozenset(slot for slot, at in self.cleared.items() if now is None or at <= now)
        if due and now is not None:
            self.events.append(Forgot(due))
            self.cleared = {slot: at for slot, at in self.cleared.items() if slot not in due}

    def _assistant(self, info: Mapping[str, Any], parts: list[Any]) -> None:
        model = string(info.get("modelID"))
        request: int | None = None
        stated = any(mapping(part).get("type") == "step-start" for part in parts)
        if not stated and any(number(n) for n in mapping(info.get("tokens")).values()):
            request = self._sent(model)
            self._cost(request, mapping(info.get("tokens")))
        for part in map(mapping, parts):
            match part.get("type"):
                case "step-start":
                    request = self._sent(model)
                case "step-finish" if request is not None:
                    self._cost(request, mapping(part.get("tokens")))
                case "text":
                    if info.get("summary") is True:  # a compaction: all that stays is this text
                        self.events.append(Forgot())
                        self.cleared.clear()
                    self._say(part, "assistant")
                case "tool":
                    self._tool(part, mapping(part.get("state")))

    def _sent(self, model: str) -> int:
        if model:
            self.models[model] = None
        self.events.append(Sent(model, at=self.asked))
        return len(self.events) - 1

    def _cost(self, request: int, tokens: Mapping[str, Any]) -> None:
        sent, cache = self.events[request], mapping(tokens.get("cache"))
        if isinstance(sent, Sent):
            counts = (tokens.get("input"), cache.get("read"), cache.get("write"), 0)
            stated = Usage(*(number(n) or 0 for n in (*counts, tokens.get("output"))))
            self.events[request] = replace(sent, usage=stated)

    def _say(self, part: Mapping[str, Any], role: Literal["user", "assistant"]) -> None:
        text = part_text(part)
        if text.strip():
            say = Say(Slot(self._unique(string(part.get("id"))), "say"), role, text)
            self.events.append(Happened(say, (), self.cwd))

    def _unique(self, stated: str) -> str:
        """An id, numbered where it repeats: published sessions have ids blacked out."""
        name, again = stated, 1
        while not name or name in self.ids:
            again += 1
            name = f"{stated}#{again}"
        self.ids.add(name)
        return name

    def _tool(self, part: Mapping[str, Any], state: Mapping[str, Any]) -> None:
        call = self._unique(string(part.get("callID")))
        tool, asked = string(part.get("tool")), mapping(state.get("input"))
        workdir = string(asked.get("workdir"))
        cwd = self._path(workdir) if workdir else self.cwd
        self.events.append(Happened(Call(Slot(call, "input"), tool, asked), (), cwd))
        if state.get("status") not in ("completed", "error"):
            self.problems.append(f"call {call!r} of {tool!r} has no result")
            return
        self._clock(number(mapping(state.get("time")).get("end")))
        failed = state.get("status") == "error"
        text = string(state.get("error") if failed else state.get("output"))
        evidence: tuple[Evidence, ...] = ()
        if not failed:
            evidence = result_evidence(tool, state, self.torn, self._path)
        slot = Slot(call, "result")
        self.events.append(Happened(Result(slot, text, failed), evidence, cwd))
        if (cleared := number(mapping(state.get("time")).get("compacted"))) is not None:
            self.cleared[slot] = cleared
