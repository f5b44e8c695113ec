"""What command lines do. The repository is `/r`; its root is the working directory."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from statetape.agents import shell_words
from statetape.agents.shell import actions, purpose
from statetape.types import Action, Edit, Read, Run, Search


def did(command: str, cwd: str = "") -> list[Action]:
    return list(actions(command, cwd, "/r")[0])


def kinds(command: str) -> list[str]:
    return [action.kind for action in did(command) if isinstance(action, Run)]


READS: dict[str, list[Read]] = {
    "cat a.py": [Read("a.py")],
    "cat -n a.py src/b.py": [Read("a.py"), Read("src/b.py")],
    "cat 'My Docs/a b.md'": [Read("My Docs/a b.md")],
    'cat "app/[id]/page.tsx"': [Read("app/[id]/page.tsx")],
    "cat /r/a.py /etc/hosts": [Read("a.py"), Read("/etc/hosts")],
    "cat < a.py": [Read("a.py")],
    "head a.py": [Read("a.py", 1, 10)],
    "head -20 a.py": [Read("a.py", 1, 20)],
    "head -n 20 a.py": [Read("a.py", 1, 20)],
    "head -n20 a.py | tail -5": [Read("a.py", 1, 20)],
    "tail -n +20 a.py": [Read("a.py", 20)],
    "tail -n +20 a.py | head -5": [Read("a.py", 20, 24)],
    "tail -40 a.py": [Read("a.py")],
    "tail -n 40 a.py": [Read("a.py")],
    "nl -ba a.py": [Read("a.py")],
    "nl -ba a.py | sed -n '10,20p'": [Read("a.py", 10, 20)],
    "sed -n '10,20p' a.py": [Read("a.py", 10, 20)],
    "sed -n 10,20p a.py": [Read("a.py", 10, 20)],
    "sed -n '5p' a.py": [Read("a.py", 5, 5)],
    "sed -n '10,20p;30,40p' a.py": [Read("a.py", 10, 20), Read("a.py", 30, 40)],
    "sed -n -e 5p -e '7,$p' a.py": [Read("a.py", 5, 5), Read("a.py", 7)],
    "sed -n '10,+5p' a.py": [Read("a.py", 10, 15)],
    "sed -n '$p' a.py": [Read("a.py")],
    "sed -n '10,20p;20q' a.py": [Read("a.py", 10, 20)],
    "sed -n '/^def x/,/^def y/p' a.py": [Read("a.py")],
    "sed -n '1,5p' a.py b.py": [Read("a.py"), Read("b.py")],
    "sed 20q a.py": [Read("a.py", 1, 20)],
    "sed -n '1,200p' a.py | head -50": [Read("a.py", 1, 50)],
    "sed -n '100,200p' a.py | sed -n '11,20p'": [Read("a.py", 110, 119)],
    "awk 'NR>=10 && NR<=20' a.py": [Read("a.py", 10, 20)],
    "awk 'NR > 9 && NR < 21 {print}' a.py": [Read("a.py", 10, 20)],
    "awk 'NR==5,NR==9 {print NR\": \"$0}' a.py": [Read("a.py", 5, 9)],
    "awk 'NR==5' a.py": [Read("a.py", 5, 5)],
    "awk '/begin/,/end/' a.py": [Read("a.py")],
    "bat -r 10:20 --style=plain a.py": [Read("a.py", 10, 20)],
    "less a.py": [Read("a.py")],
    "cat a.py | grep -n def": [Read("a.py")],
    "cat a.py | sort | uniq | head": [Read("a.py", 1, 10)],
    "grep -v '^#' a.py": [Read("a.py")],
    "cat a.py 2>/dev/null || true": [Read("a.py")],
    "cd src && cat a.py": [Read("src/a.py")],
    "cd src; cd ..; cat a.py": [Read("a.py")],
    "cd src && cd - && cat a.py": [Read("a.py")],
    "(cd src && cat a.py); cat b.py": [Read("src/a.py"), Read("b.py")],
    "pushd src; cat a.py; popd; cat b.py": [Read("src/a.py"), Read("b.py")],
    "cat src/a.py | (cd x && head -3); cat b.py": [Read("b.py")],
    "bash -lc 'cd src && sed -n \"1,5p\" a.py'": [Read("src/a.py", 1, 5)],
    "zsh -lc \"bash -c 'cat a.py'\"": [Read("a.py")],
    "sh -c 'cat a.py' # comment": [Read("a.py")],
    "sudo -u me env X=1 nohup timeout -k 5 10 cat a.py &": [Read("a.py")],
    "LC_ALL=C command cat a.py": [Read("a.py")],
    "if [ -f a.py ]; then cat a.py; else cat b.py; fi": [Read("a.py"), Read("b.py")],
    'F=src/a.py; cat $F; cat "${F}"': [Read("src/a.py"), Read("src/a.py")],
    'echo "== a ==" && cat a.py && echo && sed -n 1,3p b.py': [Read("a.py"), Read("b.py", 1, 3)],
    "cat \\\n  a.py": [Read("a.py")],
    "cat a.py\n\n# then\ncat b.py\n": [Read("a.py"), Read("b.py")],
}  # fmt: skip


@pytest.mark.parametrize("command", READS)
def test_reads(command: str) -> None:
    found = [action for action in did(command) if not isinstance(action, Run)]
    assert found == READS[command]


@pytest.mark.parametrize("command", [c for c in READS if "(cd x" not in c])
def test_a_line_that_only_reads_has_no_run(command: str) -> None:
    assert kinds(command) == []


SEARCHES: dict[str, Search] = {
    "rg foo": Search("foo"),
    "rg -n 'foo|bar' src tests -g '*.py'": Search("foo|bar", ("src", "tests"), "*.py"),
    "rg -tgo -F 'a.b(' .": Search("a.b(", (), "*.go", fixed=True),
    "rg -i -e foo -e bar src": Search("(?:foo)|(?:bar)", ("src",), ignore_case=True),
    "rg -S foo": Search("foo", ignore_case=True),
    "rg -w foo": Search(r"\b(?:foo)\b"),
    "rg -C3 foo src/*.py": Search("foo", ("src/*.py",)),
    "rg -l foo | sort | head": Search("foo"),
    "rg foo | cut -d: -f1 | sort -u | wc -l": Search("foo"),
    "rg --files": Search(None),
    "rg --files src -g '*.ts' | rg test": Search(None, ("src",), "*.ts"),
    "grep -rn 'a\\|b(' src --include='*.py'": Search("a|b\\(", ("src",), "*.py"),
    "grep -rnE 'a|b\\(' src": Search("a|b\\(", ("src",)),
    "grep -n '[[:space:]]*x' a.py b.py": Search("[\\s]*x", ("a.py", "b.py")),
    "grep -c foo a.py": Search("foo", ("a.py",)),
    "fgrep -n a.b x.py": Search("a.b", ("x.py",), fixed=True),
    "cd src && grep -rn foo .": Search("foo", ("src",)),
    "cd src && rg foo": Search("foo", ("src",)),
    "git grep -n foo -- src": Search("foo", ("src",)),
    "ag foo lib": Search("foo", ("lib",), ignore_case=True),
    "find . -name '*.py'": Search(None, (), "*.py"),
    "find src tests -type f -not -path '*/x/*' | head": Search(None, ("src", "tests")),
    "find . -name '*.py' | xargs grep -n foo": Search("foo", (), "*.py"),
    "find . -type f -exec grep -l foo {} \\;": Search("foo"),
    "fd -e ts . src": Search(None, ("src",), "*.ts"),
    "ls": Search(None),
    "ls src/": Search(None, ("src",)),
    "tree -L 2 src": Search(None, ("src",)),
}


@pytest.mark.parametrize("command", SEARCHES)
def test_searches(command: str) -> None:
    assert did(command) == [SEARCHES[command]]


EDITS: dict[str, list[Edit]] = {
    "echo hi > a.txt": [Edit("a.txt", content="hi\n")],
    "echo -n hi >> a.txt": [Edit("a.txt", content="hi", append=True)],
    "echo $X > a.txt": [Edit("a.txt")],
    "printf 'a\\n%s\\n' b > a.txt": [Edit("a.txt", content="a\nb\n")],
    "> a.txt": [Edit("a.txt", content="")],
    "cat > a.txt <<'EOF'\nx $y\n`z`\nEOF": [Edit("a.txt", content="x $y\n`z`\n")],
    "cat <<EOF >> src/a.txt\nplain \\$x\nEOF": [
        Edit("src/a.txt", content="plain $x\n", append=True)
    ],
    "cat <<EOF > a.txt\n$y\nEOF": [Edit("a.txt")],
    "cat > a.txt <<-EOF\n\tx\n\tEOF": [Edit("a.txt", content="x\n")],
    "cat <<'EOF' | tee a.txt b.txt\nq\nEOF": [
        Edit("a.txt", content="q\n"),
        Edit("b.txt", content="q\n"),
    ],
    "cat <<'A' > a.txt && cat a.txt\nx\nA": [Edit("a.txt", content="x\n")],
    "cat a.py > b.py": [Edit("b.py")],
    "{ cat a.py; echo x; } > b.py": [Edit("b.py")],
    "go build 2> log.txt": [Edit("log.txt")],
    "echo x > /dev/null": [],
    "echo x >&2": [],
    "sed -i 's/a/b/' a.py": [Edit("a.py")],
    "sed -i.bak -e 's/a/b/' a.py b.py": [Edit("a.py"), Edit("b.py")],
    "sed -i '' 's/a/b/' a.py": [Edit("a.py")],
    "perl -pi -e 's/a/b/' a.py": [Edit("a.py")],
    "mv a.py b.py": [Edit("a.py", moved_to="b.py")],
    "mv a.py b.py src/": [Edit("a.py", moved_to="src/a.py"), Edit("b.py", moved_to="src/b.py")],
    "git mv src/a.py src/b.py": [Edit("src/a.py", moved_to="src/b.py")],
    "cp a.py b.py": [Edit("b.py")],
    "sort -o a.txt a.txt": [Edit("a.txt")],
    "curl -sL -o a.json http://x": [Edit("a.json")],
    "curl -s -o /dev/null http://x": [],
    "rm -rf build a.py": [Edit("build", absent=True), Edit("a.py", absent=True)],
    "rm -f gen/*.py b.py": [Edit("gen/*.py", absent=True), Edit("b.py", absent=True)],
    "rm {a,b}.py": [],
    "patch -p1 <<'EOF'\n--- a/m.py\n+++ b/m.py\n@@ -1 +1 @@\n-a\n+b\nEOF": [
        Edit("m.py", patch=(("a\n", "b\n"),))
    ],
    "cd src && git apply - <<'EOF'\n--- /dev/null\n+++ b/m.py\n@@ -0,0 +1 @@\n+b\nEOF": [
        Edit("src/m.py", content="b\n")
    ],
    "git apply -R <<'EOF'\n--- a/m.py\n+++ b/m.py\n@@ -1 +1 @@\n-a\n+b\nEOF": [],
    "patch m.py <<'EOF'\n--- a/m.py\n+++ b/m.py\n@@ -1 +1 @@\n-a\n+b\nEOF": [Edit("m.py")],
    "git rm -q a.py": [Edit("a.py", absent=True)],
    "git rm --cached a.py": [],
    "touch new.py": [Edit("new.py", content="", append=True)],
    "git checkout -- a.py": [Edit("a.py")],
    "git checkout HEAD~1 -- a.py": [Edit("a.py")],
    "git -C src restore a.py": [Edit("src/a.py")],
    "git restore --staged a.py": [],
    "gofmt -w a.go && cd src && black b.py": [Edit("a.go"), Edit("src/b.py")],
    "npx prettier --write src/a.ts": [Edit("src/a.ts")],
    "npm install -D x": [Edit("package.json"), Edit("package-lock.json")],
    "cd sub && go mod tidy": [Edit("sub/go.mod"), Edit("sub/go.sum")],
    "uv add httpx": [Edit("pyproject.toml"), Edit("uv.lock")],
    "cd src && apply_patch <<'EOF'\n*** Begin Patch\n*** Update File: a.py\n@@\n-x\n+y\n"
    "*** End Patch\nEOF": [Edit("src/a.py", patch=(("x\n", "y\n"),))],
    "apply_patch '*** Begin Patch\n*** Delete File: /r/a.py\n*** End Patch'": [
        Edit("a.py", absent=True)
    ],
}


@pytest.mark.parametrize("command", EDITS)
def test_edits(command: str) -> None:
    assert [action for action in did(command) if isinstance(action, Edit)] == EDITS[command]


@pytest.mark.parametrize("command", [c for c in EDITS if EDITS[c]])
def test_a_line_that_writes_has_a_run(command: str) -> None:
    assert kinds(command)


KINDS: dict[str, str] = {
    "test": """
        pytest -q
        python -m pytest tests/test_a.py::test_x
        python3 -m unittest discover
        .venv/bin/pytest -x
        uv run --extra dev pytest
        poetry run pytest
        tox -e py311
        FOO=1 timeout 60 go test ./... 2>&1 | tail -20
        cargo nextest run
        npm test -- --watch=false
        npm run test:unit
        pnpm --filter web test
        yarn workspace api test
        yarn jest
        bun test src
        bun run test 2>&1
        npx vitest run
        npx playwright test
        make -C sub test
        make check
        mise run test:integration 2>&1 | tail -30
        ./gradlew test
        mvn -q verify
        ctest --output-on-failure
        bundle exec rspec spec/a_spec.rb
        vendor/bin/phpunit
        dotnet test
        npx nx test api
        node --test
        go test ./... > out.txt
        bash -lc 'npm test'
        (cd web && npm test)
        ./scripts/run-tests.sh
    """,
    "build": """
        go build ./... && go vet ./...
        golangci-lint run ./...
        npx tsc --noEmit
        mypy --strict src
        uvx mypy src
        python -m mypy src
        ruff check src
        ruff format --check .
        black --check .
        gofmt -l .
        eslint .
        cargo clippy --all
        npm run build
        pnpm run lint
        pnpm typecheck
        make
        make build
        biome check src
        bash -n run.sh
        docker build .
    """,
    "query": """
        git status --short
        git diff HEAD~1 -- a.py | head -50
        git diff HEAD a.py
        git diff abc1234
        git diff ../a.py lib/../b.py
        git diff -S 1234567 HEAD -- a.py
        git diff --no-index HEAD~1 HEAD~2
        git ls-files
        git --no-pager -C sub diff
        wc -l a.py
        stat a.py
        du -sh .
        ls -la
        cat src/*.py
        cat "$F"
        cat a.py | wc -l
        cat a.json | jq .x
        awk '{print $1}' a.py
        sed 's/a/b/' a.py
        diff a.py b.py
        find . -size +1M
        find . -name '*.py' | xargs wc -l
        for f in a.py b.py; do cat $f; done
        x=$(cat a.py)
        go list ./...
        rg -U 'a\\nb'
    """,
    "event": """
        true
        echo done
        cd src
        git add -A && git commit -m "x"
        git push origin main
        git fetch
        git log --oneline -5
        git show abc123
        git show HEAD:a.py
        git show HEAD~2:src/a.py
        git show HEAD:a.py | sed -n '1,5p'
        git show :a.py | head -5
        git diff HEAD~3 HEAD
        git diff HEAD~3 HEAD -- a.py
        git diff main feature/x -- a.py
        git diff abc1234 def5678 a.py
        git diff main..feature/x
        git diff main...HEAD --stat | tail -3
        git diff HEAD^ origin/HEAD
        git diff HEAD~1^2 @
        git rev-parse HEAD
        git checkout -b feature
        git stash list
        git reset HEAD~1
        gh pr view 1 --json body | jq -r .body
        curl -s http://x | jq .
        sleep 5
        date
        which node
        command -v go
        mkdir -p a/b
        kill 1
        docker ps
        npm view x version
        npm ci
        go version
        node --version
        export A=1
    """,
    "unknown": """
        python script.py
        python - <<< 'print(1)'
        python -c 'print(1)'
        node -e 'x()'
        ./build.sh
        some-tool --flag
        $TOOL run
        git checkout main
        git checkout .
        git stash
        git stash pop
        git pull --rebase
        git merge main
        git reset --hard
        git apply x.patch
        git clean -fd
        patch -p1 < x.patch
        ruff format .
        ruff check --fix .
        eslint . --fix
        cargo fmt
        go fmt ./...
        go generate ./...
        protoc --go_out=. a.proto
        npm run generate
        npm run format
        mise run fmt
        make generate
        rm -f *.tmp
        find . -name '*.pyc' -delete
        rg -l foo | xargs sed -i 's/a/b/'
        for f in *.go; do gofmt -w $f; done
        cat a.py | python3 -c 'x'
        cat a.txt > "$F"
        awk '{print > "x"}' a.py
        bash run.sh
        bash -c "$CMD"
        terraform apply
        jest -u
        go test ./... -update
        gh pr checkout 3
        wget http://x/y
        yq -i .a=1 a.yml
        sort a | sponge a
        gawk -i inplace '{print}' a.py
        source setup.sh
        git format-patch -1
        find . -fprintf x y
    """,
}
_CASES = [
    (line.strip(), kind) for kind, lines in KINDS.items() for line in lines.strip().split("\n")
]


@pytest.mark.parametrize(("command", "kind"), _CASES)
def test_kinds_of_runs(command: str, kind: str) -> None:
    assert kind in kinds(command)
    others = {"event"} | ({"query"} if kind == "unknown" else set())
    assert set(kinds(command)) <= {kind} | others


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("cd src", "src"),
        ("cd /r/src/x && ls", "src/x"),
        ("cd src; (cd x); cd y", "src/y"),
        ("cd src | cat", ""),
        ("cd /elsewhere", "/elsewhere"),
        ("cd $UNKNOWN; cd x", ""),
        ("bash -c 'cd src'", ""),
        ("if true; then cd src; fi", "src"),
    ],
)
def test_the_working_directory_afterwards(command: str, expected: str) -> None:
    assert actions(command, "", "/r")[1] == expected


def test_an_unknown_directory_makes_relative_paths_unknown() -> None:
    assert did("cd $X && cat a.py /r/b.py") == [Run("cat a.py /r/b.py", "query")]


def test_each_part_of_a_line_is_its_own_action_in_order() -> None:
    assert did("cat a.py; rm b.py; go test ./... | tail -3 && git push") == [
        Read("a.py"),
        Edit("b.py", absent=True),
        Run("go test ./... | tail -3", "test", ("**.go",)),
        Run("git push", "event"),
    ]


def test_text_piped_into_a_patch_is_the_patch() -> None:
    patch = "*** Begin Patch\n*** Add File: a\n+x\n*** End Patch\n"
    assert did(f"cat <<'E' | apply_patch\n{patch}E\n")[0] == Edit("a", content="x\n")


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("sed -n 1,5p $(go env GOPATH)/x.go", "read"),
        ("pwd && rg foo", "search"),
        ("bash -lc 'cat x'", "read"),
        ("git grep x", "search"),
        ("go test", "run"),
        ("", "run"),
    ],
)
def test_what_a_line_starts_out_to_do(command: str, expected: str) -> None:
    assert purpose(command) == expected


_PIECES = st.sampled_from(
    [
        "cat",
        "grep",
        "sed",
        "-n",
        "'1,5p'",
        '"',
        "'",
        "$(",
        ")",
        "`",
        "<<EOF",
        "\nEOF\n",
        "&&",
        "",
        "",
        ";",
        "(",
        "{",
        "}",
        "\n",
        ">",
        ">>",
        "a.py",
        "*",
        "$x",
        "\\",
        "for f in",
        "do",
        "done",
        "if",
        "then",
        "fi",
        "xargs",
        "bash -c",
        "git",
        "checkout",
        "--",
        "-",
        "awk",
        "'NR>=1'",
        "head",
        "-99999999999",
        "tee",
        "rm",
        "\x00",
        "é",
        "apply_patch",
        "*** Begin Patch",
        "[[",
        "]]",
        "case x in",
        "esac",
        "function f",
        "=",
        "<(",
        "python - <<'E'",
        "find",
        "-exec",
    ]
)


@given(st.lists(_PIECES, max_size=40).map(" ".join))
def test_no_line_of_pieces_raises(command: str) -> None:
    actions(command, "x", "/r")
    purpose(command)


@given(st.text(max_size=200))
@example("x\U000d13f8 && cat a.py")
def test_no_text_raises(command: str) -> None:
    actions(command, "", "C:\\r")


@given(st.sampled_from([*READS, *SEARCHES, *EDITS]), st.data())
def test_no_broken_line_raises(command: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(command)))
    stop = data.draw(st.integers(start, len(command)))
    actions(command[:start] + command[stop:], "", "/r")


@pytest.mark.parametrize(
    "piece",
    ["(", "$(", "{ ", "cat a; ", "a | ", "'", '"$(', "if x; then ", "\\", "<<E ", "x=", "`"],
)
def test_long_lines_come_to_an_end(piece: str) -> None:
    """A line that nests without bound is not followed, or this does not return."""
    done, cwd = actions(piece * (10_000 // len(piece)), "", "/r")
    assert isinstance(done, tuple)
    assert cwd == ""


def test_the_grammar_sees_ascii_and_the_words_are_the_text(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its scanner may end the process for a character that C's tables do not have."""

    class Parser:
        seen = b""

        def parse(self, data: bytes) -> object:
            Parser.seen = data
            return shell_words_parser.parse(data)

    shell_words_parser = shell_words._PARSER
    monkeypatch.setattr(shell_words, "_PARSER", Parser())
    done, _ = actions("cat caf\u00e9.py '\U0001f600 b.py' \U000d13f8", "", "/r")
    assert Parser.seen.isascii()
    assert len(Parser.seen) == len("cat caf\u00e9.py '\U0001f600 b.py' \U000d13f8".encode())
    assert [action.path for action in done if isinstance(action, Read)] == [
        "caf\u00e9.py",
        "\U0001f600 b.py",
        "\U000d13f8",
    ]
