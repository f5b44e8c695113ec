"""A command line as its grammar has it: pipelines of commands, in the order in which they run."""

from collections.abc import Mapping

import tree_sitter_bash
from tree_sitter import Language, Node, Parser

from statetape.agents.shell_line import Command, Group, Pipeline, Redirect, Word
from statetape.agents.shell_quotes import ansi_c, unescaped
from statetape.code.reparse import readable

_PARSER = Parser(Language(tree_sitter_bash.language()))
_DEEPEST = 60
_BLOCKS = frozenset(
    {
        "if_statement",
        "while_statement",
        "for_statement",
        "c_style_for_statement",
        "case_statement",
        "compound_statement",
        "subshell",
        "function_definition",
    }
)
_SUBSTITUTIONS = frozenset({"command_substitution", "process_substitution"})
# What a double-quoted string escapes.
_ESCAPED = frozenset('"\\$`')
_UNKNOWN = Word("", "unknown")


def pipelines(command: str) -> tuple[Pipeline, ...]:
    """The pipelines of a command line, in order. Broken lines give what can be made out of them."""
    data = command.encode("utf-8", "replace")
    root = _PARSER.parse(readable(data, "tree_sitter_bash")).root_node
    return tuple(_Walk(data, {}).statements(root, 0))


class _Walk:
    """A walk over the tree in the order of execution; knows the variables that are literals."""

    def __init__(self, data: bytes, names: Mapping[str, str]) -> None:
        self._data = data
        self._names = dict(names)
        self._blocks = 0

    def statements(self, node: Node, depth: int) -> list[Pipeline]:
        """What a node of statements runs, in order."""
        kind = node.type
        if depth > _DEEPEST:
            return [Pipeline((Command(self._text(node), (_UNKNOWN,)),))]
        if kind == "command":
            return [self._command(node, depth)]
        if kind == "pipeline":
            return self._pipeline(node, depth)
        if kind == "redirected_statement":
            return self._redirected(node, depth)
        if kind in _BLOCKS:
            return self._block(node, depth)
        if kind in ("declaration_command", "variable_assignment", "variable_assignments"):
            return self._assignments(node, depth)
        if kind in ("test_command", "unset_command", "comment", "heredoc_body", "word"):
            return self._inner([node], depth)
        if kind == "ERROR" and not node.named_children:
            return []
        found: list[Pipeline] = []
        for child in node.named_children:
            found += self.statements(child, depth + 1)
        if kind == "ERROR":
            found.append(Pipeline((Command(self._text(node), (_UNKNOWN,)),)))
        return found

    def _pipeline(self, node: Node, depth: int) -> list[Pipeline]:
        # The grammar binds `a && b 2>&1 | c` as (a && b 2>&1) | c; only the last of a side joins.
        found: list[Pipeline] = []
        for child in node.named_children:
            more = self.statements(child, depth + 1)
            if found and more and child.type != "comment":
                found[-1] = Pipeline(found[-1].parts + more[0].parts)
                more = more[1:]
            found += more
        return found

    def _block(self, node: Node, depth: int) -> list[Pipeline]:
        self._blocks += 1
        variable = node.child_by_field_name("variable")
        if variable is not None:
            self._names.pop(self._text(variable), None)
        body: list[Pipeline] = []
        names = dict(self._names)
        for child in node.named_children:
            if child.type not in ("word", "variable_name"):
                body += self.statements(child, depth + 1)
        self._blocks -= 1
        if node.type == "subshell":
            self._names = names
        return [Pipeline((Group(self._text(node), tuple(body), subshell=node.type == "subshell"),))]

    def _assignments(self, node: Node, depth: int) -> list[Pipeline]:
        nodes = [node] if node.type == "variable_assignment" else node.named_children
        for one in nodes:
            name, value = one.child_by_field_name("name"), one.child_by_field_name("value")
            if one.type != "variable_assignment" or name is None:
                continue
            word = Word("") if value is None else self._word(value)
            # What a block assigns may or may not be assigned after it.
            if word.kind == "literal" and not self._blocks:
                self._names[self._text(name)] = word.text
            else:
                self._names.pop(self._text(name), None)
        inner = tuple(self._inner(nodes, depth))
        return [Pipeline((Command(self._text(node), (Word(":"),), inner=inner),))]

    def _redirected(self, node: Node, depth: int) -> list[Pipeline]:
        found: list[Pipeline] = []
        redirects: list[Node] = []
        for child in node.named_children:
            if child.type.endswith("_redirect"):
                redirects.append(child)
            else:
                found += self.statements(child, depth + 1)
        alone = len(found) == 1
        if not found:
            found = [Pipeline((Command(self._text(node), (Word(":"),)),))]
        *parts, last = found[-1].parts
        after: list[Pipeline] = []
        for redirect in redirects:
            last = self._with_redirect(last, redirect)
            if redirect.type == "heredoc_redirect":
                after += self._after_heredoc(redirect, depth)
        # What follows a heredoc's first line: `| next` reads this command, the rest comes after.
        piped = any(c.type == "pipeline" for r in redirects for c in r.named_children)
        last = last._replace(text=self._text(node)) if alone and not after else last
        joined = after[0].parts if piped and after else ()
        return [*found[:-1], Pipeline((*parts, last, *joined)), *(after[1:] if joined else after)]

    def _with_redirect(self, part: Command | Group, redirect: Node) -> Command | Group:
        if redirect.type == "herestring_redirect":
            return part._replace(given=self._here_string(redirect))
        nodes = [redirect]
        if redirect.type == "heredoc_redirect":
            part = part._replace(given=self._heredoc(redirect))
            nodes = [child for child in redirect.named_children if child.type == "file_redirect"]
        more = [one for node in nodes for one in self._file_redirect(node)]
        return part._replace(redirects=(*part.redirects, *more))

    def _after_heredoc(self, redirect: Node, depth: int) -> list[Pipeline]:
        found: list[Pipeline] = []
        for child in redirect.named_children:
            if child.type != "file_redirect" and not child.type.startswith("heredoc_"):
                found += self.statements(child, depth + 1)
        return found

    def _file_redirect(self, node: Node) -> list[Redirect]:
        descriptor = node.child_by_field_name("descriptor")
        targets = node.children_by_field_name("destination")
        operator = next((c.type for c in node.children if not c.is_named), ">")
        name = "" if descriptor is None else self._text(descriptor)
        return [Redirect(operator, name, self._word(target)) for target in targets[:1]]

    def _here_string(self, node: Node) -> Word:
        words = [self._word(child) for child in node.named_children]
        return words[0]._replace(text=words[0].text + "\n") if words else _UNKNOWN

    def _heredoc(self, node: Node) -> Word:
        start = next((c for c in node.named_children if c.type == "heredoc_start"), None)
        body = next((c for c in node.named_children if c.type == "heredoc_body"), None)
        if start is None or body is None:
            return _UNKNOWN if body is not None else Word("")
        text = self._text(body)
        if any(c.type == "<<-" for c in node.children):
            text = "\n".join(line.lstrip("\t") for line in text.split("\n"))
        if any(quote in self._text(start) for quote in "'\"\\"):
            return Word(text)
        if any(child.type != "heredoc_content" for child in body.named_children):
            return Word(text, "unknown")
        return Word(unescaped(text, frozenset("\\$`\n")))

    def _command(self, node: Node, depth: int) -> Pipeline:
        words: list[Word] = []
        given: Word | None = None
        redirects: list[Redirect] = []
        for child in node.named_children:
            if child.type == "command_name":
                words += [self._word(part) for part in child.named_children[:1]]
            elif child.type == "herestring_redirect":
                given = self._here_string(child)
            elif child.type == "file_redirect":
                redirects += self._file_redirect(child)
            elif child.type not in ("variable_assignment", "comment"):
                words.append(self._word(child))
        inner = tuple(self._inner(node.named_children, depth))
        return Pipeline((Command(self._text(node), tuple(words), tuple(redirects), given, inner),))

    def _inner(self, nodes: list[Node], depth: int) -> list[Pipeline]:
        """The substitutions below these nodes."""
        found: list[Pipeline] = []
        for node in nodes:
            if node.type in _SUBSTITUTIONS:
                walk = _Walk(self._data, self._names)
                for child in node.named_children:
                    found += walk.statements(child, depth + 1)
            elif node.named_child_count and depth < _DEEPEST:
                found += self._inner(node.named_children, depth + 1)
        return found

    def _word(self, node: Node) -> Word:
        kind = node.type
        text = self._text(node)
        if kind == "raw_string":
            return Word(text[1:-1])
        if kind == "string":
            return self._string(node)
        if kind in ("word", "number", "heredoc_start", "extglob_pattern", "regex"):
            glob = any(c in text for c in "*?[") and "\\" not in text
            return Word(unescaped(text), "glob" if glob else "literal")
        if kind == "ansi_c_string":
            return Word(ansi_c(text[2:-1]))
        if kind in ("simple_expansion", "expansion"):
            return self._expanded(text)
        if kind == "concatenation":
            return _joined([self._word(child) for child in node.children], text)
        if kind == "command_name" and node.named_child_count == 1:
            return self._word(node.named_children[0])
        if kind == "brace_expression":
            return Word(text, "glob")
        if not node.is_named:
            return Word(text)
        return Word(text, "unknown")

    def _string(self, node: Node) -> Word:
        """A double-quoted string: its text, with the variables in it that are known."""
        data = self._data[node.start_byte : node.end_byte]
        out: list[str] = []
        at = 1
        for child in node.named_children:
            if child.type == "string_content":
                continue
            word = self._word(child)
            if word.kind == "unknown":
                return Word(self._text(node), "unknown")
            start, end = child.start_byte - node.start_byte, child.end_byte - node.start_byte
            out += (unescaped(_decoded(data[at:start]), _ESCAPED), word.text)
            at = end
        out.append(unescaped(_decoded(data[at:-1]), _ESCAPED))
        return Word("".join(out))

    def _expanded(self, text: str) -> Word:
        name = text[2:-1] if text.startswith("${") else text[1:]
        if name in self._names:
            return Word(self._names[name])
        if name == "HOME":
            return Word("~")
        return Word(".") if name == "PWD" else Word(text, "unknown")

    def _text(self, node: Node) -> str:
        return _decoded(self._data[node.start_byte : node.end_byte])


def _joined(words: list[Word], text: str) -> Word:
    kinds = {word.kind for word in words}
    joined = "".join(word.text for word in words)
    if "unknown" in kinds:
        return Word(text, "unknown")
    if "glob" in kinds or ("{" in joined and any(w.text == "{" for w in words)):
        return Word(joined, "glob")
    return Word(joined)


def _decoded(data: bytes) -> str:
    return data.decode("utf-8", "replace")
