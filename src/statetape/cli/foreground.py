"""A command that has the terminal to itself, as if we were not there."""

import os
import signal
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from select import select
from types import FrameType

from statetape.errors import StatetapeError

# A terminal sends these to all that run in it: the command has them already, and answers for us.
_OF_THE_TERMINAL = (signal.SIGINT, signal.SIGQUIT)
# Whoever sends these to us means the command.
_HANDED_ON = (signal.SIGTERM, signal.SIGHUP, signal.SIGUSR1, signal.SIGUSR2)
# Python ignores them; a command is used to the default.
_RESTORED = (signal.SIGPIPE, signal.SIGXFSZ)
_NOT_FOUND, _NOT_EXECUTABLE = 127, 126


class CannotStart(StatetapeError):
    """The command cannot be started; `status` is what a shell would exit with."""

    def __init__(self, words: str, status: int) -> None:
        super().__init__(words)
        self.status = status


def exit_status(command: Sequence[str], environment: Mapping[str, str]) -> int:
    """The command's exit status, or 128 and the number of the signal that ended it, as in a shell.

    It runs in our process group with our terminal and open files; whenever it stops, so do we.
    Raises CannotStart.
    """
    with _signals() as started, _bell() as heard:
        try:
            process = os.posix_spawnp(command[0], [*command], environment, setsigdef=_RESTORED)
        except FileNotFoundError:
            raise CannotStart(f"{command[0]}: command not found", _NOT_FOUND) from None
        except OSError as error:
            raise CannotStart(f"{command[0]}: {error.strerror}", _NOT_EXECUTABLE) from None
        started(process)
        while True:
            ended, status = os.waitpid(process, os.WUNTRACED | os.WNOHANG)
            if not ended:
                heard()
            elif os.WIFSTOPPED(status):
                os.kill(os.getpid(), signal.SIGSTOP)
                os.kill(process, signal.SIGCONT)
            else:
                code = os.waitstatus_to_exitcode(status)
                return code if code >= 0 else 128 - code


@contextmanager
def _bell() -> Iterator[Callable[[], None]]:
    """A wait for the next signal, a child's own (SIGCHLD) among them.

    Handlers run between two steps of ours alone: of a signal that comes just before a call that
    waits for a process, the handler would run when that process ends. So the kernel writes each
    signal into a pipe, and that is waited for.
    """
    reading, writing = os.pipe()
    for end in (reading, writing):
        os.set_blocking(end, False)
    mine = signal.signal(signal.SIGCHLD, lambda *_: None)
    before = signal.set_wakeup_fd(writing, warn_on_full_buffer=False)

    def heard() -> None:
        select([reading], [], [])
        with suppress(BlockingIOError):
            os.read(reading, 4096)

    try:
        yield heard
    finally:
        signal.set_wakeup_fd(before)
        signal.signal(signal.SIGCHLD, mine)
        os.close(reading)
        os.close(writing)


@contextmanager
def _signals() -> Iterator[Callable[[int], None]]:
    """Signals as they have to be while the process runs that is told; what is ignored stays so.

    Handlers, unlike signals that are ignored, are not inherited. What comes while it is being
    started is handed on when it is.
    """
    processes: list[int] = []
    early: list[int] = []

    def hand_on(number: int, _: FrameType | None) -> None:
        if not processes:
            early.append(number)
        for process in processes:
            os.kill(process, number)

    def started(process: int) -> None:
        processes.append(process)
        for number in early:
            os.kill(process, number)

    handlers = {number: lambda *_: None for number in _OF_THE_TERMINAL}
    handlers |= dict.fromkeys(_HANDED_ON, hand_on)
    before = {
        number: signal.signal(number, handler)
        for number, handler in handlers.items()
        if signal.getsignal(number) is not signal.SIG_IGN
    }
    try:
        yield started
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
