"""The needed side by rules, one small session for each rule and each bound."""

from pathlib import Path

from tests.bench.sessions import Told, before_edits, gold, regions

A = '''"""Loading."""

import os
from lib import parse

LIMIT = 3


def load(path):
    """Load it."""
    return parse(os.fspath(path))


def save(path, text):
    path.write(text)
'''
LIB = '''def parse(text):
    return helper(text)


def helper(text):
    return text.strip()


class Base:
    """Bases."""

    name = "base"

    def __init__(self):
        self.x = 1

    def run(self):
        raise NotImplementedError
'''


def only(told: Told) -> list[tuple[str, str, int, int]]:
    (point,) = before_edits(told.labelled())
    return regions(point)


class TestEditSite:
    def test_is_the_definition_around_the_hunk(self, tmp_path: Path) -> None:
        told = Told(tmp_path, {"a.py": A})
        told.edit("a.py", "path.write(text)", "path.write(text + 'x')")
        assert only(told) == [("a.py", "save", 14, 15)]

    def test_of_an_insertion_into_a_function_is_that_function(self, tmp_path: Path) -> None:
        told = Told(tmp_path, {"a.py": A})
        told.edit("a.py", "    path.write(text)\n", "    path.write(text)\n    path.close()\n")
        assert only(told) == [("a.py", "save", 14, 15)]

    def test_of_an_insertion_between_definitions_are_the_lines_around(self, tmp_path: Path) -> None:
        told = Told(tmp_path, {"a.py": A})
        told.edit("a.py", "\n\ndef save", "\n\ndef more():\n    pass\n\n\ndef save")
        (point,) = before_edits(told.labelled())
        ((path, symbol, first, last),) = regions(point)
        assert (path, symbol) == ("a.py", "")
        assert 9 <= first <= 12
        assert 14 <= last <= 16

    def test_of_a_class_is_its_head(self, tmp_path: Path) -> None:
        told = Told(tmp_path, {"lib.py": LIB})
        told.edit("lib.py", 'name = "base"', 'name = "bottom"')
        assert only(told) == [("lib.py", "Base", 9, 15)]

    def test_is_before_the_edit_whatever_edits_of_the_burst_moved(self, tmp_path: Path) -> None:
        told = Told(tmp_path, {"a.py": A})
        told.edit("a.py", "LIMIT = 3", "LIMIT = 3\nMORE = 4\nEVEN_MORE = 5")
        told.edit("a.py", "path.write(text)", "path.write(text + 'x')")
        (point,) = before_edits(told.labelled())
        assert ("a.py", "save", 14, 15) in regions(point, "G1")

    def test_of_a_new_file_is_nowhere(self, tmp_path: Path) -> None:
        told = Told(tmp_path, {"a.py": A})
        told.write("b.py", "x = 1\n")
        assert only(told) == []

    def test_of_a_file_that_goes_is_none_but_who_used_it(self, tmp_path: Path) -> None:
        told = Told(tmp_path, {"lib.py": LIB, "use.py": USES})
        told.bash("rm lib.py")
        told.read("use.py")
        (point,) = before_edits(told.labelled())
        assert regions(point) == [("use.py", "use", 4, 5)]

    def test_in_go_is_the_method(self, tmp_path: Path) -> None:
        text = "package a\n\ntype S struct{}\n\nfunc (s *S) Do() int {\n\treturn 1\n}\n"
        told = Told(tmp_path, {"a.go": text})
        told.edit("a.go", "return 1", "return 2")
        assert only(told) == [("a.go", "S.Do", 5, 7)]


