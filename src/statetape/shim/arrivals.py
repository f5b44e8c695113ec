"""New messages of a conversation, block by block, each result as the step that it ends."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from msgspec.structs import replace

from statetape.agents import actions
from statetape.agents.paths import relative
from statetape.agents.recognised import entered
from statetape.agents.told import file_noted, input_told, is_result_told
from statetape.types import (
    Action,
    Block,
    Call,
    Edit,
    Read,
    Result,
    Run,
    Say,
    Search,
    Slot,
    Step,
    Turn,
)


class Arrival(NamedTuple):
    """A block that entered the conversation with the message number `at` of the new ones.

    `step` is its number if it is a remark or a call, or the step that a result ends.
    """

    at: int
    block: Block
    step: int | Step


class Steps:
    """The steps of one conversation: numbered from 1, calls that wait for their results.

    `root` is the repository as the agent spells it; it starts in `cwd`, a repository path. `real`
    says which file a path means, where the folder has links.
    """

    def __init__(
        self, agent: str, root: str, cwd: str = "", real: Callable[[str], str] = str
    ) -> None:
        self.root = root
        self._real = real
        self._agent = agent
        self._cwd = cwd
        self._count = 0
        self._read: Mapping[str, Any] | None = None  # the client tells the result next
        self._open: dict[str, tuple[int, Call]] = {}
        self._ended_calls: dict[str, tuple[int, Call]] = {}

    def arrivals(self, turns: Sequence[Turn]) -> Iterator[Arrival]:
        """What new messages hold, in order. A result without a call is a step of its own."""
        for at, turn in enumerate(turns):
            for block in turn.blocks:
                match block:
                    case Say(role="assistant"):
                        self._count += 1
                        yield Arrival(at, block, self._count)
                    case Say(text=text):
                        folder = entered(text)
                        if folder is not None:
                            self._cwd = relative(folder, self.root)
                        yield Arrival(at, block, self._told(block) or self._count)
                    case Call():
                        self._count += 1
                        self._open[block.slot.id] = self._count, block
                        yield Arrival(at, block, self._count)
                    case Result():
                        yield Arrival(at, block, self._ended(block))

    def foreseen(self, call: Call) -> frozenset[Read | Edit]:
        """The reads and the edits that a call which has no result yet is about to make."""
        _, done, _ = actions(self._agent, call, None, self._cwd, self.root)
        followed = map(self._followed, done)
        return frozenset(action for action in followed if isinstance(action, Read | Edit))

    def forget(self, slots: Iterable[Slot]) -> None:
        """Calls that the client took back wait for nothing any more, others for a result again."""
        slots = set(slots)
        for slot in slots:
            ended = self._ended_calls.pop(slot.id, None)
            if Slot(slot.id, "input") in slots:
                self._open.pop(slot.id, None)
            elif ended is not None:
                self._open[slot.id] = ended

    def _told(self, say: Say) -> Step | None:
        """The step that a text of the client's tells of: a read that the model did not ask for."""
        given, noted = input_told(say.text), file_noted(say.text)
        if given is not None:
            self._read = given
            return None
        if noted is not None:
            given = {"file_path": noted}
        elif is_result_told(say.text):
            given, self._read = self._read, None
        if say.role != "system" or given is None:
            return None
        call, told = Call(say.slot, "Read", given), Result(say.slot, say.text)
        kind, reads, _ = actions("claude-code", call, told, self._cwd, self.root)
        self._count += 1
        return Step(self._count, kind, tuple(map(self._followed, reads)), None, told, self._cwd)

    def _ended(self, result: Result) -> Step:
        name = result.slot.id
        index, call = self._open.pop(name, (self._count, None))
        if call is None:
            return Step(index, "other", (), result=result)
        self._ended_calls[name] = index, call
        here = self._cwd
        kind, done, self._cwd = actions(self._agent, call, result, here, self.root)
        return Step(index, kind, tuple(map(self._followed, done)), call, result, here)

    def _followed(self, action: Action) -> Action:
        """An action on the file that a link leads to; a link that is written anew is a file."""
        if isinstance(action, Read):
            return replace(action, path=self._real(action.path))
        if isinstance(action, Edit) and not action.absent:
            to = None if action.moved_to is None else self._real(action.moved_to)
            path = action.path if action.moved_to else self._real(action.path)
            return replace(action, path=path, moved_to=to)
        return action


def written_paths(arrivals: Iterable[Arrival]) -> Iterator[str]:
    """The files that finished steps say they wrote."""
    for arrival in arrivals:
        if isinstance(arrival.step, Step):
            for action in arrival.step.actions:
                if isinstance(action, Edit):
                    yield from (p for p in (action.path, action.moved_to) if p is not None)


def commands_ran(arrivals: Iterable[Arrival]) -> bool:
    """Whether a finished step ran anything that may have written files without a word."""
    steps = (arrival.step for arrival in arrivals if isinstance(arrival.step, Step))
    quiet = (Read, Edit, Search)
    return any(not isinstance(action, quiet) for step in steps for action in step.actions)


def unfollowed(arrivals: Iterable[Arrival]) -> bool:
    """Whether the model has spoken since a result came: nobody saw the request that brought it."""
    ended = False
    for _, block, step in arrivals:
        if ended and (isinstance(block, Call) or getattr(block, "role", "") == "assistant"):
            return True
        ended = ended or isinstance(step, Step)
    return False


def outlived(arrivals: Sequence[Arrival]) -> dict[Slot, frozenset[str]]:
    """For each result, the files that later steps say they wrote; `""` in it: any file at all."""
    later: frozenset[str] = frozenset()
    found = {}
    for arrival in reversed(arrivals):
        if isinstance(arrival.step, Step):
            found[arrival.block.slot] = later
            later |= frozenset(written_paths([arrival]))
            runs = (a for a in arrival.step.actions if isinstance(a, Run))
            if any(run.kind == "unknown" for run in runs):
                later |= {""}
    return found
