"""Which files a test run can load, in Python, JavaScript and Go; and when nobody can tell."""

import time
from collections.abc import Mapping, Sequence

import pytest

from statetape.code import loading
from statetape.code.graph import Graph
from statetape.files import Memory

PYTHON = {
    "app/__init__.py": "",
    "app/cli.py": "from app.core import load\nimport json\n",
    "app/core.py": "from . import paths\n",
    "app/paths.py": "import os\n",
    "app/web.py": "import flask\n",
    "app/lazy.py": "def f():\n    from app import web\n",
    "tests/conftest.py": "from tests.fixtures import made\n",
    "tests/fixtures.py": "import pytest\n",
    "tests/test_cli.py": "from app.cli import main\n\n\ndef test_it():\n    main()\n",
    "tests/test_web.py": "import app.lazy\n",
}
CLI = {
    "tests/test_cli.py", "tests/conftest.py", "tests/fixtures.py",
    "app/__init__.py", "app/cli.py", "app/core.py", "app/paths.py",
}  # fmt: skip
GO = {
    "go.mod": "module x.org/app\n",
    "cli/cli.go": 'package cli\n\nimport (\n\t"fmt"\n\n\t"x.org/app/core"\n)\n',
    "cli/cli_test.go": 'package cli\n\nimport "testing"\n',
    "core/core.go": 'package core\n\nimport paths "x.org/app/internal/paths"\n',
    "core/more.go": "package core\n",
    "core/core_test.go": 'package core\n\nimport "x.org/app/web"\n',
    "internal/paths/paths.go": "package paths\n",
    "web/web.go": "package web\n",
}
SCRIPT = {
    "package.json": '{"name": "app", "dependencies": {"react": "^18", "vitest": "^1"}}',
    "vitest.config.ts": 'export default { setupFiles: ["./test/setup.ts"] }\n',
    "src/api.ts": 'import { get } from "./http";\nimport fs from "fs";\nimport x from "react";\n',
    "src/http.ts": "export const get = 1;\n",
    "src/other.ts": "export const other = 1;\n",
    "src/late.ts": "export const late = 1;\n",
    "src/api.test.ts": 'import { it } from "vitest";\nimport "./api";\nvi.mock("./late");\n',
    "test/setup.ts": 'import "../src/other";\n',
}


def graph(files: Mapping[str, str], **changed: str) -> Graph:
    return Graph(Memory({path: text.encode() for path, text in {**files, **changed}.items()}))


def with_text(files: Mapping[str, str], path: str, text: str) -> Graph:
    return graph({**files, path: files.get(path, "") + text})


def loaded(
    tests: tuple[str, ...], graph: Graph, but: Sequence[str] = (), most: int = loading.MOST
) -> set[str] | None:
    found = loading.loaded(tests, graph, but, most)
    return None if found is None else set(found.files)


def test_python_loads_what_is_imported_anywhere_and_the_packages_around() -> None:
    assert loaded(("tests/test_cli.py",), graph(PYTHON)) == CLI
    web = loaded(("tests/test_web.py",), graph(PYTHON))
    assert web is not None
    assert web - CLI == {"tests/test_web.py", "app/lazy.py", "app/web.py"}


def test_python_loads_the_packages_of_the_tests_and_what_a_broken_line_imports() -> None:
    alone = {"tests/__init__.py": "", "tests/a/__init__.py": "", "tests/a/test_b.py": ""}
    assert loaded(("tests/a/test_b.py",), graph(alone)) == alone.keys()
    broken = with_text(PYTHON, "app/core.py", "from app import \\\n    web\n")
    assert loaded(("tests/test_cli.py",), broken) == CLI | {"app/web.py"}


def test_a_file_that_is_named_as_a_module_of_python_is_not_meant_by_it() -> None:
    assert loaded(("tests/test_cli.py",), graph({**PYTHON, "tools/json.py": ""})) == CLI


def test_a_folder_of_tests_is_all_files_below_it() -> None:
    found = loaded(("tests/**.py",), graph(PYTHON))
    assert found == PYTHON.keys()


def test_go_loads_packages_whole_and_tests_of_the_tested_alone() -> None:
    assert loaded(("cli/*.go",), graph(GO)) == {
        "cli/cli.go", "cli/cli_test.go", "core/core.go", "core/more.go", "internal/paths/paths.go",
    }  # fmt: skip
    below = loaded(("**.go",), graph(GO))
    assert below == GO.keys() - {"go.mod"}