class TestReferenced:
    def test_is_what_new_lines_call_in_another_file(self, tmp_path: Path) -> None:
        told = Told(tmp_path, {"a.py": A, "lib.py": LIB})
        told.edit("a.py", "path.write(text)", "path.write(parse(text))")
        (point,) = before_edits(told.labelled())
        assert regions(point, "G2") == [("lib.py", "parse", 1, 2)]
        assert gold(point, "parse").missing == gold(point, "parse").tokens > 0

    def test_is_what_old_lines_called(self, tmp_path: Path) -> None:
        told = Told(tmp_path, {"a.py": A, "lib.py": LIB})
        told.edit("a.py", "return parse(os.fspath(path))", "return os.fspath(path)")
        (point,) = before_edits(told.labelled())
        assert regions(point, "G2") == [("lib.py", "parse", 1, 2)]

    def test_is_the_head_of_a_class_that_is_derived_from(self, tmp_path: Path) -> None:
        told = Told(tmp_path, {"lib.py": LIB})
        told.write("b.py", "from lib import Base\n\n\nclass Other(Base):\n    pass\n")
        (point,) = before_edits(told.labelled())
        assert regions(point, "G2") == [("lib.py", "Base", 9, 15)]

    def test_is_not_what_the_same_file_merely_holds(self, tmp_path: Path) -> None:
        told = Told(tmp_path, {"lib.py": LIB})
        told.edit("lib.py", "return text.strip()", "return text.rstrip()")
        assert only(told) == [("lib.py", "helper", 5, 6)]

    def test_is_not_what_the_burst_itself_makes(self, tmp_path: Path) -> None:
        told = Told(tmp_path, {"a.py": A})
        told.write("new.py", "def fresh():\n    return 1\n")
        told.edit("a.py", "from lib import parse", "from new import fresh")
        told.edit("a.py", "path.write(text)", "path.write(fresh())")
        (point,) = before_edits(told.labelled())
        assert regions(point, "G2") == []

    def test_without_an_engine_is_what_the_agent_has_read(self, tmp_path: Path) -> None:
        one = "package a\n\nfunc Do() int {\n\treturn 1\n}\n"
        two = "package a\n\nfunc Help() int {\n\treturn 2\n}\n"
        unread = Told(tmp_path, {"a.go": one, "b.go": two})
        unread.edit("a.go", "return 1", "return Help()")
        assert only(unread) == [("a.go", "Do", 3, 5)]
        had = Told(tmp_path, {"a.go": one, "b.go": two})
        had.read("b.go")
        had.edit("a.go", "return 1", "return Help()")
        assert only(had) == [("a.go", "Do", 3, 5), ("b.go", "Help", 3, 5)]

    def test_without_an_engine_is_nothing_that_could_be_either_of_two(self, tmp_path: Path) -> None:
        helps = "package b\n\nfunc Help() int {\n\treturn 2\n}\n"
        files = {"a/a.go": "package a\n\nfunc Do() int {\n\treturn 1\n}\n"}
        told = Told(tmp_path, {**files, "b/b.go": helps, "c/c.go": helps})
        told.read("b/b.go")
        told.read("c/c.go")
        told.edit("a/a.go", "return 1", "return b.Help()")
        assert only(told) == [("a/a.go", "Do", 3, 5)]

    def test_without_an_engine_is_what_it_goes_to_read(self, tmp_path: Path) -> None:
        one = "export function go() {\n  return 1;\n}\n"
        two = "export function help() {\n  return 2;\n}\n"
        told = Told(tmp_path, {"a.ts": one, "b.ts": two})
        told.edit("a.ts", "return 1", "return help()")
        told.read("b.ts")
        (point,) = before_edits(told.labelled())
        assert regions(point, "G2") == [("b.ts", "help", 1, 3)]
        assert gold(point, "help").missing > 0


USES = """from lib import parse


def use(text):
    return parse(text)


def other():
    return 1
"""


