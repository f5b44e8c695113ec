"""Claude Code's session files (1.0 to 2.1): JSON lines in the order things happened.

Only the main thread is read: what a sub-agent did stands in its own lines, and the model sees
the sub-agent's last words alone, as the result of `Task` or `Agent`.
"""

from collections.abc import Iterable, Mapping
from typing import Any, Literal

from msgspec.structs import replace

from statetape.agents.paths import relative
from statetape.replay.recording import Event, Evidence, Forgot, Happened, Noticed, Recording, Sent
from statetape.replay.transcripts.claude_code_attachments import added
from statetape.replay.transcripts.claude_code_results import mentioned_read, result_evidence
from statetape.replay.transcripts.lines import Line
from statetape.replay.transcripts.shape import (
    items,
    joined_text,
    mapping,
    moment,
    part_text,
    string,
)
from statetape.types import Call, Result, Say, Slot
from statetape.wire.usage import usage as usage_of

_SYNTHETIC = "<synthetic>"
_KINDS = frozenset({"user", "assistant", "system", "attachment"})
_FILE_TEXTS = frozenset(
    {"content", "originalFile", "originalFileContents", "original_file", "updated_file"}
)


def is_claude_code(value: object) -> bool:
    """Whether a decoded line can only be Claude Code's."""
    kind, line = mapping(value).get("type"), mapping(value)
    if kind in ("user", "assistant"):
        return isinstance(line.get("message"), dict) and "uuid" in line
    return (kind == "summary" and "leafUuid" in line) or (
        isinstance(kind, str) and "sessionId" in line and "payload" not in line
    )


def claude_code(lines: Iterable[Line], file: str, problems: list[str]) -> Recording:
    """The recording of one session file; what cannot be understood is added to `problems`."""
    session = _Session(problems)
    for line in lines:
        session.take(line)
    return session.recording(file)


