"""The script in place of a model: as long as a model's words, the same to the same question."""

from statetape.bench.scripted import LEAST, MOST, Scripted
from statetape.context.asking import Ask, Message, Reply, question
from statetape.tokens import tokens

ROWS = """\
TASK
go
RECORDS
1 90t read a.py: def load():
2 90t read b.py: LIMIT = 1
WROTE a.py
3 90t read a.py: def load():"""
NOTED = """\
TASK
go

EARLIER NOTES
FOUND:
- read z.py

CALLS AND RESULTS
result 1 (pytest):
ok"""


def asked(purpose: str, text: str) -> str:
    return Scripted()(question(text, purpose=purpose)).text or ""


def test_a_later_row_of_the_same_name_is_named_a_repetition() -> None:
    assert asked("text", ROWS) == '{"records": [{"record": "1", "reason": "a later one shows it"}]}'


def test_what_is_written_after_a_row_makes_it_stale() -> None:
    assert asked("staleness", ROWS) == '{"records": [{"record": "1", "reason": "written since"}]}'


def test_a_summary_is_of_its_question_and_of_a_models_length() -> None:
    results = [f"result {n} (read a{n}.py):\ndef f{n}():\n    pass\n\n# more" for n in range(400)]
    told = "\n".join(["TASK", "go", "", "CALLS AND RESULTS", *results])
    said = asked("summary", told)
    assert said.startswith("FOUND:\n- read a0.py\n  def f0():\n  pass\n  # more\n- read a1.py")
    assert LEAST < tokens(said) <= MOST


def test_earlier_notes_are_carried_over() -> None:
    said = ["FOUND:", "- read z.py", "- pytest", "  ok"]
    assert asked("summary", NOTED).splitlines() == said


def test_what_it_was_asked_is_counted_once() -> None:
    script = Scripted()
    ask = Ask("text", (Message("user", ROWS),), "system", by="manager")
    assert script(ask) is script(ask)
    assert script.asked == 1
    assert script.usage["manager"].input == tokens(ROWS) + tokens("system")
    assert script.usage["manager"].output > 0


def test_for_another_purpose_it_has_no_answer() -> None:
    assert Scripted()(question("?", purpose="manager")) == Reply(None, why="no model")
