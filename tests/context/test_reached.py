"""Writes that a run of tests can reach by ways other than a plain import: it is run again."""

from collections.abc import Mapping

import pytest
from tests.context.test_unreached import Runs

from statetape.code import loading
from statetape.code.graph import Graph
from statetape.files import Memory

APP = {
    "app/__init__.py": "",
    "app/core.py": "def load():\n    return 1\n",
    "app/web.py": "def serve():\n    return 2\n",
}
SCRIPT = {
    "package.json": '{"name": "app", "devDependencies": {"vitest": "1", "axios": "1"}}',
    "src/core.ts": "export const load = 1;\n",
    "src/web.ts": "export const serve = 1;\n",
    "src/core.test.ts": 'import "./core";\nimport "vitest";\n',
    "test/setup.ts": 'import "../src/web";\n',
}
GO = {
    "go.mod": "module x.org/app\n",
    "core/core.go": "package core\n",
    "core/core_test.go": 'package core\n\nimport "testing"\n',
    "web/web.go": "package web\n",
}
PYTEST, VITEST, TEST = (
    "pytest -q tests/test_core.py",
    "npx vitest run src/core.test.ts",
    "tests/test_core.py",
)


class Hidden(Memory):
    """Files of which one is ignored: it is there, and is not listed."""

    def paths(self) -> list[str]:
        return [path for path in super().paths() if path != "app/core.py"]


def decided(files: Mapping[str, str], command: str, *written: str) -> str:
    """What is done with the result once these files were written, one request after each."""
    talk = Runs(files)
    slot = talk.run(command)
    decision = ""
    for path in written:
        talk.write(path, files.get(path, "") + "\n")
        decision = talk.decided(slot)
    return decision


@pytest.mark.parametrize(
    "text",
    [
        "import sys; import app.web\n",
        "try: import app.web\nexcept ImportError: pass\n",
        "from app import \\\r\n    web\r\n",
        "\ufeffimport app.web\n",
        "\fimport app.web\n",
        "import app.core, app.none, app.web\n",
        "@pytest.mark.parametrize('color,name', [('#fff', 'app.web.serve')])\n",
        "x = 'a#b'; import app.web\n",
        "x = '#'; m = __import__('app' + '.web')\n",
        "from app import generated\n",  # of which nobody knows what it imports
        "from .generated import made\n",
        "patch(f'app.{name}.serve')\n",
        "NAME = 'app.' + name\n",
        "web = pytest.importorskip('app')\n",
        "import_string('app:web')\n",
        "pydoc.locate(name)\n",
        "import pkgutil\n",
        "from django.test import TestCase\n",  # loads all applications
        "await asyncio.create_subprocess_exec('python', '-m', 'app')\n",
        "os.popen('python -m app')\n",
        "def test_it(pytester): ...\n",
        "os.listdir('app')\n",
        "[path.read_text() for path in Path('app').iterdir()]\n",
        "Path(f'app/{name}.py').read_text()\n",
        "Path('app', name + '.py').read_text()\n",
        "loader.discover('app')\n",
    ],
)
def test_what_python_can_reach_has_its_tests_run_again(text: str) -> None:
    written = "app/__init__.py" if "importorskip" in text else "app/web.py"
    assert decided({**APP, TEST: text}, PYTEST, written) == "rerun"


def test_relative_imports_without_a_blank_are_imports() -> None:
    files = {**APP, "app/tests/test_core.py": "from ..import web\n"}
    assert decided(files, "pytest app/tests/test_core.py", "app/web.py") == "rerun"


@pytest.mark.parametrize(
    ("text", "init", "written"),
    [
        ("from app import *\n", "__all__ = ['core', 'web']\n", "app/web.py"),
        ("import app\n", "lazy.attach(__name__, submodules={'web'})\n", "app/web.py"),
        ("import app.sub.mod\n", "x = 1\n", "app/__init__.py"),  # `app/sub` is no package
    ],
)
def test_packages_load_what_they_name_and_are_loaded_with_what_is_in_them(
    text: str, init: str, written: str
) -> None:
    files = {**APP, "app/__init__.py": init, "app/sub/mod.py": "", TEST: text}
    assert decided(files, PYTEST, written) == "rerun"


