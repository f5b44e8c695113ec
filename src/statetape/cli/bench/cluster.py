"""The work of `cli.parallel` on a Ray cluster: Ray decides where and when, nobody else."""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, TypeVar

from statetape.cli.parallel import attempt
from statetape.errors import BadInput, StatetapeError

T = TypeVar("T")


def outcomes(
    work: Callable[[Path], T], files: Sequence[Path]
) -> Iterator[tuple[int, T | StatetapeError]]:
    """The place in `files` and what `work` returned or raised, each as soon as it is there.

    On the cluster that RAY_ADDRESS names or this machine is a node of; where there is none, on one
    that lives as long as this. Every node reads the same files under the same names. BadInput
    without Ray; StatetapeError where a task is lost for good.
    """
    ray = _ray()
    ours = not ray.is_initialized()
    if ours:
        ray.init(log_to_driver=False, configure_logging=False, include_dashboard=False)
    try:
        task = ray.remote(attempt)
        shared = ray.put(work)
        waiting = {task.remote(shared, file): place for place, file in enumerate(files)}
        while waiting:
            (done, *_), _ = ray.wait(list(waiting))
            try:
                outcome = ray.get(done)
            except ray.exceptions.RayError as error:
                first = str(error).strip().partition("\n")[0]
                raise StatetapeError(f"Ray: {files[waiting[done]]}: {first}") from None
            yield waiting.pop(done), outcome
            del done, outcome
    finally:
        if ours:
            ray.shutdown()


def _ray() -> Any:  # noqa: ANN401 (not installed where types are checked)
    try:
        import ray
    except ImportError:
        raise BadInput("--engine ray needs Ray: pip install 'statetape[ray]'") from None
    return ray
