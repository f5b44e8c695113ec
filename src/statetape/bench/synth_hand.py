"""A scripted agent's hand: each call does its work on the files, and says what it claimed.

Texts and details are those of Claude Code's own tools. What a test run prints is made up; it
claims the state of the repository whatever it prints.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from msgspec import Struct

from statetape.bench.synth_commits import Hit, whole_lines
from statetape.bench.truth import Claim, Everything, Ground, Matches, Names, Whole
from statetape.types import Lines

ROOT = "/home/dev/project"
"""Where the repository stands, as the sessions spell it."""


class Done(Struct, frozen=True):
    """One call and what it gave: what the model is sent (`text`), what the log says (`detail`).

    `held` is what the call's own text claims, `shown` what its result does, `kind` is the step's.
    """

    kind: str
    tool: str
    input: Mapping[str, Any]
    text: str
    detail: Mapping[str, Any]
    held: tuple[Claim, ...] = ()
    shown: tuple[Claim, ...] = ()
    path: str | None = None


class Hand:
    """Calls on one repository. `snippets`: edits show the lines around them, as clients did.

    `originals`: the log has the whole text before an edit; without, the agent has to have read
    what it replaces for its log to tell where that stands. `read_whole` are the files that it has
    read from end to end with `Read`.
    """

    def __init__(self, ground: Ground, *, snippets: bool, originals: bool) -> None:
        self._ground = ground
        self._snippets = snippets
        self.originals = originals
        self.read_whole: set[str] = set()

    def read(self, path: str, first: int | None = None, last: int | None = None) -> Done:
        """`Read` of a file or of lines of it (1-based, inclusive)."""
        lines = self._ground.lines(path)
        start, end = first or 1, min(last or len(lines), len(lines))
        shown = lines[start - 1 : end]
        given: dict[str, Any] = {"file_path": f"{ROOT}/{path}"}
        if first is not None:
            given |= {"offset": start, "limit": end - start + 1}
        file = {
            "filePath": f"{ROOT}/{path}",
            "content": "\n".join(shown),
            "numLines": len(shown),
            "startLine": start,
            "totalLines": len(lines),
        }
        claims = (self._lines(path, start, end),)
        if len(shown) == len(lines):
            self.read_whole.add(path)
        detail = {"type": "text", "file": file}
        return Done("read", "Read", given, numbered(shown, start), detail, (), claims, path)

    def print(self, path: str, first: int | None = None, last: int | None = None) -> Done:
        """`cat`, `head` or `sed -n` of a file or of lines of it."""
        lines = self._ground.lines(path)
        start, end = first or 1, min(last or len(lines), len(lines))
        command = f"cat {path}"
        if first == 1:
            command = f"head -n {end} {path}"
        elif first is not None:
            command = f"sed -n '{start},{end}p' {path}"
        text = "\n".join(lines[start - 1 : end]).rstrip("\n")
        # What a shell's output ends with is cut off, so nobody has seen it.
        end = start + text.count("\n")
        claims = (self._lines(path, start, end),)
        return self._bash("read", command, text, shown=claims, path=path)

    def grep(self, word: str, found: Sequence[Hit], folder: str, suffix: str) -> Done:
        """`Grep` for lines."""
        given = {"pattern": word, "output_mode": "content", "-n": True}
        given |= {"path": f"{ROOT}/{folder}"} if folder else {}
        given |= {"glob": f"*{suffix}"} if suffix else {}
        text = "\n".join(f"{hit.path}:{hit.number}:{hit.line}" for hit in found)
        detail = {"mode": "content", "numFiles": 0, "filenames": [], "content": text}
        claims = (self._matches(word, folder, suffix, listed=True),)
        text = text or "No matches found"
        return Done("search", "Grep", given, text, {**detail, "numLines": len(found)}, (), claims)

    def files_with(self, word: str, found: Sequence[Hit], folder: str, suffix: str) -> Done:
        """`Grep` for files."""
        given = {"pattern": word, "output_mode": "files_with_matches"}
        given |= {"path": f"{ROOT}/{folder}"} if folder else {}
        given |= {"glob": f"*{suffix}"} if suffix else {}
        names = list(dict.fromkeys(hit.path for hit in found))
        several = "file" if len(names) == 1 else "files"
        text = "\n".join([f"Found {len(names)} {several}", *names]) if names else "No files found"
        detail = {"mode": "files_with_matches", "filenames": names, "numFiles": len(names)}
        claims = (self._matches(word, folder, suffix, listed=False),)
        return Done("search", "Grep", given, text, detail, (), claims)

    def shell_grep(self, word: str, found: Sequence[Hit], folder: str) -> Done:
        """`grep -rn` in a folder."""
        prefix = "" if folder else "./"
        text = "\n".join(f"{prefix}{hit.path}:{hit.number}:{hit.line}" for hit in found)
        claims = (self._matches(word, folder, "", listed=True),)
        return self._bash("search", f"grep -rn '{word}' {folder or '.'}", text, shown=claims)

    def glob(self, names: Sequence[str], folder: str, suffix: str) -> Done:
        """`Glob` for the files of a folder and below."""
        given = {"pattern": f"{folder}/**/*{suffix}" if folder else f"**/*{suffix}"}
        full = [f"{ROOT}/{name}" for name in names]
        detail = {"filenames": full, "durationMs": 9, "numFiles": len(full), "truncated": False}
        claims = (Names(folder, suffix, self._ground.now),)
        text = "\n".join(full) or "No files found"
        return Done("search", "Glob", given, text, detail, (), claims)

    def test(self, command: str, passed: int) -> Done:
        """A test run."""
        claims = (Everything(self._ground.now),)
        return self._bash("run", command, f"{passed} passed in 0.21s", shown=claims)

    def commit(self, subject: str) -> Done:
        """`git commit`, which changes no file."""
        command = "git add -A && git commit -q -m 'Work'"
        del subject
        return self._bash("run", command, "")

    def edit(self, path: str, old: str, new: str) -> Done:
        """`Edit`. `old` stands in the file once; a removal takes an end of line with it."""
        before = self._ground.text(path) or ""
        broken = not new and not old.endswith("\n") and f"{old}\n" in before
        taken = f"{old}\n" if broken else old
        at = before.index(taken)
        after = before[:at] + new + before[at + len(taken) :]
        self._ground.put(path, after)
        given = {"file_path": f"{ROOT}/{path}", "old_string": old, "new_string": new}
        first = before.count("\n", 0, at) + 1
        claims = self._put_in(path, first, new)
        patch = [_patch(before, after)]
        detail = self._detail(path, before, patch, oldString=old, newString=new, replaceAll=False)
        text, shown = self._updated(path, first, first + new.count("\n"))
        return Done("edit", "Edit", given, text, detail, claims, shown, path)

    def write(self, path: str, pieces: Iterable[str]) -> Done:
        """`Write`: the whole text, the last of the states that its changes go through."""
        before = self._ground.text(path)
        after = before or ""
        for after in pieces:
            self._ground.put(path, after)
        detail = {
            "type": "create" if before is None else "update",
            "filePath": f"{ROOT}/{path}",
            "content": after,
            "structuredPatch": [] if before is None else [_patch(before, after)],
            "originalFile": before,
        }
        given = {"file_path": f"{ROOT}/{path}", "content": after}
        claims = self._put_in(path, 1, after)
        if before is None:
            text = f"File created successfully at: {ROOT}/{path}"
            return Done("edit", "Write", given, text, detail, claims, (), path)
        text, shown = self._updated(path, 1, len(self._ground.lines(path)))
        return Done("edit", "Write", given, text, detail, claims, shown, path)

    def heredoc(self, path: str, text: str) -> Done:
        """`cat > path <<'EOF'` of a new file whose text ends with a newline."""
        self._ground.put(path, text)
        command = f"cat > {path} <<'EOF'\n{text}EOF"
        return self._bash("edit", command, "", held=self._put_in(path, 1, text), path=path)

    def remove(self, path: str, command: str) -> Done:
        """The file goes."""
        self._ground.put(path, None)
        return self._bash("edit", f"{command} {path}", "", path=path)

    def move(self, path: str, target: str, command: str) -> Done:
        """The file gets another path."""
        text = self._ground.text(path)
        self._ground.put(path, None)
        self._ground.put(target, text)
        folder = target.rpartition("/")[0]
        made = f"mkdir -p {folder} && " if folder else ""
        return self._bash("edit", f"{made}{command} {path} {target}", "", path=target)

    def _bash(
        self,
        kind: str,
        command: str,
        text: str,
        *,
        held: tuple[Claim, ...] = (),
        shown: tuple[Claim, ...] = (),
        path: str | None = None,
    ) -> Done:
        detail = {"stdout": text, "stderr": "", "interrupted": False, "isImage": False}
        return Done(kind, "Bash", {"command": command}, text, detail, held, shown, path)

    def _detail(
        self, path: str, before: str, patch: Sequence[Mapping[str, Any]], **more: Any
    ) -> dict[str, Any]:
        original = {"originalFile": before} if self.originals else {"originalFile": None}
        return {
            "filePath": f"{ROOT}/{path}",
            "structuredPatch": patch,
            "userModified": False,
            **original,
            **more,
        }

    def _updated(self, path: str, first: int, last: int) -> tuple[str, tuple[Claim, ...]]:
        if not self._snippets:
            return f"The file {ROOT}/{path} has been updated successfully.", ()
        lines = self._ground.lines(path)
        start, end = max(1, first - 4), min(len(lines), last + 4)
        told = "Here's the result of running `cat -n` on a snippet of the edited file:"
        snippet = numbered(lines[start - 1 : end], start)
        shown = any(map(str.strip, lines[start - 1 : end]))
        claims = (self._lines(path, start, end),) if shown else ()
        return f"The file {ROOT}/{path} has been updated. {told}\n{snippet}", claims

    def _put_in(self, path: str, first: int, new: str) -> tuple[Claim, ...]:
        if not new.strip():
            return ()
        return (self._lines(path, first, first + new.rstrip("\n").count("\n")),)

    def _lines(self, path: str, first: int, last: int) -> Claim:
        """The empty "line" after a file's last newline is none."""
        lines = self._ground.lines(path)
        last -= last == len(lines) and not lines[-1] and last > first
        return Whole(path, Lines(first, last), self._ground.now)

    def _matches(self, word: str, folder: str, suffix: str, *, listed: bool) -> Claim:
        return Matches(word, folder, suffix, listed, self._ground.now)


