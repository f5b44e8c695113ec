"""The reviews of a benchmark: a file of lines that only grows, and is whole after any end."""

import os
from pathlib import Path

import msgspec
from msgspec import Struct

from statetape.bench.review import Answer
from statetape.errors import BadInput, StatetapeError

FILE = "reviews.jsonl"


class Review(Struct, frozen=True):
    """One line: what a reviewer says of a case, by its name. `answer` None: he takes it back.

    `label` is what the case was labelled then.
    """

    case: str
    label: str
    answer: Answer | None


class Reviews:
    """The answers so far. Every one is on the disk before `add` returns.

    Several reviewers may write at once: a line is one write at the end of the file. `unread` are
    the lines that are no reviews, as one that the end of a process cut off.
    """

    def __init__(self, folder: Path) -> None:
        """BadInput for a file that cannot be read."""
        self.unread = 0
        self._file = folder / FILE
        self._answers: dict[str, Answer] = {}
        self._order: list[str] = []
        try:
            data = self._file.read_bytes() if self._file.exists() else b""
        except OSError as error:
            raise BadInput(f"{self._file}: {error.strerror}") from None
        self._torn = not data.endswith(b"\n") and data != b""
        for line in filter(None, data.split(b"\n")):
            try:
                self._take(msgspec.json.decode(line, type=Review))
            except (msgspec.DecodeError, UnicodeDecodeError):
                self.unread += 1

    @property
    def answers(self) -> dict[str, Answer]:
        """The last answer to each case, by its name."""
        return dict(self._answers)

    @property
    def last(self) -> str | None:
        """The name of the case that was answered last and not taken back."""
        return self._order[-1] if self._order else None

    def add(self, review: Review) -> None:
        """Keep an answer. StatetapeError where it cannot be written; then it is not kept."""
        line = msgspec.json.encode(review) + b"\n"
        if self._torn:
            line = b"\n" + line
        try:
            file = os.open(self._file, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
            try:
                if os.write(file, line) < len(line):
                    self._torn = True
                    raise StatetapeError(f"{self._file}: no room for a review")
                os.fsync(file)
            finally:
                os.close(file)
        except OSError as error:
            raise StatetapeError(f"{self._file}: {error.strerror}") from None
        self._torn = False
        self._take(review)

    def _take(self, review: Review) -> None:
        if review.case in self._order:
            self._order.remove(review.case)
        if review.answer is None:
            self._answers.pop(review.case, None)
        else:
            self._answers[review.case] = review.answer
            self._order.append(review.case)
