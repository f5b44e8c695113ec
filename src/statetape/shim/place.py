"""Where the repository of a conversation is, here and as the agent spells it."""

from pathlib import Path, PurePosixPath
from typing import NamedTuple


class Place(NamedTuple):
    """A repository: its folder here, the same as the agent spells it, and where the agent starts.

    `cwd` is a repository path ("" at the root).
    """

    root: Path
    spelled: str
    cwd: str = ""


def place_of(folder: str | None, repo: Path | None) -> Place | str:
    """The repository an agent works in, or a line that says why there is none.

    `folder` is the working directory that the agent states, `repo` what the user named. Without
    the latter it is the git work tree around the folder, else the folder itself. A folder that is
    not here at all is taken for the named repository under another name (a container's); one that
    is here, and is no part of it nor around it, has files of its own, with which nothing is done.
    """
    if folder is None:
        if repo is None:
            return "the agent does not say where it works; name it with --repo"
        return Place(repo, str(repo))
    here = Path(folder)
    if repo is None:
        if not here.is_absolute() or not here.is_dir():
            return f"{folder} is no folder here; name the repository with --repo"
        root = next((up for up in (here, *here.parents) if (up / ".git").exists()), here)
        return _below(root, here, folder)
    try:
        there, top = here.resolve(), repo.resolve()
        apart = here.is_absolute() and here.is_dir() and not here.samefile(repo)
    except (OSError, ValueError, RuntimeError):
        return Place(repo, folder)
    if there.is_relative_to(top):
        depth = len(there.relative_to(top).parts)
        return _below(here.parents[depth - 1] if depth else here, here, folder)._replace(root=repo)
    if apart and top.is_relative_to(there):
        return Place(repo, str(here / top.relative_to(there)), folder)
    return f"{folder} is not in {repo}" if apart else Place(repo, folder)


def _below(root: Path, here: Path, folder: str) -> Place:
    cwd = PurePosixPath(*here.relative_to(root).parts)
    return Place(root, str(root) if root != here else folder, "" if root == here else str(cwd))
