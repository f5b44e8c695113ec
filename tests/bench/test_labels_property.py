"""What holds of the labels of any session."""

from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import given, settings
from hypothesis import strategies as st
from tests.bench.sessions import Told

from statetape.bench.labelling import Session, labelled
from statetape.bench.labels import Labelled
from statetape.bench.references import Jedi
from statetape.code.chosen import is_test
from statetape.tokens import tokens

LIB = """class Base:
    def run(self):
        return one()


def one():
    return 1
"""
USE = """from lib import Base, one


class Use(Base):
    def run(self):
        return one()
"""
FILES = {
    "lib.py": LIB,
    "use.py": USE,
    "main.go": "package a\n\nfunc Main() int {\n\treturn help()\n}\n",
    "tests/test_lib.py": "from lib import one\n\n\ndef test_one():\n    assert one() == 1\n",
    "README.md": "# A\n\nWords.\n",
}
PIECES = [
    "x = 1\n",
    "def two():\n    return one()\n",
    "    return 2\n",
    "\n",
    "def (\n",
    "func B() {\n}\n",
]

act = st.one_of(
    st.tuples(st.just("read"), st.sampled_from(sorted(FILES)), st.integers(1, 9)),
    st.tuples(st.just("insert"), st.sampled_from(sorted(FILES)), st.integers(0, 9),
              st.sampled_from(PIECES)),
    st.tuples(st.just("remove"), st.sampled_from(sorted(FILES)), st.integers(0, 9)),
    st.tuples(st.just("test")),
    st.tuples(st.just("elsewhere"), st.sampled_from(sorted(FILES))),
)  # fmt: skip


def told(folder: Path, acts: list[tuple[object, ...]]) -> Told:
    session = Told(folder, FILES)
    for each in acts:
        match each:
            case ("read", str(path), int(first)) if session.files[path].count("\n") >= first:
                session.read(path, first, session.files[path].count("\n"))
            case ("insert", str(path), int(at), str(piece)):
                lines = session.files[path].splitlines(keepends=True)
                session.write(path, "".join([*lines[:at], piece, *lines[at:]]))
            case ("remove", str(path), int(at)):
                lines = session.files[path].splitlines(keepends=True)
                if at < len(lines) > 1:
                    session.write(path, "".join([*lines[:at], *lines[at + 1 :]]))
            case ("test",):
                session.bash("pytest -q", "1 passed")
            case ("elsewhere", str(path)):
                session.files[path] += "y = 3\n"
                session.read(path)
    return session


@settings(max_examples=25)
@given(st.lists(act, min_size=1, max_size=12))
def test_labels_are_sound(acts: list[tuple[object, ...]]) -> None:
    with TemporaryDirectory() as folder, Jedi() as references:
        session = told(Path(folder), acts).walked(references)
        found = labelled(session, "session")
        check(session, found)


def check(session: Session, found: Labelled) -> None:
    chronicle = session.story.chronicle
    for scene, point in zip(session.scenes, found.points, strict=True):
        assert point.missing == sum(each.missing for each in point.needed)
        fresh = session.inventory.fresh(scene.context, scene.tick)
        counted: set[tuple[str, int]] = set()
        total = 0
        for each in point.needed:
            assert not is_test(each.path)
            state = chronicle.at(each.path, point.tick)
            assert 1 <= each.lines.first <= each.lines.last <= len(state.lines)
            assert 0 <= each.missing <= each.tokens
            absent = [n for run in each.absent for n in range(run.first, run.last + 1)]
            assert set(absent) <= set(range(each.lines.first, each.lines.last + 1))
            assert not {state.numbers[n - 1] for n in absent} & fresh
            assert each.missing == sum(tokens(state.lines[n - 1] + "\n") for n in absent)
            assert not {(each.path, n) for n in absent} & counted
            counted |= {(each.path, n) for n in range(each.lines.first, each.lines.last + 1)}
            total += each.tokens
        assert total == sum(
            tokens(chronicle.at(path, point.tick).lines[n - 1] + "\n") for path, n in counted
        )
        assert len({(each.id, each.side) for each in point.held}) == len(point.held)
        for held, holding in zip(point.held, scene.context, strict=True):
            assert held.n == tokens(holding.record.text)
            assert held.next_use is None or held.next_use > point.step
            if held.span is not None and held.file is not None:
                assert 1 <= held.span.first <= held.span.last
                assert held.span.last <= len(chronicle.at(held.file, point.tick).lines)
