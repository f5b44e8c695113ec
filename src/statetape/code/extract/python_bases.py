"""The bases that the classes of a Python file state, by last name."""

import re
from collections.abc import Mapping, Sequence

# Sought from its word, which is rare; what it renames stands before it.
_ALIAS = re.compile(rb"as(?<=[ \t]as)[ \t]+(\w+)")
_LAST_WORD = re.compile(rb"\w+\Z")
# Bytes: no name is longer.
_LONGEST_NAME = 200


def bases(
    data: bytes, stated: Mapping[str, Sequence[str]]
) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """The bases of each class by last name; one that was imported `as` another has both names."""
    imported = _renamed(data, {base.encode() for own in stated.values() for base in own})
    found = []
    for name, own in stated.items():
        others = (imported.get(base.encode(), b"").decode(errors="replace") for base in own)
        found.append((name, tuple(dict.fromkeys((*own, *filter(None, others))))))
    return tuple(found)


def _renamed(data: bytes, names: set[bytes]) -> Mapping[bytes, bytes]:
    """What each of these names stands for that is given by an `as`."""
    found = {}
    for match in _ALIAS.finditer(data):
        if match[1] in names:
            before = data[max(0, match.start() - _LONGEST_NAME) : match.start()].rstrip(b" \t")
            word = _LAST_WORD.search(before)
            if word is not None:
                found[match[1]] = word[0]
    return found
