"""A script in place of a model, for replays, benchmarks and tests. It is no model.

It makes its texts from the rows of the question, as long as a model's would be, always the same
for the same question. What follows from it is what questions and answers weigh, and what a policy
does with them; not how well a model would have judged.
"""

import json
import re
from collections.abc import Callable, Iterator, Mapping

from msgspec.structs import replace

from statetape.context.asking import Ask, Reply
from statetape.tokens import tokens
from statetape.types import Usage

SHARE = 0.06  # of the question: what a summary of ours is as long as, between these bounds
LEAST, MOST = 250, 1_000  # tokens

_RESULT = re.compile(r"result \d+ \((.*)\):")
_ROW = re.compile(r"(\d+) \d+t (.*)")
_PATH = re.compile(r"[\w.-]*[\w/.-]+\.\w+")


class Scripted:
    """Answers by the purpose of a question; what it has none for, it leaves without an answer.

    `usage` is the sum over different questions, in cl100k tokens: the same one asked again is
    taken to come from a cache of replies. `asked` is how many there were.
    """

    def __init__(self) -> None:
        self._known: dict[Ask, Reply] = {}
        self.usage: dict[str, Usage] = {}

    @property
    def asked(self) -> int:
        """How many different questions there were."""
        return len(self._known)

    def __call__(self, ask: Ask) -> Reply:
        """The reply to a question."""
        key = replace(ask, schema=None)
        if key not in self._known:
            self._known[key] = self._reply(ask)
        return self._known[key]

    def _reply(self, ask: Ask) -> Reply:
        script = SCRIPTS.get(ask.purpose)
        if script is None:
            return Reply(None, why="no model")
        question = ask.messages[-1].text
        text = script(question)
        usage = Usage(input=tokens(ask.system) + tokens(question), output=tokens(text))
        before = self.usage.get(ask.by, Usage())
        self.usage[ask.by] = Usage(
            input=before.input + usage.input, output=before.output + usage.output
        )
        return Reply(text, usage=usage)


def notes(question: str) -> str:
    """A summary: of each result its name and its first lines, after the start of earlier notes."""
    room = min(MOST, max(LEAST, round(tokens(question) * SHARE)))
    earlier, _, results = question.rpartition("\nCALLS AND RESULTS\n")
    _, _, before = earlier.partition("\nEARLIER NOTES\n")
    lines = ["FOUND:"]
    for line in (*before.splitlines()[1:], *_gist(results)):
        room -= tokens(line) + 1
        if room < 0:
            break
        lines.append(line)
    return "\n".join(lines)


def _gist(results: str) -> Iterator[str]:
    """Of each result its name and three lines."""
    left = 0
    for line in results.splitlines():
        found = _RESULT.fullmatch(line)
        if found is not None:
            left = 3
            yield f"- {found[1]}"
        elif left and line.strip():
            left -= 1
            yield f"  {line.strip()[:100]}"


def repeated(question: str) -> str:
    """Names each record that a later one repeats, as far as its first words tell."""
    rows = _rows(question)
    seen: set[str] = set()
    found = []
    for number, words in reversed(rows):
        title = words.partition(": ")[0]
        if title in seen:
            found.append(number)
        seen.add(title)
    return _named(reversed(found), "a later one shows it")


def overwritten(question: str) -> str:
    """Names each record of which the words have a path that is written after it."""
    written: set[str] = set()
    found = []
    for line in reversed(question.splitlines()):
        row = _ROW.fullmatch(line)
        if line.startswith("WROTE "):
            written |= set(line.removeprefix("WROTE ").split(", "))
        elif row is not None and written & set(_PATH.findall(row[2])):
            found.append(row[1])
    return _named(reversed(found), "written since")


def _rows(question: str) -> list[tuple[str, str]]:
    found = (_ROW.fullmatch(line) for line in question.splitlines())
    return [(row[1], row[2]) for row in found if row is not None]


def _named(numbers: Iterator[str], reason: str) -> str:
    return json.dumps({"records": [{"record": each, "reason": reason} for each in numbers]})


SCRIPTS: Mapping[str, Callable[[str], str]] = {
    "summary": notes,
    "text": repeated,
    "staleness": overwritten,
}
"""What answers to each purpose."""