def test_javascript_loads_what_it_imports_or_mocks_and_what_its_runner_is_set_up_with() -> None:
    assert loaded(("src/api.test.ts",), graph(SCRIPT)) == {
        "src/api.test.ts", "src/api.ts", "src/http.ts", "src/late.ts",
        "package.json", "vitest.config.ts", "test/setup.ts", "src/other.ts",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("app/core.py", "importlib.import_module(name)\n"),
        ("app/core.py", "__import__(name)\n"),
        ("app/core.py", "subprocess.run([sys.executable, '-m', 'app'])\n"),
        ("tests/test_cli.py", "import subprocess\n"),
        ("tests/conftest.py", "import subprocess\n"),
        ("tests/test_cli.py", "import web\n"),  # a name of the repository, found by a path we miss
    ],
)
def test_where_python_computes_what_it_loads_nobody_can_tell(path: str, text: str) -> None:
    assert loaded(("tests/test_cli.py",), with_text(PYTHON, path, text)) is None


def test_a_module_that_is_named_in_a_string_is_loaded() -> None:
    patched = with_text(PYTHON, "tests/test_cli.py", 'patch("app.web.flask.Flask")\n')
    assert loaded(("tests/test_cli.py",), patched) == CLI | {"app/web.py"}


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("src/api.ts", "const x = await import(name);\n"),
        ("src/api.ts", "const x = require(name);\n"),
        ("src/api.ts", 'import.meta.glob("./*.ts");\n'),
        ("src/api.ts", 'import x from "@/other";\n'),
        ("src/api.ts", 'import x from "src/other";\n'),
        ("src/api.test.ts", 'import { spawn } from "child_process";\n'),
    ],
)
def test_where_javascript_computes_what_it_loads_nobody_can_tell(path: str, text: str) -> None:
    assert loaded(("src/api.test.ts",), with_text(SCRIPT, path, text)) is None


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("core/more.go", 'import "plugin"\n'),
        ("core/more.go", "var self, _ = os.Executable()\n"),
        ("cli/cli_test.go", 'import "os/exec"\n'),
    ],
)
def test_where_go_starts_or_loads_other_programs_nobody_can_tell(path: str, text: str) -> None:
    assert loaded(("cli/*.go",), with_text(GO, path, text)) is None


def test_what_is_said_in_a_comment_is_not_loaded() -> None:
    said = with_text(PYTHON, "app/core.py", "# from app import web; __import__(x)\n")
    assert loaded(("tests/test_cli.py",), said) == CLI
    said = with_text(GO, "core/more.go", '// import "x.org/app/web"\n')
    assert "web/web.go" not in (loaded(("cli/*.go",), said) or ())
    said = with_text(SCRIPT, "src/api.ts", "// import(name)\n/* require(x) */\n")
    assert loaded(("src/api.test.ts",), said) is not None


def test_there_is_nothing_to_tell_of_tests_that_are_not_there_or_of_too_many_files() -> None:
    assert loaded(("tests/test_none.py",), graph(PYTHON)) is None
    assert loaded(("none/**.py",), graph(PYTHON)) is None
    assert loaded(("tests/test_cli.py",), graph(PYTHON), most=len(CLI)) == CLI
    assert loaded(("tests/test_cli.py",), graph(PYTHON), most=len(CLI) - 1) is None


def test_a_configuration_of_the_runner_is_loaded_with_the_tests() -> None:
    plain = graph({**PYTHON, "pyproject.toml": '[tool.pytest]\naddopts = "-q"\n'})
    assert loaded(("tests/test_cli.py",), plain) == CLI | {"pyproject.toml"}
    covered = "export default { coverage: { enabled: true } }\n"
    assert loaded(("src/api.test.ts",), with_text(SCRIPT, "vitest.config.ts", covered)) is None


def test_one_of_those_that_must_not_be_among_them_ends_it() -> None:
    assert loaded(("tests/test_cli.py",), graph(PYTHON), but=["app/paths.py"]) is None
    assert loaded(("tests/test_cli.py",), graph(PYTHON), but=["app/web.py"]) == CLI


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("a_test.py", "from a import (\n" * 6000),
        ("a_test.py", "from" + " " * 100_000),
        ("a_test.py", "from" + "." * 100_000),
        ("a_test.py", "'" + "a." * 50_000),
        ("a.test.ts", "/* " * 30_000),
        ("a.test.ts", "import" + " " * 100_000),
        ("a.test.ts", "mock" * 50_000),
        ("go.mod", "a" * 100_000),
        ("a_test.go", "import (\n" * 10_000),
    ],
)
def test_a_hostile_file_is_read_in_linear_time(path: str, text: str) -> None:
    began = time.process_time()
    loaded((path,), graph({path: text}))
    loaded(("a_test.go",), graph({"a_test.go": 'import "x.org/a"\n', path: text}))
    assert time.process_time() - began < 3
