"""Sections of Markdown, and the keys of JSON, TOML and YAML."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from statetape.code.extract import json, markdown, toml, yaml
from statetape.code.facts import Extractor, Facts

EXTRACTORS: dict[str, Extractor] = {
    "a.json": json.facts,
    "a.toml": toml.facts,
    "a.yaml": yaml.facts,
    "a.md": markdown.facts,
}

JSON = b"""{
  "name": "x", // why
  "scripts": {"build": "tsc {", "deep": {"a": {"b": ["}"]}}},
  "files": [{"k": 1}, "b"],
  "last": {}
}
"""
TOML = b"""title = "a # b"
[build]
steps = [
  "one", # ]
  "two",
]
text = \"\"\"
[not.a.table]
k = 1
\"\"\"

[tool.ruff]
line = 100
[tool.ruff.lint]
select = ["ALL"]
[[items]]
a.b.c = 1
"""
YAML = b"""# head
on:
  push: {branches: [x]}

  pull_request:
    paths: 1
    text: |
      foo: 1
jobs:
- a: 1
- b: 2
text: |
  foo: bar
"quoted key": &anchor
    image: nginx:1
    list:
    - 1
    - a: 2
    after: 3
---
on: 2
"""
MARKDOWN = b"""---
title: x
---
intro
# One
text
```python
# no heading
```
## Deep ##
more
Two
===
- item
---
### Sub
"""


def names(facts: Facts) -> list[str]:
    return [definition.name for definition in facts.definitions]


def text_of(facts: Facts, data: bytes, name: str) -> bytes:
    (definition,) = [d for d in facts.definitions if d.name == name]
    return b"|".join(data[start:end] for start, end in definition.spans)


def test_json_keys_of_two_levels() -> None:
    facts = json.facts("a.json", JSON)
    expected = ["", "name", "scripts", "scripts.build", "scripts.deep", "files", "last"]
    assert names(facts) == expected
    assert text_of(facts, JSON, "files").strip() == b'"files": [{"k": 1}, "b"]'
    assert text_of(facts, JSON, "scripts.deep").strip() == b'"deep": {"a": {"b": ["}"]}}'


def test_toml_keys_tables_and_values_over_lines() -> None:
    facts = toml.facts("a.toml", TOML)
    assert names(facts) == [
        *("", "title", "build", "build.steps", "build.text"),
        *("tool.ruff", "items", "items.a"),
    ]
    assert text_of(facts, TOML, "build.steps").endswith(b"]")
    assert text_of(facts, TOML, "build.text").endswith(b'k = 1\n"""')
    assert b'|[tool.ruff.lint]\nselect = ["ALL"]' in text_of(facts, TOML, "tool.ruff")


def test_yaml_keys_by_indentation() -> None:
    facts = yaml.facts("a.yaml", YAML)
    assert names(facts) == [
        *("", "on", "on.push", "on.pull_request", "jobs", "text"),
        *("quoted key", "quoted key.image", "quoted key.list", "quoted key.after"),
    ]
    assert text_of(facts, YAML, "quoted key.list").endswith(b"- a: 2")
    assert text_of(facts, YAML, "on").endswith(b"foo: 1|on: 2")
    assert text_of(facts, YAML, "jobs") == b"jobs:\n- a: 1\n- b: 2"


def test_markdown_sections_nest_and_skip_fences_and_front_matter() -> None:
    facts = markdown.facts("a.md", MARKDOWN)
    assert names(facts) == ["", "One", "One.Deep", "Two", "Two.Sub"]
    assert text_of(facts, MARKDOWN, "One.Deep") == b"## Deep ##\nmore"
    assert text_of(facts, MARKDOWN, "Two") == b"Two\n===\n- item\n---\n### Sub"


@pytest.mark.parametrize(
    ("path", "data", "old", "new", "changed"),
    [
        ("a.json", JSON, b'"b"]', b'"c"]', {"files"}),
        ("a.json", JSON, b"tsc {", b"tsx {", {"scripts.build"}),
        ("a.toml", TOML, b'"two"', b'"2"', {"build.steps"}),
        ("a.toml", TOML, b"100", b"99", {"tool.ruff"}),
        ("a.yaml", YAML, b"nginx:1", b"nginx:2", {"quoted key.image"}),
        ("a.md", MARKDOWN, b"more", b"less", {"One.Deep"}),
        ("a.md", MARKDOWN, b"intro", b"outro", {""}),
    ],
)
def test_a_change_touches_the_innermost_symbol_alone(
    path: str, data: bytes, old: bytes, new: bytes, changed: set[str]
) -> None:
    digests = [
        {d.name: d.digest for d in EXTRACTORS[path](path, state).definitions}
        for state in (data, data.replace(old, new))
    ]
    before, after = digests
    assert {name for name in before if before[name] != after[name]} == changed


@pytest.mark.parametrize("path", EXTRACTORS)
def test_windows_newlines_change_no_digest(path: str) -> None:
    data = {"a.json": JSON, "a.toml": TOML, "a.yaml": YAML, "a.md": MARKDOWN}[path]
    unix, windows = (EXTRACTORS[path](path, text) for text in (data, data.replace(b"\n", b"\r\n")))
    assert [(d.name, d.digest) for d in unix.definitions] == [
        (d.name, d.digest) for d in windows.definitions
    ]


def damaged() -> st.SearchStrategy[bytes]:
    texts = st.sampled_from([JSON, TOML, YAML, MARKDOWN])
    cuts = st.tuples(texts, st.integers(0, 500), st.integers(0, 40), st.binary(max_size=6))
    return cuts.map(lambda cut: cut[0][: cut[1]] + cut[3] + cut[0][cut[1] + cut[2] :])


@pytest.mark.parametrize("path", EXTRACTORS)
@given(
    data=damaged() | st.binary(max_size=200) | st.text(alphabet="{}[]:,\"'#=-\n ab").map(str.encode)
)
@example(data=b"")
@example(data=b"\xef\xbb\xbf# a\n")
def test_anything_gives_facts_with_spans_in_the_file(path: str, data: bytes) -> None:
    facts = EXTRACTORS[path](path, data)
    assert facts.definitions[0].name == ""
    for definition in facts.definitions[1:]:
        for start, end in definition.spans:
            assert 0 <= start <= end <= len(data)


@pytest.mark.parametrize("path", EXTRACTORS)
def test_hostile_text_is_read_in_linear_time(path: str) -> None:
    hostile = [b"[" * 300_000, b"a: " + b"x:" * 300_000, b"a" + b" " * 300_000 + b"b"]
    hostile += [b"/*" * 300_000, b'"' + b'\\"' * 300_000, b"# a" + b" " * 300_000 + b"b"]
    for text in hostile:
        assert EXTRACTORS[path](path, text).definitions
