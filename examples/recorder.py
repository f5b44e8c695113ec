"""A scripted agent: it does to a repository what it is told, and logs it as Claude Code 2.0 does.

The work is real: files are read and written, commands run. Only the clock, the ids and the folder's
name are made up, so that the same script gives the same log.
"""

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime, timedelta
from difflib import SequenceMatcher
from hashlib import sha256
from pathlib import Path
from typing import Any
from uuid import NAMESPACE_URL, uuid5

from statetape.tokens import tokens

Detail = Mapping[str, Any]
SYSTEM_TOKENS = 14_200
MODEL = "claude-sonnet-4-5-20250929"


class Recorder:
    """The repository in `folder`, logged as if it stood at `root`."""

    def __init__(self, folder: Path, root: str) -> None:
        self._folder = folder.resolve()
        self._root = root
        self._seen: set[str] = set()
        self._lines: list[dict[str, Any]] = []
        self._sent = 0
        self._held = SYSTEM_TOKENS
        self._made = 0

    def log(self) -> str:
        """The session as JSON lines."""
        return "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in self._lines)

    def asks(self, text: str) -> None:
        """The user says something."""
        self._line("user", {"role": "user", "content": text})
        self._held += tokens(text)

    def turn(self, remark: str | None, *calls: tuple[str, dict[str, Any]]) -> None:
        """One answer of the model, words and calls, and then what each call gave."""
        blocks: list[dict[str, Any]] = [{"type": "text", "text": remark}] if remark else []
        blocks += [
            {"type": "tool_use", "id": self._id("toolu"), "name": tool, "input": arguments}
            for tool, arguments in calls
        ]
        self._answer(blocks)
        for block in blocks:
            if block["type"] == "tool_use":
                self._result(block)

    def _answer(self, blocks: list[dict[str, Any]]) -> None:
        """Log one message: a line for each block, all with the same id and usage."""
        output = sum(tokens(json.dumps(block)) for block in blocks)
        head = {"model": MODEL, "id": self._id("msg"), "type": "message", "role": "assistant"}
        usage = {
            "input_tokens": 4,
            "cache_creation_input_tokens": self._held - self._sent,
            "cache_read_input_tokens": self._sent,
            "output_tokens": output,
            "service_tier": "standard",
        }
        request = self._id("req")
        stop = "tool_use" if blocks[-1]["type"] == "tool_use" else "end_turn"
        for block in blocks:
            message = head | {"content": [block], "stop_reason": stop, "usage": usage}
            self._line("assistant", message, requestId=request)
        self._sent = self._held
        self._held += output

    def _result(self, call: Detail) -> None:
        tool = getattr(self, f"_{call['name'].lower()}")
        try:
            text, detail = tool(**call["input"])
        except _Refused as refusal:
            text, detail = refusal.text, f"Error: {refusal.plain}"
        block = {"tool_use_id": call["id"], "type": "tool_result", "content": text}
        if isinstance(detail, str):
            block["is_error"] = True
        self._line("user", {"role": "user", "content": [block]}, toolUseResult=detail)
        self._held += tokens(text)

    def _line(self, kind: str, message: Detail, **more: Any) -> None:
        clock = datetime(2026, 1, 12, 9, 0, tzinfo=UTC) + timedelta(seconds=7 * len(self._lines))
        parent = self._lines[-1]["uuid"] if self._lines else None
        self._lines.append(
            {
                "parentUuid": parent,
                "isSidechain": False,
                "userType": "external",
                "cwd": self._root,
                "sessionId": str(uuid5(NAMESPACE_URL, self._root)),
                "version": "2.0.76",
                "gitBranch": "main",
                "type": kind,
                "message": message,
                "uuid": str(uuid5(NAMESPACE_URL, f"{self._root}#{len(self._lines)}")),
                "timestamp": clock.strftime("%Y-%m-%dT%H:%M:%S.000Z"),
                **more,
            }
        )

    def _id(self, prefix: str) -> str:
        self._made += 1
        return f"{prefix}_01{sha256(f'{prefix}{self._made}'.encode()).hexdigest()[:22]}"

    def _path(self, path: str) -> Path:
        return self._folder / Path(path).relative_to(self._root)

    def _read(self, file_path: str, offset: int = 1, limit: int = 2000) -> tuple[str, Detail]:
        content = self._path(file_path).read_text()
        self._seen.add(file_path)
        lines = content.split("\n")
        shown = lines[offset - 1 : offset - 1 + limit]
        file = {
            "filePath": file_path,
            "content": "\n".join(shown),
            "numLines": len(shown),
            "startLine": offset,
            "totalLines": len(lines),
        }
        return _numbered(shown, offset), {"type": "text", "file": file}

    def _edit(self, file_path: str, old_string: str, new_string: str) -> tuple[str, Detail]:
        path = self._path(file_path)
        if file_path not in self._seen:
            raise _Refused("File has not been read yet. Read it first before writing to it.")
        before = path.read_text()
        if old_string not in before:
            raise _Refused(f"String to replace not found in file.\nString: {old_string}")
        after = before.replace(old_string, new_string, 1)
        path.write_text(after)
        detail = {
            "filePath": file_path,
            "oldString": old_string,
            "newString": new_string,
            "originalFile": before,
            "structuredPatch": list(_patch(before, after)),
            "userModified": False,
            "replaceAll": False,
        }
        first = before[: before.index(old_string)].count("\n")
        start, end = max(0, first - 4), first + new_string.count("\n") + 5
        snippet = _numbered(after.split("\n")[start:end], start + 1)
        return _updated(file_path, snippet), detail

    def _write(self, file_path: str, content: str) -> tuple[str, Detail]:
        path = self._path(file_path)
        before = path.read_text() if path.exists() else None
        path.write_text(content)
        self._seen.add(file_path)
        detail = {
            "type": "create" if before is None else "update",
            "filePath": file_path,
            "content": content,
            "structuredPatch": [] if before is None else list(_patch(before, content)),
            "originalFile": before,
        }
        if before is None:
            return f"File created successfully at: {file_path}", detail
        return _updated(file_path, _numbered(content.split("\n"), 1)), detail

    def _bash(self, command: str, description: str) -> tuple[str, Detail]:
        del description
        run = subprocess.run(
            ["bash", "-c", command],
            cwd=self._folder,
            env={
                "PATH": f"{Path(sys.executable).parent}:{os.defpath}",
                "PYTEST_ADDOPTS": f"--color=no -p no:cacheprovider --basetemp={self._folder}.tests",
                "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
                "PYTHONDONTWRITEBYTECODE": "1",
                "COLUMNS": "100",
                "LC_ALL": "C.UTF-8",
            },
            capture_output=True,
            text=True,
            check=False,
        )
        output = (run.stdout + run.stderr).rstrip("\n").replace(str(self._folder), self._root)
        output = re.sub(r"\bin \d+\.\d+s", "in 0.04s", output)
        if run.returncode:
            plain = f"Exit code {run.returncode}\n{output}"
            raise _Refused(plain, marked=False)
        detail = {"stdout": output, "stderr": "", "interrupted": False, "isImage": False}
        return output, detail

    def _grep(self, pattern: str, path: str, output_mode: str) -> tuple[str, Detail]:
        hits = [
            f"{file.relative_to(self._folder)}:{number}:{line}"
            for file in self._files(self._path(path))
            for number, line in enumerate(file.read_text().splitlines(), 1)
            if re.search(pattern, line)
        ]
        content = "\n".join(hits)
        detail = {
            "mode": output_mode,
            "numFiles": 0,
            "filenames": [],
            "content": content,
            "numLines": len(hits),
        }
        return content or "No matches found", detail

    def _glob(self, pattern: str) -> tuple[str, Detail]:
        names = [
            f"{self._root}/{file.relative_to(self._folder)}"
            for file in self._files(self._folder)
            if file.match(pattern)
        ]
        detail = {"filenames": names, "durationMs": 12, "numFiles": len(names), "truncated": False}
        return "\n".join(names), detail

    def _todowrite(self, todos: list[dict[str, str]]) -> tuple[str, Detail]:
        return "The list of things to do is up to date.", {"oldTodos": [], "newTodos": todos}

    def _files(self, under: Path) -> list[Path]:
        files = [under] if under.is_file() else under.rglob("*")
        return sorted(file for file in files if file.is_file())


