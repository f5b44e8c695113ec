"""The files of a benchmark's folder, read; what a cell's key rests on."""

from collections.abc import Iterator
from hashlib import sha256
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import TypeVar

import msgspec

from statetape.bench.labels import Labelled, Manifest, Source
from statetape.errors import BadInput

T = TypeVar("T")


def manifest(folder: Path) -> Manifest:
    """What the benchmark was built from. BadInput where there is none."""
    if not (folder / "manifest.json").is_file():
        raise BadInput(f"{folder}: no benchmark; `statetape bench build` makes one")
    return _decoded(folder / "manifest.json", _bytes(folder / "manifest.json"), Manifest)


def session_file(folder: Path, source: Source) -> Path:
    """Where the labels of a session are."""
    return folder / "sessions" / f"{source.id}.json"


def labelled(file: Path) -> Labelled:
    """The labels of a session. BadInput where they cannot be read."""
    return _decoded(file, _bytes(file), Labelled)


def labels_digest(folder: Path, source: Source) -> str:
    """Of a session and its labels: other ones, another digest. BadInput as for `labelled`."""
    return sha256(_bytes(session_file(folder, source)) + source.sha256.encode()).hexdigest()


def code_digest() -> str:
    """Of all that this package consists of: what is decided may differ where it does."""
    digest = sha256()
    for name, data in sorted(_package(files("statetape"), "")):
        digest.update(name.encode() + b"\0" + sha256(data).digest())
    return digest.hexdigest()


def _package(folder: Traversable, prefix: str) -> Iterator[tuple[str, bytes]]:
    for each in folder.iterdir():
        if each.is_dir() and each.name != "__pycache__":
            yield from _package(each, f"{prefix}{each.name}/")
        elif each.is_file():
            yield prefix + each.name, each.read_bytes()


def _bytes(file: Path) -> bytes:
    try:
        return file.read_bytes()
    except OSError as error:
        raise BadInput(f"{file}: {error.strerror}; `statetape bench build` makes it") from None


def _decoded(file: Path, data: bytes, kind: type[T]) -> T:
    try:
        return msgspec.json.decode(data, type=kind)
    except msgspec.DecodeError as error:
        raise BadInput(f"{file}: not as `statetape bench build` writes it: {error}") from None
