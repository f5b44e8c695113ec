"""What the model manager costs: `python -m benchmarks.manager_share FILE... [--json]`.

Each session is replayed under the model manager with a scripted model, which looks into the
repository in two rounds of calls, then answers in full: an action for each nomination, evictions
(`--evict`, 2), one piece of code to bring in. Counted in cl100k tokens: all that Anthropic's
Messages API is sent (the whole exchange in every round, with its tools) and all that the model
says, as a share of the records that the agent's requests carry. Those are less than what an agent
is billed for: its system prompt and its tools come on top.
"""

# ruff: noqa: T201

import argparse
import json
from collections import Counter
from collections.abc import Iterable, Iterator
from operator import attrgetter
from pathlib import Path
from typing import Any, NamedTuple

from statetape.context.asking import Ask, Reply, ToolCall
from statetape.llm.anthropic import body
from statetape.replay.player import replayed
from statetape.tokens import tokens
from statetape.types import Usage

_NOMINATED = "NOMINATED"
_HELD = "HELD"
_MESSAGE = 4  # tokens around each message and call


class Row(NamedTuple):
    """One session: its exchanges, the rounds of all, the manager's tokens and the agent's."""

    file: str
    exchanges: int
    asks: int
    manager: int
    agent: int

    @property
    def share(self) -> float:
        """The manager's tokens as a share of the agent's."""
        return self.manager / self.agent if self.agent else 0.0


class Scripted:
    """A model that looks twice and then answers in full. It counts what it reads, part by part."""

    def __init__(self, evicted: int) -> None:
        self.evicted = evicted
        self.exchanges = 0
        self.parts: Counter[str] = Counter()

    def __call__(self, ask: Ask) -> Reply:
        """The reply to an ask, with what it costs."""
        sizes = Counter(dict(_parts(ask)))
        reply = self._said(ask)
        said = tokens(reply.text or "") + sum(_size(call) for call in reply.calls)
        self.parts += sizes + Counter({"answer": said})
        usage = Usage(input=sum(sizes.values()), output=said)
        return Reply(reply.text, reply.calls, usage)

    def _said(self, ask: Ask) -> Reply:
        nominated, held, changed = _rows(ask.messages[0].text)
        symbol = changed[0]
        if ask.last or ask.round == 3:
            return Reply(json.dumps(_answer(nominated, held[: self.evicted], symbol)))
        self.exchanges += ask.round == 1
        calls = [ToolCall("1", "callers" if ask.round == 1 else "source", _json(symbol=symbol))]
        if ask.round == 1 and held:
            calls.append(ToolCall("2", "text", _json(record=held[0])))
        return Reply("I look at what changed and who rests on it.", tuple(calls))


def _answer(nominated: Iterable[str], held: list[str], symbol: str) -> dict[str, Any]:
    return {
        "actions": [
            {"record": row.split()[0], "action": row.split()[-1], "reason": "as it changed since"}
            for row in nominated
        ],
        "evict": [{"record": number, "reason": "finished with this part"} for number in held],
        "retrieve": [{"where": symbol, "rule": "G3", "reason": "has to stay consistent"}],
    }


def _rows(text: str) -> tuple[list[str], list[str], list[str]]:
    """The rows of the nominations, the numbers of other records, the symbols that changed."""
    rows = text.split("\n")
    heads = [n for n, row in enumerate(rows) if row.startswith((_NOMINATED, _HELD))]
    held = [row.split()[0] for row in rows[heads[1] + 1 :]]
    changed = rows[2].partition(": ")[2].split(", ")
    return rows[heads[0] + 1 : heads[1]], held, changed


def _parts(ask: Ask) -> Iterator[tuple[str, int]]:
    """What an ask consists of, with its tokens."""
    tools = body(ask, "model").get("tools", [])
    first, *later = ask.messages
    rows = first.text.split("\n")
    at = [n for n, row in enumerate(rows) if row.startswith((_NOMINATED, _HELD))]
    yield "system", tokens(ask.system) + _MESSAGE * len(ask.messages)
    yield "tools", tokens(json.dumps(tools)) if tools else 0
    yield "task", tokens("\n".join(rows[:2]))
    yield "changed", tokens("\n".join(rows[2 : at[0]]))
    yield "nominated", tokens("\n".join(rows[at[0] : at[1]]))
    yield "held", tokens("\n".join(rows[at[1] :]))
    calls = sum(_size(call) for each in later for call in each.calls)
    answers = sum(tokens(answer.text) + _MESSAGE for each in later for answer in each.answers)
    yield "rounds", calls + answers + sum(tokens(each.text) for each in later)


def _size(call: ToolCall) -> int:
    return tokens(call.name + call.arguments) + _MESSAGE


def _json(**values: str) -> str:
    return json.dumps(values)


def main() -> None:
    """Print the shares of the sessions that are named."""
    parser = argparse.ArgumentParser(prog="manager_share", description=__doc__)
    parser.add_argument("files", metavar="FILE", nargs="+", type=Path)
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    parser.add_argument("--evict", metavar="N", type=int, default=2,
                        help="how many records each answer evicts (2)")  # fmt: skip
    given = parser.parse_args()
    rows: list[Row] = []
    parts: Counter[str] = Counter()
    for file in given.files:
        model = Scripted(given.evict)
        found = replayed(file, policy="model", answer=model)
        spent = found.asked.usage
        used = spent.prompt + spent.output
        rows.append(
            Row(file.name, model.exchanges, found.asked.asks, used, found.tokens.sent_policy)
        )
        parts += model.parts
    rows.sort(key=attrgetter("share"), reverse=True)
    total = Row(
        "total",
        sum(row.exchanges for row in rows),
        sum(row.asks for row in rows),
        sum(row.manager for row in rows),
        sum(row.agent for row in rows),
    )
    shares = {part: round(n / sum(parts.values()), 4) for part, n in parts.most_common()}
    if given.json:
        document = [{**row._asdict(), "share": round(row.share, 5)} for row in (*rows, total)]
        print(json.dumps({"rows": document[:-1], "total": document[-1], "parts": shares}))
        return
    for row in (*rows[:8], total):
        print(f"{row.share:7.2%}  {row.exchanges:5} exchanges  {row.manager:>11,} of "
              f"{row.agent:>13,} tokens  {row.file}")  # fmt: skip
    print("  ".join(f"{part} {share:.1%}" for part, share in shares.items()))


if __name__ == "__main__":
    main()
