"""The limits of the index, as the environment states them."""

import os

from statetape.code import languages
from statetape.errors import BadInput

PARSE_LIMIT = "STATETAPE_PARSE_LIMIT"
"""Megabytes of the largest file that is more than a single symbol."""
CACHE_SIZE = "STATETAPE_CACHE_SIZE"
"""Megabytes that the facts of files may take in the user's cache."""

_MEGABYTE = 1_000_000


def heed() -> None:
    """Let files be parsed up to the stated limit. BadInput where it is no size."""
    limit = _stated(PARSE_LIMIT)
    if limit is not None:
        languages.limit_parsing(limit)


def cache_size(otherwise: int) -> int:
    """The bytes that the cache may have. BadInput where what is stated is no size."""
    size = _stated(CACHE_SIZE)
    return otherwise if size is None else size


def _stated(variable: str) -> int | None:
    """The bytes; None where nothing is stated."""
    text = os.environ.get(variable)
    if not text:
        return None
    try:
        size = float(text)
    except ValueError:
        size = -1.0
    if not 0 <= size < 1e9:
        raise BadInput(f"{variable}={text}: not a size in megabytes")
    return int(size * _MEGABYTE)
