"""Codex's rollout files (0.118 to 0.144): JSON lines, of which `response_item` is the truth.

The `event_msg` lines repeat it, but for what a patch did to the files and what a request cost.
"""

from collections.abc import Iterable, Mapping
from typing import Any, Literal

import msgspec
from msgspec.structs import replace

from statetape.agents.paths import relative
from statetape.replay.recording import (
    Event,
    Evidence,
    Forgot,
    Happened,
    Noticed,
    Patched,
    Recording,
    Sent,
    Whole,
)
from statetape.replay.transcripts.changes import PathOf, diff_hunks, stated_whole
from statetape.replay.transcripts.lines import Line
from statetape.replay.transcripts.shape import items, joined_text, mapping, moment, string
from statetape.types import Call, Result, Say, Slot
from statetape.wire.usage import usage

_KINDS = frozenset({"session_meta", "response_item", "event_msg", "turn_context", "compacted"})
_ROLES: Mapping[str, Literal["user", "assistant", "system"]] = {
    "user": "user",
    "assistant": "assistant",
    "developer": "system",
    "system": "system",
}
# The tools that run a script; the patches it applies are logged under ids of their own.
_SCRIPTS = frozenset({"exec", "wait"})
_REFUSED = ("apply_patch verification failed", "patch rejected")


def is_codex(value: object) -> bool:
    """Whether a decoded line can only be of a Codex rollout."""
    line = mapping(value)
    return string(line.get("type")) in _KINDS and isinstance(line.get("payload"), dict)


def codex(lines: Iterable[Line], file: str, problems: list[str]) -> Recording:
    """The recording of one rollout; what cannot be understood is added to `problems`."""
    rollout = _Rollout(problems)
    for line in lines:
        rollout.take(line)
    return rollout.recording(file)


class _Rollout:
    """The events so far, and what is needed to place the next line."""

    def __init__(self, problems: list[str]) -> None:
        self.problems = problems
        self.id = ""
        self.root = ""
        self.cwd = ""
        self.model = ""
        self.versions: dict[str, None] = {}
        self.models: dict[str, None] = {}
        self.events: list[Event] = []
        self.tools: dict[str, str] = {}
        self.answered: set[str] = set()
        # What patches did, by call; those inside a script (code mode, "") wait for its output.
        self.patched: dict[str, list[Evidence]] = {}
        self.refused: set[str] = set()
        self.request: int | None = None
        self.answering = False
        # When the last thing was said that the model had not said: a request follows at once.
        self.asked: float | None = None
        self.total: Any = None

    def recording(self, file: str) -> Recording:
        for call, evidence in self.patched.items():
            self.problems.append(
                f"patch {call!r} has no result" if call else "patch in a script has no result"
            )
            self.events.append(Noticed(tuple(evidence)))
        return Recording(
            id=self.id,
            agent="codex",
            file=file,
            root=self.root,
            agent_versions=tuple(self.versions),
            models=tuple(self.models),
            events=tuple(self.events),
            problems=tuple(self.problems),
        )

    def take(self, line: Line) -> None:
        payload = mapping(mapping(line.value).get("payload"))
        match mapping(line.value).get("type"):
            case "session_meta":
                self._session(payload)
            case "turn_context":
                self._turn(payload)
            case "response_item":
                self._item(payload, line.number)
            case "event_msg":
                self._event(payload, line.torn)
            case "compacted":
                self._compacted(payload, line.number)
            case kind if not isinstance(kind, str):
                self.problems.append(f"line {line.number}: not an entry of a session; skipped")
        if not self.answering:
            self.asked = moment(mapping(line.value).get("timestamp")) or self.asked

    def _session(self, meta: Mapping[str, Any]) -> None:
        self.id = self.id or string(meta.get("id"))
        self.root = self.root or string(meta.get("cwd"))
        if version := string(meta.get("cli_version")):
            self.versions[version] = None

    def _turn(self, context: Mapping[str, Any]) -> None:
        self.answering = False
        self.model = string(context.get("model")) or self.model
        if cwd := string(context.get("cwd")):
            self.root = self.root or cwd
            self.cwd = self._path(cwd)

    def _path(self, path: str) -> str:
        return relative(path, self.root, self.cwd)

    def _item(self, item: dict[str, Any], line: int) -> None:
        kind = string(item.get("type"))
        if kind == "reasoning":
            self._answers()
        elif kind in ("message", "agent_message"):
            self._message(item, string(item.get("id")) or f"line-{line}")
        elif kind.endswith("_call"):
            self._answers()
            self._call(item, kind, line)
        elif kind.endswith("_output"):
            self.answering = False
            self._result(item, line)

    def _answers(self) -> None:
        """The model speaks: the first of its items in a row marks the request it answers."""
        if not self.answering:
            if self.model:
                self.models[self.model] = None
            self.request = len(self.events)
            self.events.append(Sent(self.model, at=self.asked))
        self.answering = True

    def _message(self, item: Mapping[str, Any], name: str) -> None:
        role = _ROLES.get(string(item.get("role")), "user")
        if role == "assistant":
            self._answers()
        elif item.get("type") == "message":  # another agent's may come in the midst of an answer
            self.answering = False
        text = joined_text(item.get("content"))
        if text.strip():
            self.events.append(Happened(Say(Slot(name, "say"), role, text), (), self.cwd))

    def _call(self, item: Mapping[str, Any], kind: str, line: int) -> None:
        call = string(item.get("call_id")) or string(item.get("id")) or f"line-{line}"
        if call in self.tools:
            self.problems.append(f"line {line}: a second call {call!r}; skipped")
            return
        self.tools[call] = string(item.get("name")) or kind.removesuffix("_call")
        asked = _input(item)
        workdir = string(mapping(asked).get("workdir") or mapping(asked).get("working_directory"))
        cwd = self._path(workdir) if workdir else self.cwd
        self.events.append(Happened(Call(Slot(call, "input"), self.tools[call], asked), (), cwd))

    def _result(self, item: Mapping[str, Any], line: int) -> None:
        call = string(item.get("call_id")) or f"line-{line}"
        if call in self.answered:
            self.problems.append(f"line {line}: a second result of {call!r}; skipped")
            return
        self.answered.add(call)
        if call not in self.tools:
            self.problems.append(f"line {line}: result of an unknown call {call!r}")
        tool = self.tools.get(call, "")
        text, failed = _output(item.get("output"))
        asked = "" if tool in _SCRIPTS else call
        evidence = self.patched.pop(asked, [])
        refused = asked in self.refused and not evidence
        self.refused.discard(asked)
        if tool == "apply_patch":
            refused = refused or failed or text.startswith(_REFUSED)
        result = Result(Slot(call, "result"), text, refused)
        self.events.append(Happened(result, tuple(evidence), self.cwd))

    def _event(self, event: Mapping[str, Any], torn: frozenset[str]) -> None:
        if event.get("type") == "token_count":
            self._usage(mapping(event.get("info")))
        elif event.get("type") == "patch_apply_end":
            call = string(event.get("call_id"))
            own = call in self.tools and call not in self.answered
            asked = call if own and self.tools[call] not in _SCRIPTS else ""
            if event.get("success") is False:
                self.refused.add(asked)
                return
            for path, change in mapping(event.get("changes")).items():
                found = _change_evidence(path, mapping(change), torn, self._path)
                self.patched.setdefault(asked, []).extend(found)

    def _usage(self, info: Mapping[str, Any]) -> None:
        """Counts repeat; only a changed total tells of a request. Input includes the cached."""
        total, last = info.get("total_token_usage"), mapping(info.get("last_token_usage"))
        if not info or total == self.total:
            return
        self.total = total
        self.answering = False
        if self.request is None:
            return
        sent = self.events[self.request]
        details = {"cached_tokens": last.get("cached_input_tokens")}
        if isinstance(sent, Sent) and last:
            stated = usage("responses", {**last, "input_tokens_details": details})
            self.events[self.request] = replace(sent, usage=stated)
        self.request = None

    def _compacted(self, compaction: Mapping[str, Any], line: int) -> None:
        self.answering = False
        self.events.append(Forgot())
        history = items(compaction.get("replacement_history"))
        kept = history or [{"role": "user", "content": compaction.get("message")}]
        for n, item in enumerate(map(mapping, kept)):
            text = joined_text(item.get("content"))
            if text.strip() and item.get("type", "message") == "message":
                role = _ROLES.get(string(item.get("role")), "user")
                say = Say(Slot(f"line-{line}:{n}", "say"), role, text)
                self.events.append(Happened(say, (), self.cwd))