class TestBlastRadius:
    def test_is_a_reference_that_is_edited_later(self, tmp_path: Path) -> None:
        told = Told(tmp_path, {"lib.py": LIB, "use.py": USES})
        told.edit("lib.py", "def parse(text):", "def parse(text, strict):")
        told.read("use.py")
        told.edit("use.py", "return parse(text)", "return parse(text, True)")
        first, _ = before_edits(told.labelled())
        assert regions(first, "G3") == [("use.py", "use", 4, 5)]

    def test_needs_a_changed_signature_or_contract(self, tmp_path: Path) -> None:
        told = Told(tmp_path, {"lib.py": LIB, "use.py": USES})
        told.edit("lib.py", "return helper(text)", "return helper(text + '')")
        told.read("use.py")
        told.edit("use.py", "return parse(text)", "return parse(text or '')")
        first, _ = before_edits(told.labelled())
        assert regions(first, "G3") == []

    def test_is_touched_by_a_new_error(self, tmp_path: Path) -> None:
        told = Told(tmp_path, {"lib.py": LIB, "use.py": USES})
        told.edit("lib.py", "return helper(text)", "raise ValueError(helper(text))")
        told.read("use.py")
        told.edit("use.py", "return parse(text)", "return 2")
        first, _ = before_edits(told.labelled())
        assert regions(first, "G3") == [("use.py", "use", 4, 5)]

    def test_is_not_another_function_of_that_name(self, tmp_path: Path) -> None:
        other = "def parse(text):\n    return 1\n\n\ndef use(text):\n    return parse(text)\n"
        told = Told(tmp_path, {"lib.py": LIB, "other.py": other})
        told.edit("lib.py", "def parse(text):", "def parse(text, strict):")
        told.read("other.py")
        told.edit("other.py", "    return parse(text)", "    return parse(text) + 1")
        first, _ = before_edits(told.labelled())
        assert regions(first, "G3") == []

    def test_is_a_reference_that_breaks_though_nobody_edits_it(self, tmp_path: Path) -> None:
        told = Told(tmp_path, {"lib.py": LIB, "use.py": USES})
        told.edit("lib.py", "def parse(text):", "def parsed(text):")
        (point,) = before_edits(told.labelled())
        assert regions(point, "G3") == [("use.py", "use", 4, 5)]

    def test_is_no_reference_that_something_else_answers_to(self, tmp_path: Path) -> None:
        told = Told(tmp_path, {"lib.py": LIB, "use.py": USES})
        told.write("more.py", "def parse(text):\n    return text\n")
        old = "def parse(text):\n    return helper(text)\n"
        told.edit("lib.py", old, "from more import parse\n")
        (point,) = before_edits(told.labelled())
        assert regions(point, "G3") == []

    def test_is_not_a_later_edit_that_refers_to_nothing_changed(self, tmp_path: Path) -> None:
        told = Told(tmp_path, {"lib.py": LIB, "use.py": USES})
        told.edit("lib.py", "def parse(text):", "def parse(text, strict):")
        told.read("use.py")
        told.edit("use.py", "    return 1\n", "    return 2\n")
        first, _ = before_edits(told.labelled())
        assert regions(first, "G3") == []


CHILD = "from lib import Base\n\n\nclass Child(Base):\n    def run(self):\n        return 1\n"


class TestContract:
    def test_is_the_method_that_an_edited_one_overrides(self, tmp_path: Path) -> None:
        told = Told(tmp_path, {"lib.py": LIB, "child.py": CHILD})
        told.edit("child.py", "return 1", "return 2")
        (point,) = before_edits(told.labelled())
        assert regions(point, "G4") == [("lib.py", "Base.run", 17, 18)]

    def test_is_the_method_that_a_new_one_overrides(self, tmp_path: Path) -> None:
        child = CHILD.replace("def run(self)", "def walk(self)")
        told = Told(tmp_path, {"lib.py": LIB, "child.py": child})
        told.edit(
            "child.py",
            "        return 1\n",
            "        return 1\n\n    def run(self):\n        return 3\n",
        )
        (point,) = before_edits(told.labelled())
        assert regions(point, "G4") == [("lib.py", "Base.run", 17, 18)]

    def test_is_found_over_a_base_between(self, tmp_path: Path) -> None:
        middle = "from lib import Base\n\n\nclass Middle(Base):\n    y = 1\n"
        child = CHILD.replace("from lib import Base", "from middle import Middle as Base")
        told = Told(tmp_path, {"lib.py": LIB, "middle.py": middle, "child.py": child})
        told.edit("child.py", "return 1", "return 2")
        (point,) = before_edits(told.labelled())
        assert regions(point, "G4") == [("lib.py", "Base.run", 17, 18)]

    def test_is_the_interface_that_an_edited_class_implements(self, tmp_path: Path) -> None:
        face = "from typing import Protocol\n\n\nclass Face(Protocol):\n    x: int\n"
        child = "from face import Face\n\n\nclass Child(Face):\n    x = 1\n    y = 2\n"
        told = Told(tmp_path, {"face.py": face, "child.py": child})
        told.edit("child.py", "y = 2", "y = 3")
        (point,) = before_edits(told.labelled())
        assert regions(point, "G4") == [("face.py", "Face", 4, 5)]

    def test_is_a_collection_that_lists_the_name(self, tmp_path: Path) -> None:
        registry = (
            'import a\n\nHANDLERS = {\n    "load": a.load,\n    "save": a.save,\n}\nNAME = "load"\n'
        )
        told = Told(tmp_path, {"a.py": A, "registry.py": registry})
        told.edit("a.py", "path.write(text)", "path.write(text + 'x')")
        (point,) = before_edits(told.labelled())
        assert regions(point, "G4") == [("registry.py", "HANDLERS", 3, 6)]

    def test_of_a_long_collection_are_the_lines_around_the_name(self, tmp_path: Path) -> None:
        rows = "".join(f'    "name{n}",\n' for n in range(60))
        told = Told(tmp_path, {"a.py": A, "registry.py": f'ALL = [\n{rows}    "save",\n]\n'})
        told.edit("a.py", "path.write(text)", "path.write(text + 'x')")
        (point,) = before_edits(told.labelled())
        assert regions(point, "G4") == [("registry.py", "ALL", 59, 63)]

    def test_is_not_what_a_module_says_it_exports(self, tmp_path: Path) -> None:
        told = Told(tmp_path, {"a.py": A, "registry.py": '__all__ = ["save"]\n'})
        told.edit("a.py", "path.write(text)", "path.write(text + 'x')")
        assert only(told) == [("a.py", "save", 14, 15)]


