"""The imports, exports and top-level values of a JavaScript or TypeScript file."""

from collections.abc import Iterator

from tree_sitter import Node

from statetape.code.extract.javascript_names import key, required
from statetape.code.extract.javascript_shape import (
    ALL,
    WHOLE,
    Shape,
    entries,
    expression,
)
from statetape.code.treesitter import text

_DECLARATIONS = ("lexical_declaration", "variable_declaration")
_LONGEST = 200


def add_modules(shape: Shape, data: bytes, root: Node) -> None:
    """Adds what the statements directly under a root import, export and assign."""
    for node in root.named_children:
        match node.type:
            case "import_statement":
                _add_import(shape, data, node)
            case "export_statement":
                _add_export(shape, data, node)
            case "lexical_declaration" | "variable_declaration":
                for declarator in node.named_children:
                    _add_value(shape, data, declarator)
            case "expression_statement" if node.named_children:
                _add_assignment(shape, data, node.named_children[0])
            case _:
                pass


def pattern_names(data: bytes, pattern: Node) -> Iterator[tuple[str, str]]:
    """(key, local name) of an object pattern's plain entries."""
    for entry in pattern.named_children:
        if entry.type == "shorthand_property_identifier_pattern":
            yield text(data, entry), text(data, entry)
        elif entry.type == "object_assignment_pattern" and entry.named_children:
            yield text(data, entry.named_children[0]), text(data, entry.named_children[0])
        elif entry.type == "pair_pattern":
            value = entry.child_by_field_name("value")
            if value is not None and value.type == "identifier":
                yield key(data, entry.child_by_field_name("key")), text(data, value)


def _add_import(shape: Shape, data: bytes, node: Node) -> None:
    module = key(data, node.child_by_field_name("source"))
    for clause in node.named_children:
        if clause.type == "import_require_clause" and clause.named_children:
            source = key(data, clause.child_by_field_name("source"))
            shape.imports[text(data, clause.named_children[0])] = (source, WHOLE)
        if clause.type != "import_clause":
            continue
        for part in clause.named_children:
            if part.type == "identifier":
                shape.imports[text(data, part)] = (module, "default")
            elif part.type == "namespace_import" and part.named_children:
                shape.imports[text(data, part.named_children[0])] = (module, ALL)
            elif part.type == "named_imports":
                for name, local in _specifiers(data, part):
                    shape.imports[local] = (module, name)


def _specifiers(data: bytes, clause: Node) -> Iterator[tuple[str, str]]:
    """(name, alias) of the entries of `{a, b as c}`."""
    for specifier in clause.named_children:
        name = specifier.child_by_field_name("name")
        alias = specifier.child_by_field_name("alias") or name
        if name is not None:
            yield key(data, name), key(data, alias)


def _add_export(shape: Shape, data: bytes, node: Node) -> None:
    module = key(data, node.child_by_field_name("source"))
    declaration = node.child_by_field_name("declaration")
    value = node.child_by_field_name("value")
    marks = {child.type for child in node.children}
    if declaration is not None:
        names = _declared_names(shape, data, declaration)
        if "default" in marks:
            shape.exports["default"] = ("", names[0] if names else "default")
        else:
            shape.exports.update((name, ("", name)) for name in names)
    elif value is not None:
        _add_whole(shape, data, "default", value)
    elif "=" in marks and node.named_children:
        _add_whole(shape, data, WHOLE, node.named_children[0])
    for part in node.named_children:
        if part.type == "export_clause":
            for name, alias in _specifiers(data, part):
                shape.exports[alias] = (module, name)
        elif part.type == "namespace_export" and part.named_children:
            shape.exports[key(data, part.named_children[0])] = (module, ALL)
    if module and "*" in marks:
        shape.stars.append(module)


def _declared_names(shape: Shape, data: bytes, declaration: Node) -> list[str]:
    if declaration.type not in _DECLARATIONS:
        name = declaration.child_by_field_name("name")
        return [key(data, name)] if name else []
    names: list[str] = []
    for declarator in declaration.named_children:
        _add_value(shape, data, declarator)
        name = declarator.child_by_field_name("name")
        if name is not None and name.type == "object_pattern":
            names += [local for _, local in pattern_names(data, name)]
        elif name is not None:
            names.append(text(data, name))
    return names


def _add_value(shape: Shape, data: bytes, declarator: Node) -> None:
    """What a top-level declarator imports, and the statements of names that it takes apart."""
    name = declarator.child_by_field_name("name")
    value = declarator.child_by_field_name("value")
    if name is None:
        return
    module = required(data, value)
    if name.type == "object_pattern":
        for entry, local in pattern_names(data, name):
            if module:
                shape.imports[local] = (module, entry)
            elif value is not None and value.end_byte - value.start_byte <= _LONGEST:
                shape.values[local] = f"=({text(data, value)}).{entry}"
    elif name.type == "array_pattern" and value is not None:
        for at, each in enumerate(name.named_children):
            if each.type == "identifier" and value.end_byte - value.start_byte <= _LONGEST:
                shape.values[text(data, each)] = f"=({text(data, value)})[{at}]"
    elif module:
        shape.imports[text(data, name)] = (module, WHOLE)


def _add_assignment(shape: Shape, data: bytes, node: Node) -> None:
    """`module.exports = ...`, `module.exports.name = ...` and `exports.name = ...`."""
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    if node.type != "assignment_expression" or left is None or right is None:
        return
    target = text(data, left)
    if target == "module.exports":
        _add_whole(shape, data, WHOLE, right)
    elif target.startswith(("module.exports.", "exports.")):
        _add_entry(shape, data, target.rpartition(".")[2], right)


def _add_whole(shape: Shape, data: bytes, export: str, value: Node) -> None:
    """The export of one value: a name, a definition of its own, or an object's entries."""
    module = required(data, value)
    name = value.child_by_field_name("name")
    if module:
        shape.exports[export] = (module, WHOLE)
        shape.stars.append(module)
    elif value.type == "identifier":
        shape.exports[export] = ("", text(data, value))
    elif value.type != "object":
        shape.exports[export] = ("", key(data, name) or "default")
        if stated := expression(data, value):
            shape.values["default"] = stated
    elif export == "default":
        shape.exports[export] = ("", "default")
        shape.values["default"] = "=" + text(data, value)
    else:
        for entry, _, entry_value in entries(data, value):
            if entry == "...":
                shape.stars.extend(filter(None, [required(data, entry_value)]))
            else:
                _add_entry(shape, data, entry, entry_value)


def _add_entry(shape: Shape, data: bytes, export: str, value: Node | None) -> None:
    module = required(data, value)
    if module:
        shape.exports[export] = (module, WHOLE)
    elif value is not None and value.type == "identifier":
        shape.exports[export] = ("", text(data, value))
    else:
        shape.exports[export] = ("", export)
        if value is not None and (stated := expression(data, value)):
            shape.values[export] = stated