def _input(item: Mapping[str, Any]) -> dict[str, Any] | str:
    """The arguments of a call: decoded if they are a JSON object, else their text."""
    stated = item.get("arguments", item.get("input", item.get("action")))
    if not isinstance(stated, str):
        return mapping(stated)
    if "arguments" not in item:
        return stated
    try:
        decoded = msgspec.json.decode(stated)
    except (msgspec.DecodeError, RecursionError):
        return stated
    return decoded if isinstance(decoded, dict) else stated


def _output(output: object) -> tuple[str, bool]:
    """The text of an output, and whether its exit code tells of a failure.

    Older versions wrap the text: `{"output": "...", "metadata": {"exit_code": 0}}`.
    """
    text = joined_text(output)
    if text.startswith('{"output":'):
        try:
            wrapped = mapping(msgspec.json.decode(text))
        except (msgspec.DecodeError, RecursionError):
            return text, False
        code = mapping(wrapped.get("metadata")).get("exit_code")
        if isinstance(wrapped.get("output"), str) and "metadata" in wrapped:
            return string(wrapped["output"]), code not in (0, None)
    return text, text.startswith("Exit code: ") and not text.startswith("Exit code: 0\n")


def _change_evidence(
    path: str, change: Mapping[str, Any], torn: frozenset[str], path_of: PathOf
) -> tuple[Evidence, ...]:
    where = path_of(path)
    content = change.get("content")
    match change.get("type"):
        case "add":
            return (Whole(where, None, "before"), *stated_whole(where, content, "after", torn))
        case "delete":
            return (*stated_whole(where, content, "before", torn), Whole(where, None, "after"))
        case "update":
            diff, moved = string(change.get("unified_diff")), string(change.get("move_path"))
            hunks = None if diff in torn else diff_hunks(diff)
            if hunks is not None or (moved and not diff):
                return (Patched(where, hunks or (), path_of(moved) if moved else None),)
    return ()
