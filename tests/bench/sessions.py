"""Small recorded sessions, made step by step: Claude Code's log over files that really change."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from statetape.bench.judge import ModelJudge
from statetape.bench.labelling import Session, labelled, walked
from statetape.bench.labels import Gold, Held, Labelled, Point
from statetape.bench.references import Jedi
from statetape.context.asking import Ask, Reply
from statetape.files import Memory
from statetape.replay.history import history
from statetape.replay.prepared import prepared
from statetape.replay.transcripts import recording


class Told:
    """A session as it is told: each method is one answer of the model, and its result."""

    def __init__(self, folder: Path, files: Mapping[str, str], name: str = "session") -> None:
        self.file = folder / f"{name}.jsonl"
        self.start = dict(files)
        self.files = dict(files)
        self.rows: list[dict[str, Any]] = []
        self._count = 0
        self._line("user", message={"role": "user", "content": "Do it."})

    def read(self, path: str, first: int | None = None, last: int | None = None) -> str:
        """The whole file, or lines of it. The id of the call, as of all others."""
        lines = self.files[path].splitlines()
        start, end = first or 1, last or len(lines)
        shown = lines[start - 1 : end]
        given: dict[str, Any] = {"file_path": f"/r/{path}"}
        if first:
            given |= {"offset": start, "limit": len(shown)}
        name = self._call("Read", **given)
        text = "\n".join(shown) + ("" if last else "\n")
        file = {"filePath": f"/r/{path}", "content": text, "startLine": start}
        file |= {"numLines": len(shown), "totalLines": len(lines)}
        numbered = "\n".join(f"{n:>6}→{line}" for n, line in enumerate(shown, start))
        return self._result(name, numbered, {"type": "text", "file": file})

    def edit(self, path: str, old: str, new: str) -> str:
        """A replacement of a text that stands once in its file."""
        before = self.files[path]
        assert before.count(old) == 1
        self.files[path] = before.replace(old, new)
        given = {"file_path": f"/r/{path}", "old_string": old, "new_string": new}
        name = self._call("Edit", **given)
        answer = {"filePath": f"/r/{path}", "oldString": old, "newString": new}
        return self._result(name, "The file has been updated.", {**answer, "originalFile": before})

    def write(self, path: str, text: str) -> str:
        """A file anew."""
        before = self.files.get(path)
        self.files[path] = text
        name = self._call("Write", file_path=f"/r/{path}", content=text)
        kind = "create" if before is None else "update"
        answer = {"type": kind, "filePath": f"/r/{path}", "content": text}
        return self._result(name, "Written.", {**answer, "originalFile": before})

    def failed_edit(self, path: str) -> str:
        given = {"file_path": f"/r/{path}", "old_string": "nowhere", "new_string": "x"}
        return self._result(self._call("Edit", **given), "String to replace not found", failed=True)

    def bash(self, command: str, text: str = "", *, failed: bool = False) -> str:
        return self._result(self._call("Bash", command=command), text, failed=failed)

    def to_do(self) -> str:
        return self._result(self._call("TodoWrite", todos=[]), "Todos have been modified.")

    def say(self, text: str) -> None:
        self._assistant({"type": "text", "text": text})

    def saved(self) -> Path:
        self.file.write_text("".join(json.dumps(row) + "\n" for row in self.rows), "utf-8")
        return self.file

    def walked(self, references: Jedi, patch: str | None = None) -> Session:
        ready = prepared(recording(self.saved()))
        base = Memory({path: text.encode() for path, text in self.start.items()})
        return walked(ready, history(ready.recording, base, ready.shell_writes), references,
                      patch=patch)  # fmt: skip

    def labelled(self, patch: str | None = None, judge: ModelJudge | None = None) -> Labelled:
        with Jedi() as references:
            return labelled(self.walked(references, patch), "session", (), judge)

    def _call(self, tool: str, **given: Any) -> str:
        self._count += 1
        name = f"t{self._count}"
        self._assistant({"type": "tool_use", "id": name, "name": tool, "input": given})
        return name

    def _assistant(self, *parts: dict[str, Any]) -> None:
        message = {"id": f"m{len(self.rows)}", "model": "opus", "content": list(parts)}
        self._line("assistant", message={**message, "usage": {"input_tokens": 1}})

    def _result(self, name: str, text: str, answer: Any = None, *, failed: bool = False) -> str:
        part = {"type": "tool_result", "tool_use_id": name, "content": text, "is_error": failed}
        more = {} if answer is None else {"toolUseResult": answer}
        self._line("user", message={"role": "user", "content": [part]}, **more)
        return name

    def _line(self, kind: str, **more: Any) -> None:
        stated = {"type": kind, "uuid": f"u{len(self.rows)}", "sessionId": "s", "cwd": "/r"}
        self.rows.append({**stated, "version": "2.0.0", **more})


def before_edits(found: Labelled, *, strict: bool = False) -> list[Point]:
    left_out = "usual" if strict else "strict"
    return [p for p in found.points if p.family == "P" and p.reading != left_out]


def regions(point: Point, rule: str | None = None) -> list[tuple[str, str, int, int]]:
    return [
        (each.path, each.symbol, each.lines.first, each.lines.last)
        for each in point.needed
        if rule in (None, each.rule)
    ]


def gold(point: Point, symbol: str) -> Gold:
    (found,) = (each for each in point.needed if each.symbol == symbol)
    return found


def record(point: Point, name: str, side: str = "result") -> Held:
    (found,) = (each for each in point.held if (each.id, each.side) == (name, side))
    return found


class Script:
    """A judge whose answers are made by a function; `asks` are what it was asked."""

    def __init__(self, answer: Any) -> None:
        self._answer = answer
        self.asks: list[Ask] = []

    def __call__(self, ask: Ask) -> Reply:
        self.asks.append(ask)
        return Reply(self._answer(ask))
