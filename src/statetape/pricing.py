"""The prices that are known here: those we ship, and those of a file of the user's."""

import os
import sys
from functools import cache
from importlib.resources import files
from pathlib import Path

from statetape.economics.prices import Prices, parsed
from statetape.errors import BadInput


@cache
def shipped() -> Prices:
    """The rows of the package."""
    return parsed((files("statetape.economics") / "prices.toml").read_text("utf-8"), "prices.toml")


def prices(named: Path | None = None) -> Prices:
    """The rows that count: ours, over them those of the file `named`, else of the user's own.

    Raises BadInput for a file that cannot be read; that there is no file of the user's is fine.
    """
    place = named if named is not None else users_file()
    if place is None or (named is None and not place.exists()):
        return shipped()
    try:
        text = place.read_bytes().decode("utf-8-sig")
    except OSError as error:
        raise BadInput(f"{place}: {error.strerror or error}") from None
    except UnicodeDecodeError:
        raise BadInput(f"{place}: not UTF-8") from None
    return parsed(text, str(place), shipped())


def users_file() -> Path | None:
    """Where a user's own prices are looked for; None where nobody knows whose home it is."""
    try:
        return _platform_settings() / "statetape" / "prices.toml"
    except RuntimeError:
        return None


def _platform_settings() -> Path:
    if sys.platform == "win32":
        return Path(os.environ.get("APPDATA") or Path.home() / "AppData" / "Roaming")
    named = os.environ.get("XDG_CONFIG_HOME", "")
    if Path(named).is_absolute():
        return Path(named)
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Application Support"
    return Path.home() / ".config"