def numbered(lines: Sequence[str], first: int) -> str:
    """Lines as `Read` shows them."""
    return "\n".join(f"{number:>6}→{line}" for number, line in enumerate(lines, first))


def _patch(before: str, after: str) -> Mapping[str, Any]:
    """One hunk with three lines around it."""
    old, new = whole_lines(before), whole_lines(after)
    head = _equal(old, new)
    tail = min(_equal(old[::-1], new[::-1]), min(len(old), len(new)) - head)
    top, end = max(0, head - 3), min(3, tail)
    lines = [f" {line}" for line in old[top:head]]
    lines += [f"-{line}" for line in old[head : len(old) - tail]]
    lines += [f"+{line}" for line in new[head : len(new) - tail]]
    lines += [f" {line}" for line in old[len(old) - tail :][:end]]
    rows = [row for line in lines for row in _with_mark(line)]
    was, now = len(old) - tail + end - top, len(new) - tail + end - top
    return {
        "oldStart": top + 1 if was else top,
        "oldLines": was,
        "newStart": top + 1 if now else top,
        "newLines": now,
        "lines": rows,
    }


def _with_mark(line: str) -> Sequence[str]:
    if line.endswith("\n"):
        return (line[:-1],)
    return line, "\\ No newline at end of file"


def _equal(one: Sequence[str], other: Sequence[str]) -> int:
    pairs = enumerate(zip(one, other, strict=False))
    return next((at for at, (left, right) in pairs if left != right), min(len(one), len(other)))
