from hypothesis import given
from hypothesis import strategies as st

from statetape.replay.transcripts.numbered import Run, colon_runs, tabbed_runs


def test_rows_without_a_number_end_a_run() -> None:
    text = "note\n1\ta\n2\tb\n...\n     9→c\n    10→\n12\td"
    assert tabbed_runs(text) == (
        Run(1, ("a", "b")),
        Run(9, ("c", "")),
        Run(12, ("d",)),
    )
    assert colon_runs("1: a\n2: 3: b\n00003|  c\n4:d") == (Run(1, ("a", "3: b", " c")),)


@given(st.integers(1, 99999), st.lists(st.text(st.characters(exclude_characters="\n")), min_size=1))
def test_numbered_lines_are_the_lines(first: int, lines: list[str]) -> None:
    shown = [(first + n, line) for n, line in enumerate(lines)]
    run = (Run(first, tuple(lines)),)
    assert tabbed_runs("\n".join(f"{n}\t{line}" for n, line in shown)) == run
    assert tabbed_runs("\n".join(f"{n:6}→{line}" for n, line in shown)) == run
    assert colon_runs("\n".join(f"{n}: {line}" for n, line in shown)) == run
