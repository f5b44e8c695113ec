"""Session files on disk, of any agent, as recordings."""

from collections.abc import Iterator
from itertools import chain
from pathlib import Path

from statetape.errors import BadInput
from statetape.replay.recording import Recording
from statetape.replay.transcripts.claude_code import claude_code, is_claude_code
from statetape.replay.transcripts.codex import codex, is_codex
from statetape.replay.transcripts.lines import Line, content, lines
from statetape.replay.transcripts.opencode import is_opencode, opencode, opencode_document

# A format shows itself within this many lines, or the file is no session.
_LINES_TO_TELL = 200


def recording(file: Path) -> Recording:
    """The session recorded in `file`, plain or gzip, whatever agent wrote it.

    Damage that leaves something to read is stated in `Recording.problems`. Raises BadInput for
    a file that is missing, unreadable, empty, or no session. Takes one pass; holds the result
    and one line (opencode: the document) at a time.
    """
    problems: list[str] = []
    pieces = content(file, problems)
    head = b""
    for piece in pieces:
        head += piece
        if head.strip():
            break
    if not head.strip():
        raise BadInput(f"{file}: empty: there is no session in it")
    pieces = chain((head,), pieces)
    if is_opencode(head):
        document = opencode_document(pieces, problems)
        found = opencode(document, str(file), problems) if document else None
    else:
        found = _of_lines(lines(pieces, problems), file, problems)
    if found is None:
        raise BadInput(
            f"{file}: not a recorded session: neither Claude Code JSONL, Codex rollout JSONL"
            " nor OpenCode JSON; give it a session file as the agent wrote it"
        )
    return found


def _of_lines(values: Iterator[Line], file: Path, problems: list[str]) -> Recording | None:
    first: list[Line] = []
    for line in values:
        first.append(line)
        if is_claude_code(line.value):
            return claude_code(chain(first, values), str(file), problems)
        if is_codex(line.value):
            return codex(chain(first, values), str(file), problems)
        if len(first) == _LINES_TO_TELL:
            break
    return None
