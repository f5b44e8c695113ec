"""The text of an expression, as it stands in the text that was parsed."""

import ast
import re

_LINE_END = re.compile(r"\r\n|\r|\n")
_WORD = re.compile(r"\w+")


class Segments:
    """The expressions of one text."""

    def __init__(self, text: str) -> None:
        self._lines = [line.encode() for line in _LINE_END.split(text)]

    def of(self, node: ast.expr) -> str:
        """The text of an expression; its dump where the text is not at the stated place.

        Python before 3.12 does not know the places of what stands in an f-string.
        """
        first, last = node.lineno - 1, (node.end_lineno or node.lineno) - 1
        lines = self._lines[first : last + 1]
        if not lines:
            return ast.dump(node)
        lines[-1] = lines[-1][: node.end_col_offset]
        lines[0] = lines[0][node.col_offset :]
        found = b"\n".join(lines).decode(errors="replace")
        return found if _fits(found, node) else ast.dump(node)

    @staticmethod
    def words(text: str) -> set[str]:
        """The words of a text."""
        return set(_WORD.findall(text))


def _fits(text: str, node: ast.expr) -> bool:
    match node:
        case ast.Name(id=name):
            return text == name
        case ast.Attribute(attr=name):
            return text.endswith(name) and "\n" not in text
        case ast.Call():
            return text.endswith(")") and text.count("(") == text.count(")")
    return bool(text)