@pytest.mark.parametrize(
    ("text", "also", "written"),
    [
        ("import utils\n", {"tests/utils.py": "", "app/utils.py": ""}, "app/utils.py"),
        ("import random\n", {"own/random.py": ""}, "own/random.py"),
        ("from ns import two\n", {"ns/one.py": "", "b/ns/two.py": ""}, "b/ns/two.py"),
        (
            "import utils\n",
            {
                "tests/utils.py": "",
                "app/utils.py": "import app.web",
                "conftest.py": "sys.path.insert(0, 'app')\n",
            },
            "app/web.py",
        ),
    ],
)
def test_which_of_several_modules_of_a_name_is_meant_nobody_can_tell(
    text: str, also: Mapping[str, str], written: str
) -> None:
    assert decided({**APP, TEST: text, **also}, PYTEST, written) == "rerun"


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("pytest.ini", "[pytest]\nDJANGO_SETTINGS_MODULE = app.settings\n"),
        ("pytest.ini", "[pytest]\naddopts = -papp.web\n"),
        ("pytest.ini", "[pytest]\naddopts = tests\n"),
        ("pytest.ini", "[pytest]\npythonpath = other\n"),
        ("pytest.ini", "[pytest]\nfilterwarnings =\n    error::app.web.Old\n"),
        ("pytest.ini", "[pytest\n"),
        ("pytest.ini", "[pytest]\naddopts = '\n"),
        ("pyproject.toml", "tool = 1\n"),
        ("pyproject.toml", "[tool.pytest]\nini_options = 1\n"),
        ("pyproject.toml", "x = " + "[" * 5000),
        (".pytest.ini", "[pytest]\naddopts = -p app.web\n"),
        ("pytest.toml", "[pytest]\naddopts = ['-p', 'app.web']\n"),
        ("pyproject.toml", "[tool.pytest.ini_options]\naddopts = ['-p', 'app.web']\n"),
        ("pyproject.toml", "[project.entry-points.pytest11]\nmine = 'app.web'\n"),
        ("setup.cfg", "[options.entry_points]\npytest11 =\n    mine = app.web\n"),
        ("setup.py", "setup(entry_points={'pytest11': ['mine=app.web']})\n"),
    ],
)
def test_what_a_configuration_may_load_has_all_tests_run_again(path: str, text: str) -> None:
    files = {**APP, TEST: "import app.core\n", path: text}
    assert decided(files, PYTEST, "app/web.py") == "rerun"


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("pytest.ini", "[pytest]\naddopts = -ra -q --tb=short -p no:cacheprovider -m 'not slow'\n"),
        ("setup.cfg", "[flake8]\nanything = 1\n[tool:pytest]\ntestpaths = tests\n"),
        ("tox.ini", "[testenv]\ncommands = pytest --cov {posargs}\n"),
        (
            "pyproject.toml",
            "[tool.pytest.ini_options]\naddopts = ['-n', 'auto']\npythonpath = ['src']\n",
        ),
        ("setup.py", "setup()\n"),
    ],
)
def test_usual_options_of_pytest_load_nothing(path: str, text: str) -> None:
    files = {**APP, TEST: "import app.core\n", path: text}
    assert decided(files, PYTEST, "app/web.py").startswith("kept: ")


def test_the_name_of_a_file_counts_whenever_it_is_written() -> None:
    files = {**APP, "app/other.py": "", TEST: "open('app/other.py').read()\n"}
    assert decided(files, PYTEST, "app/web.py").startswith("kept: ")
    assert decided(files, PYTEST, "app/web.py", "app/other.py") == "rerun"


@pytest.mark.parametrize(
    "command",
    [
        f"PYTEST_ADDOPTS='-p app.web' {PYTEST}",
        f"export PYTEST_ADDOPTS=--cov=app; {PYTEST}",
        f"PYTHONPATH=other {PYTEST}",
        "env -C other pytest tests/test_core.py",
        "uv run --directory=other pytest tests/test_core.py",
        "pytest -W error::app.web.Old tests/test_core.py",
    ],
)
def test_a_command_that_has_others_loaded_by_other_words(command: str) -> None:
    files = {**APP, TEST: "import app.core\n"}
    assert decided(files, command, "app/web.py") == "rerun"
    assert decided(files, f"PYTHONPATH=. X=1 {PYTEST}", "app/web.py").startswith("kept: ")


@pytest.mark.parametrize(
    "text",
    [
        'const a = "*/*";\nvi.mock("./web");\nconst b = "*/*";\n',
        'const a = "*/*";\nawait import(name);\nconst b = "*/*";\n',
        'await vi.importActual("@lib/web");\n',
        'vi.mock("@lib/web");\n',
        'import "@lib/web";\n',
        'import "lib/web";\n',
        'import "./generated/client";\n',
        'import "./web?raw";\n',
        'import "@acme/web";\n',
        "createRequire(import.meta.url)(name);\n",
        "fs.readFileSync(`src/${name}.ts`);\n",
        'opendirSync("src");\n',
    ],
)
def test_what_javascript_can_reach_has_its_tests_run_again(text: str) -> None:
    files = {
        **SCRIPT,
        "src/core.test.ts": text,
        "packages/web/package.json": '{"name":"@acme/web"}',
    }
    assert decided(files, VITEST, "src/web.ts") == "rerun"


