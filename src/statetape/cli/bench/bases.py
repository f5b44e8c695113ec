"""`--bases FILE`: which repository and revision each session started from."""

from collections.abc import Iterable, Mapping
from pathlib import Path

import click
from msgspec import DecodeError, Struct, ValidationError, json

from statetape.cli.names import PathName
from statetape.errors import BadInput


class Base(Struct, frozen=True):
    """The files at the start of a session: a repository's folder, and a revision of it."""

    repo: Path
    base: str = "HEAD"


bases_option = click.option(
    "--bases",
    "bases_file",
    metavar="FILE",
    type=PathName(),
    help='The files at the start: JSON, {"SESSION": {"repo": PATH, "base": REVISION}}.',
)


def bases(file: Path | None, sessions: Iterable[Path]) -> Mapping[str, Base]:
    """What the file says, by the name of a session's file up to `.json`; None: nothing.

    BadInput for one that cannot be read, or that names none of the sessions.
    """
    if file is None:
        return {}
    known = _read(file)
    names = [name_of(each) for each in sessions]
    if known.keys().isdisjoint(names):
        wanted = repr(names[0]) if names else "a session"
        raise BadInput(f"{file}: names none of these sessions; the first would be {wanted}")
    return known


def _read(file: Path) -> Mapping[str, Base]:
    try:
        return json.decode(file.read_bytes(), type=dict[str, Base], dec_hook=_path)
    except OSError as error:
        raise BadInput(f"{file}: {error.strerror or error}") from None
    except (DecodeError, UnicodeDecodeError) as error:
        raise BadInput(f"{file}: not a file of bases: {error}") from None


def _path(kind: type, value: str) -> Path:
    """A folder's name is a string in JSON."""
    if not isinstance(value, str):
        raise ValidationError(f"a {kind.__name__} is a text, not {value!r}")
    return Path(value)


def name_of(session: Path) -> str:
    """By what a session is named there."""
    return session.name.partition(".json")[0]
