"""Definitions and their lines, and what is boilerplate or a test."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from statetape.bench.bounds import is_boilerplate, is_source, runs
from statetape.bench.definitions import definitions, enclosing
from statetape.code.chosen import is_test
from statetape.types import Lines

PY = '''import os


@decorated
def f():
    """d"""
    def g():
        pass
    if os:
        local = 1


class A(B):
    """d"""

    q: int = 1

    def __init__(self):
        pass

    @property
    def m(self):
        pass


X = {
    "a": 1,
}
if os:
    Y = 2
'''
GO = """package a

// X is.
type Server struct {
\ta int
}

type I interface {
\tFoo(a int) error
}

const A = 1

var (
\tb = 2
\tc = 3
)

func (s *Server) Foo(a int) error {
\tx := func() {}
\treturn nil
}

func Bar[T any](t T) {
}
"""
TS = """import { a } from "b";
export const f = (x: number) => {
  const y = 1;
  return y;
};
export class A extends B implements C {
  z = 1;
  constructor(q) { super(); }
  go(): void {
    const h = 1;
  }
}
export interface C {
  go(): void;
  n: string;
}
const T = {
  a: 1,
};
"""


def found(path: str, text: str) -> dict[str, tuple[str, int, int, int]]:
    return {d.name: (d.kind, d.first, d.last, d.head) for d in definitions(path, text)}


def test_of_python() -> None:
    assert found("a.py", PY) == {
        "f": ("function", 4, 10, 10),
        "f.g": ("function", 7, 8, 8),
        "A": ("class", 13, 23, 19),
        "A.__init__": ("function", 18, 19, 19),
        "A.m": ("function", 21, 23, 23),
        "X": ("value", 26, 28, 28),
        "Y": ("value", 30, 30, 30),
    }


def test_of_broken_python_are_those_that_can_be_told() -> None:
    assert {"f", "A", "A.m"} <= set(found("a.py", PY + "def (\n"))


def test_of_go() -> None:
    assert found("a.go", GO) == {
        "Server": ("class", 4, 6, 6),
        "I": ("class", 8, 10, 10),
        "I.Foo": ("function", 9, 9, 9),
        "A": ("value", 12, 12, 12),
        "b": ("value", 15, 15, 15),
        "c": ("value", 16, 16, 16),
        "Server.Foo": ("function", 19, 22, 22),
        "Bar": ("function", 24, 25, 25),
    }


def test_of_typescript() -> None:
    assert found("a.ts", TS) == {
        "f": ("function", 2, 5, 5),
        "A": ("class", 6, 12, 8),
        "A.z": ("value", 7, 7, 7),
        "A.constructor": ("function", 8, 8, 8),
        "A.go": ("function", 9, 11, 11),
        "C": ("class", 13, 16, 16),
        "C.go": ("function", 14, 14, 14),
        "T": ("value", 17, 19, 19),
    }


def test_of_a_component_are_the_functions_in_it() -> None:
    text = """export function Page() {
  const [x, setX] = useState(0);
  const go = async () => {
    setX(1);
  };
  function stop() {}
  return <a onClick={() => go()} />;
}
"""
    assert found("a.tsx", text) == {
        "Page": ("function", 1, 8, 8),
        "Page.go": ("function", 3, 5, 5),
        "Page.stop": ("function", 6, 6, 6),
    }


def test_of_prose_there_are_none() -> None:
    assert definitions("a.md", "# A\n") == ()


def test_the_innermost_is_meant() -> None:
    every = definitions("a.py", PY)
    names = {line: d.name for line in range(1, 31) if (d := enclosing(every, line, line))}
    assert [names.get(line) for line in (1, 4, 7, 10, 13, 18, 22, 27)] == [
        None, "f", "f.g", "f", "A", "A.__init__", "A.m", "X",
    ]  # fmt: skip
    across = enclosing(every, 18, 22)
    assert across is not None
    assert across.name == "A"


@given(st.text(alphabet="def clas(s):\n\tx={}'\"#@,`<>", max_size=300),
       st.sampled_from(["a.py", "a.go", "a.ts", "a.tsx", "a.js", "a.sh"]))  # fmt: skip
def test_of_any_text_lie_in_it(text: str, path: str) -> None:
    for each in definitions(path, text):
        assert 1 <= each.first <= each.head <= each.last <= text.count("\n") + 1


@pytest.mark.parametrize("path", [
    "tests/a.py", "src/test_a.py", "a/a_test.go", "x/conftest.py", "a.test.ts", "a.spec.tsx",
    "src/__tests__/a.js", "ATests.cs", "testdata/a.txt",
])  # fmt: skip
def test_tests_are_told_by_their_paths(path: str) -> None:
    assert is_test(path)
    assert not is_source(path)


@pytest.mark.parametrize("path", ["src/a.py", "contest.py", "latest.ts", "src/attest/a.go"])
def test_other_files_are_none(path: str) -> None:
    assert not is_test(path)
    assert is_source(path)


@pytest.mark.parametrize("path", ["/etc/x.py", "~/plan.md", "../b.py", "C:/a.py", ".git/config"])
def test_what_is_not_of_the_repository_is_no_source(path: str) -> None:
    assert not is_source(path)


@pytest.mark.parametrize(("path", "text", "plain"), [
    ("a.py", "import os\nfrom a import (\n    b,\n)\n", True),
    ("a.py", '"""One.\n\nTwo."""\n# three\n', True),
    ("a.py", "import os\nx = 1\n", False),
    ("a.py", '    return "x"\n', False),
    ("a.ts", '/* a\n b\n*/\nimport {\n  a,\n} from "b";\nexport * from "c";\n', True),
    ("a.ts", "const f = require('f')\n", True),
    ("a.go", 'import (\n\t"fmt"\n)\n', True),
    ("a.go", "func a() {}\n", False),
    ("a.md", "# A title\n", False),
    ("a.md", "\n\n", True),
])  # fmt: skip
def test_boilerplate(path: str, text: str, plain: bool) -> None:  # noqa: FBT001
    lines = text.split("\n")
    assert is_boilerplate(path, lines, Lines(1, len(lines))) is plain


@given(st.sets(st.integers(1, 60)))
def test_runs_are_the_lines(lines: set[int]) -> None:
    found = runs(lines)
    assert [n for run in found for n in range(run.first, run.last + 1)] == sorted(lines)
    assert all(a.last + 1 < b.first for a, b in pairwise(found))
