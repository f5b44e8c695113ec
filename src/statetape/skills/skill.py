"""What a skill is, and what each of them answers: some rows, and how many were left out."""

from collections.abc import Callable, Mapping
from typing import Annotated, Any, Generic, TypeVar

from msgspec import Meta, Struct, ValidationError, convert
from msgspec.json import schema_components

from statetape.code.findings import Findings
from statetape.code.lookup import RecordingLookup
from statetape.context.repository import Code
from statetape.context.situation import Situation
from statetape.context.titles import shortened
from statetape.errors import BadInput

Row = TypeVar("Row")
Asked = TypeVar("Asked", bound="Arguments")

Most = Annotated[int, Meta(ge=1, le=500, description="The most rows to answer with.")]
Hops = Annotated[int, Meta(ge=1, le=2, description="How many calls away.")]
SymbolName = Annotated[
    str, Meta(min_length=1, description="`path::Class.method`, or an end of it that fits one only.")
]
PathName = Annotated[
    str, Meta(min_length=1, description="A file of the repository, or an end of its path.")
]
SlotName = Annotated[str, Meta(min_length=1, description="A slot, as `held` spells it.")]


class Arguments(Struct, frozen=True, forbid_unknown_fields=True):
    """What a skill takes; each has a class of its own."""


class Rows(Struct, Generic[Row], frozen=True):
    """An answer. `left_out` counts the rows beyond it; where it is a text, the lines."""

    rows: tuple[Row, ...]
    left_out: int = 0


class Skill(Struct, frozen=True):
    """A question that graph and tape answer without a model.

    `parameters` is a JSON schema of an object, as definitions of tools want it. `answer` raises
    BadInput for arguments that are none, or name what there is not.
    """

    name: str
    description: str
    parameters: Mapping[str, Any]
    answer: Callable[[Situation, Mapping[str, Any]], Rows[Any]]


def skill(
    description: str, arguments: type[Asked], answer: Callable[[Situation, Asked], Rows[Any]]
) -> Skill:
    """The skill that a function is; it has the function's name."""
    name = answer.__name__
    parameters = _parameters(arguments)

    def answered(situation: Situation, given: Mapping[str, Any]) -> Rows[Any]:
        try:
            asked = convert(dict(given), arguments, strict=False)
        except ValidationError as error:
            taken = ", ".join(parameters["properties"]) or "nothing"
            raise BadInput(f"{name}: {shortened(str(error), 200)}; it takes {taken}") from None
        return answer(situation, asked)

    return Skill(name, description, parameters, answered)


def _parameters(arguments: type[Arguments]) -> dict[str, Any]:
    """The schema of what a skill takes. An argument that may be left out says nothing of null."""
    schema = schema_components([arguments])[1][arguments.__name__]
    properties = {
        name: next((each for each in stated.get("anyOf", ()) if each != {"type": "null"}), stated)
        for name, stated in schema["properties"].items()
    }
    return {
        "type": "object",
        "properties": properties,
        "required": schema["required"],
        "additionalProperties": False,
    }


def code_of(situation: Situation) -> Code:
    """The repository. BadInput where the host has none."""
    if situation.code is None:
        raise BadInput("there is no repository to ask")
    return situation.code


def lookup_of(code: Code) -> RecordingLookup:
    """A window on the repository for questions of `code.languages`; good for one answer."""
    return RecordingLookup(code.graph, Findings())


def first(rows: list[Row], most: int) -> Rows[Row]:
    """The first rows, and how many there are behind them."""
    return Rows(tuple(rows[:most]), max(0, len(rows) - most))