class _Session:
    """The events so far, and what is needed to place the next line."""

    def __init__(self, problems: list[str]) -> None:
        self.problems = problems
        self.id = ""
        self.root = ""
        self.stated_cwd = ""
        self.cwd = ""
        self.versions: dict[str, None] = {}
        self.models: dict[str, None] = {}
        self.events: list[Event] = []
        self.seen: set[str] = set()
        self.slots: set[Slot] = set()
        self.tools: dict[str, str] = {}
        self.requests: dict[str, int] = {}
        self.summary_due = False
        # When the last thing was said that the model had not said: a request follows at once.
        self.asked: float | None = None
        # Results whose call is yet to come: the client may write the two in the wrong order.
        self.early: dict[str, tuple[Mapping[str, Any], object, Line]] = {}
        self.texts: dict[str, str] = {}

    def recording(self, file: str) -> Recording:
        self._orphans()
        return Recording(
            id=self.id,
            agent="claude-code",
            file=file,
            root=self.root,
            agent_versions=tuple(self.versions),
            models=tuple(self.models),
            events=tuple(self.events),
            problems=tuple(self.problems),
        )

    def take(self, line: Line) -> None:
        entry = mapping(line.value)
        kind = entry.get("type")
        if not isinstance(line.value, dict) or not isinstance(kind, str):
            self.problems.append(f"line {line.number}: not an entry of a session; skipped")
            return
        self.id = self.id or string(entry.get("sessionId"))
        if kind not in _KINDS or entry.get("isSidechain") is True:
            return
        uuid = string(entry.get("uuid"))
        if uuid and uuid in self.seen:  # a resumed session repeats its past
            return
        self.seen.add(uuid)
        self._place(entry)
        uuid = uuid or f"line-{line.number}"
        match kind:
            case "user":
                self._user(entry, uuid, line)
            case "assistant":
                self._assistant(entry, uuid, line.number)
            case "system":
                self._system(entry, uuid)
            case _:
                self._attachment(entry, uuid, line.torn)

    def _place(self, entry: Mapping[str, Any]) -> None:
        if entry.get("type") != "assistant":
            self.asked = moment(entry.get("timestamp")) or self.asked
        if version := string(entry.get("version")):
            self.versions[version] = None
        cwd = string(entry.get("cwd"))
        if cwd and cwd != self.stated_cwd:
            self.root = self.root or cwd
            self.stated_cwd, self.cwd = cwd, relative(cwd, self.root)

    def _path(self, path: str) -> str:
        return relative(path, self.root, self.cwd)

    def _happened(self, block: Say | Call | Result, evidence: tuple[Evidence, ...] = ()) -> None:
        self.events.append(Happened(block, evidence, self.cwd))

    def _say(
        self,
        name: str,
        role: Literal["user", "assistant", "system"],
        text: str,
        evidence: tuple[Evidence, ...] = (),
    ) -> None:
        if text.strip():
            self._happened(Say(Slot(name, "say"), role, text), evidence)

    def _user(self, entry: Mapping[str, Any], uuid: str, line: Line) -> None:
        content = mapping(entry.get("message")).get("content")
        summary = entry.get("isCompactSummary") is True
        if summary and not self.summary_due:  # a client that logged no boundary
            self.events.append(Forgot())
        self.summary_due = self.summary_due and not summary
        if entry.get("isVisibleInTranscriptOnly") is True and not summary:
            return
        parts = [content] if isinstance(content, str) else items(content)
        results = sum(mapping(part).get("type") == "tool_result" for part in parts)
        answer = entry.get("toolUseResult") if results == 1 else None
        said = 0
        for part in parts:
            if mapping(part).get("type") == "tool_result":
                self._result(mapping(part), answer, line)
                continue
            text = part if isinstance(part, str) else part_text(part)
            self._say(_nth(uuid, said), "user", text, mentioned_read(text, self._path))
            said += 1

    def _result(self, part: Mapping[str, Any], answer: object, line: Line) -> None:
        call = string(part.get("tool_use_id")) or f"line-{line.number}"
        slot = Slot(call, "result")
        if slot in self.slots:
            self.problems.append(f"line {line.number}: a second result of {call!r}; skipped")
            return
        self.slots.add(slot)
        if call not in self.tools:
            self.early[call] = (part, answer, line)
            return
        self._answered(slot, part, answer, line)

    def _orphans(self) -> None:
        """What was not answered for by the next request is no early result, but an orphan."""
        for call, (part, answer, line) in self.early.items():
            self.problems.append(f"line {line.number}: result of an unknown call {call!r}")
            self._answered(Slot(call, "result"), part, answer, line)
        self.early.clear()

    def _answered(self, slot: Slot, part: Mapping[str, Any], answer: object, line: Line) -> None:
        text = joined_text(part.get("content"))
        refused = isinstance(answer, str) and not self.tools.get(slot.id, "").startswith("mcp__")
        failed = part.get("is_error") is True or refused
        evidence: tuple[Evidence, ...] = ()
        if not failed and isinstance(answer, dict):
            evidence = result_evidence(self._kept(answer), text, line.torn, self._path)
        self._happened(Result(slot, text, failed), evidence)

    def _kept(self, answer: Mapping[str, Any]) -> dict[str, Any]:
        """`answer` with one copy of each file text: `originalFile` repeats what was written."""
        return {
            key: self.texts.setdefault(value, value)
            if key in _FILE_TEXTS and isinstance(value, str)
            else self._kept(value)
            if key == "file" and isinstance(value, dict)
            else value
            for key, value in answer.items()
        }

    def _assistant(self, entry: Mapping[str, Any], uuid: str, number_of_line: int) -> None:
        message = mapping(entry.get("message"))
        model = string(message.get("model"))
        if model == _SYNTHETIC:
            if entry.get("isApiErrorMessage") is not True:
                self._say(uuid, "assistant", joined_text(message.get("content")))
            return
        self._sent(string(message.get("id")) or uuid, model, mapping(message.get("usage")))
        said = 0
        for part in map(mapping, items(message.get("content"))):
            match part.get("type"):
                case "text":
                    self._say(_nth(uuid, said), "assistant", string(part.get("text")))
                    said += 1
                case "tool_use":
                    self._call(part, number_of_line)

    def _sent(self, message: str, model: str, usage: Mapping[str, Any]) -> None:
        """The request that this message answers, once; its last line states the usage in full."""
        if model:
            self.models[model] = None
        stated = usage_of("anthropic", usage) or None
        request = Sent(model, stated, self.asked)
        if message not in self.requests:
            self._orphans()
        at = self.requests.setdefault(message, len(self.events))
        if at == len(self.events):
            self.events.append(request)
            return
        earlier = self.events[at]
        if isinstance(earlier, Sent) and stated is not None:
            known = earlier.usage
            if known is None or stated.output > known.output:
                self.events[at] = replace(earlier, usage=stated)

    def _call(self, part: Mapping[str, Any], number_of_line: int) -> None:
        call = string(part.get("id")) or f"line-{number_of_line}"
        slot = Slot(call, "input")
        if slot in self.slots:
            self.problems.append(f"line {number_of_line}: a second call {call!r}; skipped")
            return
        self.slots.add(slot)
        self.tools[call] = string(part.get("name"))
        asked = part.get("input")
        stated = asked if isinstance(asked, str) else self._kept(mapping(asked))
        self._happened(Call(slot, self.tools[call], stated))
        if call in self.early:
            self._answered(Slot(call, "result"), *self.early.pop(call))

    def _system(self, entry: Mapping[str, Any], uuid: str) -> None:
        match entry.get("subtype"):
            case "compact_boundary":
                self._orphans()
                self.events.append(Forgot())
                self.summary_due = True
            case "microcompact_boundary":
                ids = items(mapping(entry.get("microcompactMetadata")).get("compactedToolIds"))
                slots = frozenset(Slot(call, "result") for call in ids if isinstance(call, str))
                self.events.append(Forgot(slots))
            case "local_command":
                self._say(uuid, "user", string(entry.get("content")))

    def _attachment(self, entry: Mapping[str, Any], uuid: str, torn: frozenset[str]) -> None:
        found = added(mapping(entry.get("attachment")), torn, self._path)
        if found is None:
            return
        if found.noticed:
            self.events.append(Noticed(found.noticed))
        self._say(uuid, found.role, found.text, found.evidence)


def _nth(uuid: str, n: int) -> str:
    return f"{uuid}:{n}" if n else uuid