class _Refused(Exception):
    """A call that did not do what was asked; `text` is what the model is told."""

    def __init__(self, plain: str, *, marked: bool = True) -> None:
        super().__init__(plain)
        self.plain = plain
        self.text = f"<tool_use_error>{plain}</tool_use_error>" if marked else plain


def _numbered(lines: list[str], first: int) -> str:
    return "\n".join(f"{number:>6}→{line}" for number, line in enumerate(lines, first))


def _updated(path: str, snippet: str) -> str:
    result = f"The file {path} has been updated. "
    return (
        f"{result}Here's the result of running `cat -n` on a snippet of the edited file:\n{snippet}"
    )


def _patch(before: str, after: str) -> Iterator[dict[str, Any]]:
    """The hunks between two texts, three lines of context around each."""
    old, new = before.splitlines(), after.splitlines()
    for group in SequenceMatcher(None, old, new, autojunk=False).get_grouped_opcodes(3):
        lines: list[str] = []
        for tag, i1, i2, j1, j2 in group:
            if tag == "equal":
                lines += [f" {line}" for line in old[i1:i2]]
            else:
                lines += [f"-{line}" for line in old[i1:i2]] + [f"+{line}" for line in new[j1:j2]]
        old_start, old_end, new_start, new_end = (
            group[0][1],
            group[-1][2],
            group[0][3],
            group[-1][4],
        )
        yield {
            "oldStart": old_start + 1,
            "oldLines": old_end - old_start,
            "newStart": new_start + 1,
            "newLines": new_end - new_start,
            "lines": lines,
        }
