"""An ask is the whole exchange so far, and knows how far it is."""

from msgspec.structs import replace

from statetape.context.asking import Message, ToolAnswer, ToolCall, question


def test_each_answer_of_the_model_begins_a_round() -> None:
    ask = question("what now", purpose="test")
    assert ask.round == 1
    called = Message("assistant", calls=(ToolCall("1", "source", "{}"),))
    told = Message("user", answers=(ToolAnswer("1", "def f(): ..."),))
    assert replace(ask, messages=(*ask.messages, called, told)).round == 2


def test_equal_asks_are_one_question() -> None:
    assert question("a", purpose="p") == question("a", purpose="p")
    assert question("a", purpose="p") != question("a", purpose="p", version="2")
