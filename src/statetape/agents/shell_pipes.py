"""What becomes of shown text when it is piped into a command."""

from collections.abc import Sequence

from statetape.agents.shell_calls import Called
from statetape.agents.shell_place import arguments, names
from statetape.agents.shell_reads import narrowed
from statetape.agents.shell_searches import matches_lines
from statetape.types import Action, Read

# Filters that pass whole lines on, in any order.
_LINES = frozenset({"sort", "tee", "column", "strings", "tac", "cat", "uniq", "ts"})
_NOT_LINES = frozenset({"c", "count", "A", "v", "e"})
# Filters that make another text of what they read, and write nothing.
_TRANSFORMS = names(
    "wc cut tr jq yq awk gawk sed gsed xxd hexdump od base64 md5sum sha256sum shasum sha1sum fold "
    "rev paste comm diff fmt column expand unexpand nl cat uniq sort grep rg egrep tac strings "
    "head tail less more bat csvcut cmp join pr"
)


def filters(call: Called) -> bool:
    """Whether a command only reads its input here: it names no file, and writes none."""
    return call.name in _TRANSFORMS | _LINES


def filtered(shown: Sequence[Action], call: Called) -> tuple[Action, ...] | None:
    """What is left when a filter has passed on what was shown.

    None where there were reads and what comes out is no longer lines of theirs.
    """
    if call.name in _LINES:
        given = arguments(call.words, "kStoT")
        return None if given.has(*_NOT_LINES) and call.name != "tee" else tuple(shown)
    if matches_lines(call.name, call.words):
        return tuple(shown)
    reads = [action for action in shown if isinstance(action, Read)]
    if not reads:  # a search is a claim on its matches, in whatever form they are told
        return tuple(shown)
    found: list[Action] = []
    for action in shown:
        lines = narrowed(call.name, call.words, action if isinstance(action, Read) else Read(""))
        if lines is None:
            return None
        if not isinstance(action, Read) or len(reads) > 1:
            found.append(action)
        else:
            found += lines
    return tuple(found)
