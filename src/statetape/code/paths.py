"""Paths as sources write them, as repository paths."""


def normal(path: str) -> str | None:
    """A path without `.`, `..` and empty parts; None where it leaves the repository."""
    parts: list[str] = []
    for part in path.split("/"):
        if part == "..":
            if not parts:
                return None
            parts.pop()
        elif part not in ("", "."):
            parts.append(part)
    return "/".join(parts)