@pytest.mark.parametrize(
    ("path", "text", "command"),
    [
        ("vitest.config.ts", "export default {test: {setupFiles: ['test/setup.ts']}};", VITEST),
        ("jest.config.js", "module.exports = {setupFiles: ['<rootDir>/test/setup.ts']};", VITEST),
        ("package.json", '{"jest": {"setupFiles": ["./test/setup.ts"]}}', VITEST),
        ("bunfig.toml", '[test]\npreload = ["./test/setup.ts"]\n', "bun test src/core.test.ts"),
        ("__mocks__/axios.ts", 'import "../src/web";\n', VITEST),
        ("src/__mocks__/core.ts", 'import "../web";\n', VITEST),
        ("babel.config.js", "module.exports = {plugins: ['./src/web.ts']};", VITEST),
        ("pkg/src/core.test.ts", 'import "../../src/web";\n', VITEST),  # the word is a filter
        ("x", "", f"NODE_OPTIONS='--import ./src/web.ts' {VITEST}"),
        ("x", "", "pnpm --filter other exec vitest run src/core.test.ts"),
        ("x", "", "pnpm -C packages/a exec vitest run src/core.test.ts"),
    ],
)
def test_what_runners_of_javascript_load_beside_a_test(path: str, text: str, command: str) -> None:
    assert decided(SCRIPT, VITEST, "src/web.ts").startswith("kept: ")
    assert decided({**SCRIPT, path: text}, command, "src/web.ts") == "rerun"


@pytest.mark.parametrize(
    ("text", "also", "written"),
    [
        ('import (\n\t"os" // an (odd) one\n\t"x.org/app/web"\n)\n', {}, "web/web.go"),
        ('import "os"; import "x.org/app/web"\n', {}, "web/web.go"),
        ('/* x */ import "x.org/app/web"\n', {}, "web/web.go"),
        ('import "x.org/app/gen/pb"\n', {}, "web/web.go"),  # generated: nobody knows what it loads
        ('import "x.org/w"\n', {"go.work": "use .\nreplace x.org/w => ./web\n"}, "web/web.go"),
        ('import "x.org/w"\n', {"vendor/x.org/w/w.go": "package w\n"}, "vendor/x.org/w/w.go"),
        ("//go:embed all:made\nvar f embed.FS\n", {"core/made/a.go": ""}, "core/made/a.go"),
        ('var _ = os.ReadDir("../web")\n', {}, "web/web.go"),
        ('var _ = filepath.Glob("../web/*")\n', {}, "web/web.go"),
        ('var _ = parser.ParseDir(nil, "../web", nil, 0)\n', {}, "web/web.go"),
        ('var _ = gexec.Build("x.org/app/web")\n', {}, "web/web.go"),
    ],
)
def test_what_go_can_reach_has_its_tests_run_again(
    text: str, also: Mapping[str, str], written: str
) -> None:
    files = {**GO, "core/core_test.go": f"package core\n\n{text}", **also}
    assert decided(files, "go test ./core", written) == "rerun"
    assert decided(GO, "go test ./core", "web/web.go").startswith("kept: ")


def test_tests_of_any_name_may_start_processes() -> None:
    files = {**APP, "checks/verify.py": "import subprocess\n"}
    assert decided(files, "pytest checks/verify.py", "app/web.py") == "rerun"


def test_a_line_that_reads_as_half_an_import_ends_nothing() -> None:
    said = '"""\nimport it, and more,\nimport ,\nfrom . import ,\n"""\nimport app.core\n'
    assert decided({**APP, TEST: said}, PYTEST, "app/web.py").startswith("kept: ")


@pytest.mark.parametrize(
    ("text", "also"),
    [
        ("from made.code import load\n", {".gitignore": "/made/\n"}),
        ("import linked.web\n", {"linked": "app"}),  # a link to a folder
    ],
)
def test_what_is_not_listed_may_load_anything(text: str, also: Mapping[str, str]) -> None:
    assert decided({**APP, TEST: text, **also}, PYTEST, "app/web.py") == "rerun"


def test_packages_of_go_may_have_files_that_are_ignored() -> None:
    assert decided({**GO, ".gitignore": "*_gen.go\n"}, "go test ./core", "web/web.go") == "rerun"


def test_a_loaded_file_that_is_not_listed_is_written_unseen() -> None:
    files = {path: text.encode() for path, text in APP.items()}
    hidden = Hidden({**files, "tests/test_core.py": b"import app.core\n"})
    assert loading.loaded(("tests/test_core.py",), Graph(hidden)) is None
