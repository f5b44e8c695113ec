"""Made-up requests of all shapes, for the three APIs."""

import json
from typing import Any

from hypothesis import strategies as st

from statetape.wire import anthropic, chat, responses

READ = {"anthropic": anthropic.read, "responses": responses.read, "chat": chat.read}
TEXTS = st.text(st.characters(), max_size=12) | st.sampled_from(
    [
        "one\ntwo\n",
        "x" * 90,
        "a\n\n<system-reminder>\nBe brief.\n</system-reminder>",
        '{"a": "b\\n"}',
    ]
)
JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=8,
)
OBJECTS = st.dictionaries(TEXTS, JSON, max_size=3)
IDS = st.sampled_from([f"c{number}" for number in range(9)])
MARK = st.sampled_from([{}, {"cache_control": {"type": "ephemeral"}}])


def shaped(**fields: Any) -> st.SearchStrategy[dict[str, Any]]:
    return st.fixed_dictionaries(
        {
            name: it if isinstance(it, st.SearchStrategy) else st.just(it)
            for name, it in fields.items()
        }
    )


def marked(shape: st.SearchStrategy[dict[str, Any]]) -> st.SearchStrategy[dict[str, Any]]:
    return st.tuples(shape, MARK).map(lambda both: both[0] | both[1])


def parts(kind: str) -> st.SearchStrategy[Any]:
    text = marked(shaped(type=kind, text=TEXTS))
    return TEXTS | st.lists(text | shaped(type="image", source=OBJECTS), max_size=4)


ANTHROPIC = shaped(
    role=st.sampled_from(["user", "assistant", "system"]),
    content=TEXTS
    | st.lists(
        st.one_of(
            marked(shaped(type="text", text=TEXTS)),
            marked(shaped(type="tool_use", id=IDS, name="Edit", input=OBJECTS)),
            marked(shaped(type="tool_result", tool_use_id=IDS, content=parts("text"))),
            shaped(type="thinking", thinking=TEXTS, signature="s"),
            OBJECTS,
        ),
        max_size=5,
    ),
)
ARGUMENTS = TEXTS | OBJECTS.map(json.dumps)
RESPONSES = st.one_of(
    shaped(
        type="message", role=st.sampled_from(["user", "assistant"]), content=parts("input_text")
    ),
    shaped(type="function_call", call_id=IDS, name="edit", arguments=ARGUMENTS),
    shaped(type="custom_tool_call", call_id=IDS, name="patch", input=TEXTS),
    shaped(type="local_shell_call", call_id=IDS, action=OBJECTS),
    shaped(type="function_call_output", call_id=IDS, output=parts("input_text")),
    shaped(type="reasoning", encrypted_content=TEXTS),
    OBJECTS,
)
CALL = shaped(id=IDS, type="function", function=shaped(name="edit", arguments=ARGUMENTS))
CHAT = st.one_of(
    shaped(role=st.sampled_from(["system", "user"]), content=parts("text")),
    shaped(role="assistant", content=parts("text"), tool_calls=st.lists(CALL, max_size=3)),
    shaped(role="tool", tool_call_id=IDS, content=parts("text")),
)
SPACES = st.sampled_from([(",", ":"), (" , ", " : ")])


@st.composite
def requests(draw: st.DrawFn) -> tuple[str, bytes]:
    wire = draw(st.sampled_from(["anthropic", "responses", "chat"]))
    shape = {"anthropic": ANTHROPIC, "responses": RESPONSES, "chat": CHAT}[wire]
    name = "input" if wire == "responses" else "messages"
    listed = draw(st.lists(shape, max_size=5))
    request = {"model": "m", **draw(OBJECTS), name: listed, **draw(MARK)}
    indent, separators = draw(st.sampled_from([None, 1])), draw(SPACES)
    return wire, json.dumps(request, indent=indent, separators=separators).encode()
