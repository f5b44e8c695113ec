"""Skills: read-only questions that graph and tape answer without a model (paper, Table 7).

Pure and listed by name. None gives a verdict on a record, and none knows more than the session.
"""

from collections.abc import Mapping
from typing import Any

from statetape.context.situation import Situation
from statetape.errors import BadInput
from statetape.skills.held import ForHeld, ForText, held, text
from statetape.skills.inheritance import Related, bases, overrides
from statetape.skills.nominated import ForFalsified, ForNominations, falsified, nominations
from statetape.skills.reach import Reach, callees, callers
from statetape.skills.skill import Rows, Skill, skill
from statetape.skills.source import ForImporters, ForSource, importers, source
from statetape.skills.writes import ForDrift, ForFocus, drift, focus

__all__ = ["SKILLS", "Rows", "Skill", "answered"]

SKILLS: Mapping[str, Skill] = {
    each.name: each
    for each in (
        skill("Held records that writes may have falsified, each with the reason, the default "
              "action and the text a refresh would inject.", ForNominations, nominations),
        skill("The symbols that writes changed (body), whose calls or reads now reach something "
              "else (dispatch), or that are new.", ForDrift, drift),
        skill("Who calls or reads a symbol, nearest first.", Reach, callers),
        skill("What a symbol calls or reads, nearest first.", Reach, callees),
        skill("The held records that a change of a symbol would falsify.", ForFalsified, falsified),
        skill("The held records: what produced each, its step, its tokens, whether it was "
              "nominated or changed, and how it begins.", ForHeld, held),
        skill("The whole text of one held record.", ForText, text),
        skill("The text of a symbol, or of lines of a file, as it is now.", ForSource, source),
        skill("The files that import a file.", ForImporters, importers),
        skill("The classes that derive from a class, or the methods that override a method.",
              Related, overrides),
        skill("The classes that a class derives from, or the methods that a method overrides.",
              Related, bases),
        skill("The symbols that the last steps read or wrote, newest first.", ForFocus, focus),
    )
}  # fmt: skip


def answered(name: str, situation: Situation, arguments: Mapping[str, Any]) -> Rows[Any]:
    """The answer of a skill: rows of frozen values that JSON can hold.

    BadInput, in one line, for a skill, an argument, a symbol, a slot or a file that is none; never
    another error, whatever the arguments.
    """
    if name not in SKILLS:
        raise BadInput(f"no skill {name[:40]!r}; there are {', '.join(SKILLS)}")
    return SKILLS[name].answer(situation, arguments)
