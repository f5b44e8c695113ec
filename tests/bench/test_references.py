"""What jedi says of names, in one state of a repository and in the next."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from statetape.bench.references import Jedi, Target

B = """class Base:
    def go(self):
        return 1

def f():
    return Base()
"""
FILES = {
    "pkg/src/a/__init__.py": "",
    "pkg/src/a/b.py": B,
    "pkg/src/a/c.py": "from a.b import f\nimport os\n\nos.getcwd()\nf().go()\n",
}


@pytest.fixture(scope="module")
def jedi() -> Iterator[Jedi]:
    with Jedi() as engine:
        yield engine


def test_a_name_is_found_in_another_file(jedi: Jedi) -> None:
    jedi.state(FILES)
    assert jedi.targets("pkg/src/a/c.py", 1, 16) == (Target("pkg/src/a/b.py", "f"),)
    assert jedi.targets("pkg/src/a/c.py", 5, 0) == (Target("pkg/src/a/b.py", "f"),)
    assert jedi.targets("pkg/src/a/c.py", 5, 4) == (Target("pkg/src/a/b.py", "Base.go"),)


def test_what_lies_elsewhere_is_none(jedi: Jedi) -> None:
    jedi.state(FILES)
    assert jedi.targets("pkg/src/a/c.py", 4, 3) == ()


def test_another_state_has_another_answer_and_the_first_one_its_own_again(jedi: Jedi) -> None:
    jedi.state(FILES)
    moved = {"pkg/src/a/b.py": "x = 1\n\n\ndef f():\n    return 3\n"}
    jedi.state(moved)
    assert jedi.targets("pkg/src/a/c.py", 5, 0) == (Target("pkg/src/a/b.py", "f"),)
    assert jedi.targets("pkg/src/a/c.py", 5, 4) == ()
    jedi.state({"pkg/src/a/b.py": "X = 1\n\n\n" + B.replace("Base", "Other")})
    assert jedi.targets("pkg/src/a/c.py", 5, 4) == (Target("pkg/src/a/b.py", "Other.go"),)
    jedi.state({"pkg/src/a/b.py": None})
    assert jedi.targets("pkg/src/a/c.py", 5, 0) == ()
    jedi.state(FILES)
    assert jedi.targets("pkg/src/a/c.py", 5, 4) == (Target("pkg/src/a/b.py", "Base.go"),)


@pytest.mark.parametrize(("line", "column"), [(0, 0), (99, 0), (1, 400), (-1, -1)])
def test_a_place_that_is_none_has_no_answer(jedi: Jedi, line: int, column: int) -> None:
    jedi.state(FILES)
    assert jedi.targets("pkg/src/a/c.py", line, column) == ()
    assert jedi.targets("nowhere.py", line, column) == ()


def test_files_out_of_the_repository_are_left_out(jedi: Jedi, tmp_path: Path) -> None:
    outside = tmp_path / "x.py"
    jedi.state({str(outside): "x = 1\n", "../up.py": "y = 2\n"})
    assert not outside.exists()
    assert "../up.py" not in jedi.texts()
