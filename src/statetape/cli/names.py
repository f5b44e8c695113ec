"""What the command line takes for the name of a file, folder or revision: anything but nothing."""

import os
from pathlib import Path
from typing import Any

import click


class PathName(click.Path):
    """A path; an empty one is bad use, where `pathlib` would take it for this folder."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(path_type=Path, **settings)

    def convert(
        self,
        value: str | os.PathLike[str],
        param: click.Parameter | None,
        ctx: click.Context | None,
    ) -> Any:  # noqa: ANN401 (click's own signature)
        """The path; fails for an empty one."""
        if not os.fspath(value):
            self.fail("the name is empty", param, ctx)
        return super().convert(value, param, ctx)


def stated(ctx: click.Context, param: click.Parameter, value: str | None) -> str | None:
    """The name of a revision (or of a folder, where either is taken); BadParameter if empty."""
    if value == "":
        raise click.BadParameter("the name is empty", ctx, param)
    return value


def distinct(files: tuple[Path, ...]) -> list[Path]:
    """The files in their order, each once, whatever ways to it were given."""
    found: dict[str, Path] = {}
    for file in files:
        found.setdefault(os.path.realpath(file), file)
    return list(found.values())
