"""Codex's code mode: the tool calls in a script of JavaScript, in the order of the source."""

from collections.abc import Iterator, Mapping
from typing import NamedTuple

import tree_sitter_javascript
from tree_sitter import Language, Node, Parser

_PARSER = Parser(Language(tree_sitter_javascript.language()))
_DEEPEST = 200


class ToolCall(NamedTuple):
    """A call `tools.NAME(...)`: its argument as text or as fields of text, None where unknown.

    A field that is no known string is left out.
    """

    tool: str
    argument: str | Mapping[str, str] | None


def tool_calls(script: str) -> tuple[ToolCall, ...]:
    """The tool calls of a script. Never raises; what does not parse is searched as far as it does.

    Strings are known where they are literals, template literals, sums or joins of such, or
    constants that hold one.
    """
    root = _PARSER.parse(script.encode("utf-8", "replace")).root_node
    known: dict[str, str] = {}
    return tuple(_calls(root, known, 0))


def _calls(node: Node, known: dict[str, str], depth: int) -> Iterator[ToolCall]:
    if depth > _DEEPEST:
        return
    if node.type in ("variable_declarator", "assignment_expression"):
        _remember(node, known)
    tool = _tool(node) if node.type == "call_expression" else None
    if tool is not None:
        given = node.child_by_field_name("arguments")
        first = None if given is None else next(iter(given.named_children), None)
        yield ToolCall(tool, None if first is None else _argument(first, known))
    for child in node.named_children:
        yield from _calls(child, known, depth + 1)


def _remember(node: Node, known: dict[str, str]) -> None:
    name = node.child_by_field_name("name") or node.child_by_field_name("left")
    value = node.child_by_field_name("value") or node.child_by_field_name("right")
    if name is None or value is None or name.type != "identifier":
        return
    text = _string(value, known, 0)
    if text is None:
        known.pop(_source(name), None)
    else:
        known[_source(name)] = text


def _tool(node: Node) -> str | None:
    function = node.child_by_field_name("function")
    if function is None or function.type != "member_expression":
        return None
    owner, name = function.child_by_field_name("object"), function.child_by_field_name("property")
    if owner is None or name is None or _source(owner) != "tools":
        return None
    return _source(name)


def _argument(node: Node, known: Mapping[str, str]) -> str | Mapping[str, str] | None:
    if node.type != "object":
        return _string(node, known, 0)
    fields: dict[str, str] = {}
    for child in node.named_children:
        key, value = child.child_by_field_name("key"), child.child_by_field_name("value")
        if child.type == "shorthand_property_identifier" and _source(child) in known:
            fields[_source(child)] = known[_source(child)]
        elif key is not None and value is not None:
            name = _string(key, known, 0) if key.type == "string" else _source(key)
            text = _string(value, known, 0)
            if name is not None and text is not None:
                fields[name] = text
    return fields


def _string(node: Node, known: Mapping[str, str], depth: int) -> str | None:
    if depth > _DEEPEST:
        return None
    kind = node.type
    if kind in ("string", "template_string"):
        pieces = _pieces(node, known, depth)
        return None if pieces is None else _paired("".join(pieces))
    if kind == "identifier":
        return known.get(_source(node))
    if kind == "parenthesized_expression" and node.named_child_count == 1:
        return _string(node.named_children[0], known, depth + 1)
    if kind == "binary_expression" and any(child.type == "+" for child in node.children):
        left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
        texts = [None if n is None else _string(n, known, depth + 1) for n in (left, right)]
        return None if None in texts else "".join(text for text in texts if text is not None)
    return _called_string(node, known, depth) if kind == "call_expression" else None


def _pieces(node: Node, known: Mapping[str, str], depth: int) -> list[str] | None:
    """The pieces of a string or a template; None where one is not known."""
    pieces: list[str] = []
    for child in node.named_children:
        if child.type in ("string_fragment", "template_chars"):
            pieces.append(_source(child))
        elif child.type == "escape_sequence":
            pieces.append(_escape(_source(child)))
        elif child.type == "template_substitution" and child.named_child_count == 1:
            text = _string(child.named_children[0], known, depth + 1)
            if text is None:
                return None
            pieces.append(text)
        elif child.type != "html_comment":
            return None
    return pieces


def _called_string(node: Node, known: Mapping[str, str], depth: int) -> str | None:
    """`String.raw` with a template, and `[...].join(separator)`."""
    function, given = node.child_by_field_name("function"), node.child_by_field_name("arguments")
    if function is None or given is None:
        return None
    if given.type == "template_string" and _source(function) == "String.raw":
        parts = [_source(c) for c in given.named_children if c.type != "template_substitution"]
        complete = all(c.type != "template_substitution" for c in given.named_children)
        return "".join(parts) if complete else None
    owner, name = function.child_by_field_name("object"), function.child_by_field_name("property")
    if owner is None or name is None or owner.type != "array" or _source(name) != "join":
        return None
    separator = next((_string(n, known, depth + 1) for n in given.named_children), ",")
    texts = [_string(child, known, depth + 1) for child in owner.named_children]
    if separator is None or None in texts:
        return None
    return separator.join(text for text in texts if text is not None)


_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", "v": "\v", "0": "\0", "\n": ""}


def _escape(text: str) -> str:
    """The character of an escape sequence; a malformed one stands for itself."""
    body = text[1:]
    if body[:1] in ("x", "u"):
        digits = body[1:].strip("{}")
        try:
            return chr(int(digits, 16))
        except (ValueError, OverflowError):
            return body
    return _ESCAPES.get(body, body)


def _paired(text: str) -> str:
    """Text in which two escaped surrogates are one character, and a lone one a mark."""
    if text.isascii() or not any("\ud800" <= character <= "\udfff" for character in text):
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def _source(node: Node) -> str:
    return (node.text or b"").decode("utf-8", "replace")