class TestBounds:
    def test_tests_are_never_gold(self, tmp_path: Path) -> None:
        told = Told(tmp_path, {"tests/test_a.py": A, "a_test.go": "package a\n\nfunc T() {\n}\n"})
        told.edit("tests/test_a.py", "path.write(text)", "path.write(text + 'x')")
        told.edit("a_test.go", "func T() {\n", "func T() {\n\treturn\n")
        assert only(told) == []

    def test_a_block_of_imports_is_no_gold(self, tmp_path: Path) -> None:
        top = '"""A licence."""\n\nimport os\nfrom lib import (\n    helper,\n)\n\n\n\n\nX = 1\n'
        told = Told(tmp_path, {"a.py": top})
        told.edit("a.py", "import os\n", "import os\nimport sys\n")
        assert only(told) == []

    def test_a_docstring_alone_is_no_gold(self, tmp_path: Path) -> None:
        told = Told(tmp_path, {"a.py": '"""One.\n\nTwo.\nThree.\nFour.\n"""\n\n\n\nX = 1\n'})
        told.edit("a.py", "Two.", "Two and a half.")
        assert only(told) == []

    def test_what_lies_outside_of_the_repository_is_no_gold(self, tmp_path: Path) -> None:
        told = Told(tmp_path, {"a.py": A})
        told.files["../other/plan.py"] = A
        told.start["../other/plan.py"] = A
        told.edit("../other/plan.py", "LIMIT = 3", "LIMIT = 4")
        assert only(told) == []

    def test_what_is_held_as_it_is_is_not_missing(self, tmp_path: Path) -> None:
        told = Told(tmp_path, {"a.py": A})
        told.read("a.py", 8, 14)
        told.edit("a.py", "path.write(text)", "path.write(text + 'x')")
        (point,) = before_edits(told.labelled())
        found = gold(point, "save")
        assert [tuple(lines) for lines in found.absent] == [(15, 15)]
        assert 0 < found.missing < found.tokens
        assert point.missing == found.missing

    def test_what_is_held_as_it_was_is_missing(self, tmp_path: Path) -> None:
        told = Told(tmp_path, {"a.py": A})
        told.read("a.py", 14, 15)
        told.bash("sed -i 's/path.write/path.put/' a.py")
        told.files["a.py"] = A.replace("path.write", "path.put")
        told.read("a.py", 1, 3)
        told.read("a.py", 15, 15)
        told.edit("a.py", "path.put(text)", "path.put(text + 'x')")
        point = before_edits(told.labelled())[-1]
        assert gold(point, "save").missing == 0

    def test_one_line_counts_once(self, tmp_path: Path) -> None:
        told = Told(tmp_path, {"lib.py": LIB})
        told.edit("lib.py", "return helper(text)", "return parse(helper(text))")
        (point,) = before_edits(told.labelled())
        assert [each.symbol for each in point.needed] == ["parse", "helper"]
