"""The local names of a JavaScript text, and what they hold while it is read."""

from collections.abc import Iterator

from tree_sitter import Node

from statetape.code.extract.javascript_names import key
from statetape.code.treesitter import text

FUNCTIONS = frozenset(
    {
        "function_declaration",
        "function_expression",
        "generator_function",
        "generator_function_declaration",
        "arrow_function",
        "method_definition",
        "function_signature",
        "method_signature",
        "abstract_method_signature",
    }
)
DECLARATIONS = ("lexical_declaration", "variable_declaration")
_NAMED = (
    "function_declaration",
    "generator_function_declaration",
    "class_declaration",
    "abstract_class_declaration",
    "enum_declaration",
)


class Binding:
    """A local name: what it may hold `now`, and `ever`, by the numbers of terms.

    `function` and `branch` are where it is declared: the number of the function, and how many
    conditions are around; `of_file`: in no function or block at all.
    """

    __slots__ = ("branch", "ever", "function", "now", "number", "of_file")

    def __init__(self, number: int, function: int, branch: int) -> None:
        self.number = number
        self.function = function
        self.branch = branch
        self.of_file = False
        self.now: tuple[int, ...] = ()
        self.ever: list[int] = []

    def hold(self, value: int, branch: int) -> None:
        """Takes in an assignment, made under that many conditions."""
        others = self.now if branch > self.branch else ()
        self.now = (*(each for each in others if each != value), *([value] if value >= 0 else ()))
        if value >= 0 and value not in self.ever:
            self.ever.append(value)


class Scope(dict[str, Binding]):
    """The names of one function, block or loop, and the scope around it."""

    def __init__(self, outer: "Scope | None" = None, *, of_function: bool = False) -> None:
        super().__init__()
        self.outer = outer
        self.of_function = of_function

    def find(self, name: str) -> Binding | None:
        """What declares a name; None: nothing in the text."""
        here: Scope | None = self
        while here is not None:
            if name in here:
                return here[name]
            here = here.outer
        return None

    def function(self) -> "Scope":
        """The scope of the function around, where `var` declares."""
        here = self
        while not here.of_function and here.outer is not None:
            here = here.outer
        return here

    def names(self) -> Iterator[tuple[str, Binding]]:
        """All names in scope, the innermost first."""
        here: Scope | None = self
        while here is not None:
            yield from here.items()
            here = here.outer


def declared(data: bytes, block: Node) -> Iterator[tuple[str, bool]]:
    """(name, whether it is a function or class) of what the statements of a block declare."""
    for child in block.named_children:
        cases = child.type in ("switch_case", "switch_default")
        for statement in child.named_children if cases else [child]:
            name = statement.child_by_field_name("name")
            if statement.type in _NAMED and name is not None:
                yield text(data, name), True
            for declarator in statement.named_children if statement.type in DECLARATIONS else ():
                target = declarator.child_by_field_name("name")
                value = declarator.child_by_field_name("value")
                defines = value is not None and (value.type in FUNCTIONS or value.type == "class")
                for local, _ in taken_apart(data, target) if target is not None else ():
                    yield local, defines


def taken_apart(data: bytes, pattern: Node) -> Iterator[tuple[str, tuple[str, ...]]]:
    """The names that a pattern binds, each with the keys that lead to it; `...`: not known."""
    stack: list[tuple[Node, tuple[str, ...]]] = [(pattern, ())]
    while stack:
        node, path = stack.pop()
        match node.type:
            case "identifier" | "shorthand_property_identifier_pattern":
                own = node.type != "identifier"
                yield text(data, node), (*path, text(data, node)) if own else path
            case "object_pattern" | "array_pattern":
                listed = node.type == "array_pattern"
                children = reversed(list(enumerate(node.named_children)))
                stack += [(child, (*path, str(at)) if listed else path) for at, child in children]
            case "pair_pattern":
                name = key(data, node.child_by_field_name("key"))
                value = node.child_by_field_name("value")
                stack += [(value, (*path, name))] if value else []
            case "assignment_pattern" | "object_assignment_pattern" if node.named_children:
                stack.append((node.named_children[0], path))
            case "rest_pattern" if node.named_children:
                stack.append((node.named_children[0], (*path, "...")))
            case _:
                pass
