"""Where the facts of files are kept between runs: the user's cache directory."""

import os
import sys
from pathlib import Path

VARIABLE = "STATETAPE_CACHE"


def cache_folder() -> Path | None:
    """The folder: that of `STATETAPE_CACHE`, else the platform's own place for caches.

    None where the variable is set and empty, or nobody knows whose home it is: nothing is kept.
    """
    named = os.environ.get(VARIABLE)
    if named is not None:
        return Path(named) if named else None
    try:
        return _platform_caches() / "statetape"
    except RuntimeError:
        return None


def _platform_caches() -> Path:
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local")
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches"
    named = os.environ.get("XDG_CACHE_HOME", "")
    return Path(named) if Path(named).is_absolute() else Path.home() / ".cache"
