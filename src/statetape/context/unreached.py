"""Test results that no write since can have falsified, for their tests load none of what it wrote.

Of the files that a run loads, none has changed; so a run of now would load the very same. That
holds as long as tests load code and nothing else: a write of any other file may be one of data.
"""

import re
from collections.abc import Callable, Sequence

from statetape.code import languages
from statetape.context.repository import Repository
from statetape.types import Record, RepositoryState

# What is loaded for its name wherever it stands, and what is data whatever its language.
_IMPLICIT = re.compile(
    r"(?:^|/)(?:__mocks__|testdata|__fixtures__|fixtures?|__snapshots__|samples?|golden)/"
    r"|(?:^|/)conftest\.py$"
)


def unreached(
    record: Record,
    repository: Repository,
    loaded: Callable[[Sequence[str], Sequence[str]], frozenset[str] | None],
) -> str | None:
    """Why the writes since its birth cannot have falsified a test result; None where they can.

    `loaded` gives the files that a run of some tests can load, None where nobody can tell, or where
    it loads one of some others.
    """
    referent = record.referent
    if not isinstance(referent, RepositoryState) or not referent.tests:
        return None
    written = list(repository.written_since(record.born))
    tests = referent.tests
    if not all(_is_code(path, tests[0], repository) for path in written):
        return None
    files = loaded(tests, written)
    if files is None:
        return None
    size = f"{len(written)} written file" + ("s" if len(written) > 1 else "")
    return f"its tests load {len(files)} files, none of the {size}"


def _is_code(path: str, test: str, repository: Repository) -> bool:
    """Whether a written file is one of the tests' language, and is there."""
    code = languages.kin(path, test) and not _IMPLICIT.search(path)
    return code and repository.text(path) is not None
