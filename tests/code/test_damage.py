"""One damaged line anywhere costs the definitions it stands in, and hardly any other."""

import importlib.util
from pathlib import Path
from statistics import mean
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from statetape.code import languages

ROOT = Path(__file__).parents[2]
TYPESCRIPT = """import { Store } from "./store";

/** What is kept of a user. */
export interface Entry {
  name: string;
  size(): number;
}

export const LIMIT = 20;

export class Cache<
  Key extends string,
> extends Store<Key> {
  private entries: Map<Key, Entry> = new Map();
  static hits = 0;

  constructor(private readonly limit: number) {
    super(`cache of ${limit}`);
  }

  get(key: Key): Entry | undefined {
    const found = this.entries.get(key);
    if (found) {
      Cache.hits += 1;
    } else {
      console.log("no entry");
    }
    return found;
  }

  /** Puts an entry in. */
  async put(
    key: Key,
    entry: Entry,
  ): Promise<void> {
    this.entries.set(key, entry);
    if (this.entries.size > this.limit) {
      await this.drop(() => {
        return this.entries.keys().next();
      });
    }
  }

  drop(which: () => unknown) {
    which();
  }
}

export function total(entries: Entry[]): number {
  function add(sum: number, entry: Entry) {
    return sum + entry.size();
  }
  return entries.reduce(add, 0);
}

const names = (entries: Entry[]) => {
  return entries.map((entry) => entry.name);
};

export default names;
"""
GO = """// Package cache keeps entries.
package cache

import (
	"fmt"
	"strings"
)

// Limit is how many there may be.
const Limit = 20

const (
	Small = iota
	Large
)

var (
	empty   = Entry{}
	message = `no
entry`
)

// Entry is what is kept.
type Entry struct {
	Name string
	Size int `json:"size"`
}

type Getter interface {
	Get(key string) (*Entry, error)
	Len() int
}

// Cache keeps entries by key.
type Cache struct {
	entries map[string]*Entry
	limit   int
}

func New(limit int) *Cache {
	return &Cache{entries: map[string]*Entry{}, limit: limit}
}

// Get returns an entry.
func (c *Cache) Get(key string) (*Entry, error) {
	found, ok := c.entries[strings.ToLower(key)]
	if !ok {
		return nil, fmt.Errorf("%s: %s", message, key)
	}
	return found, nil
}

func (c *Cache) Len() int { return len(c.entries) }

func (c *Cache) Put(key string, entry *Entry) {
	c.entries[key] = entry
	for len(c.entries) > c.limit {
		for other := range c.entries {
			delete(c.entries, other)
			break
		}
	}
}
"""
PYTHON = (ROOT / "src" / "statetape" / "code" / "lookup.py").read_text()
FILES = {"a.py": (PYTHON, 0.15), "a.ts": (TYPESCRIPT, 0.5), "a.go": (GO, 0.5)}


def _benchmark() -> Any:
    place = ROOT / "benchmarks" / "test_damage.py"
    spec = importlib.util.spec_from_file_location("damage", place)
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


damage = _benchmark()


@pytest.mark.parametrize("path", FILES)
def test_a_damaged_line_costs_few_others(path: str) -> None:
    text, most = FILES[path]
    lines = [at for at, line in enumerate(text.split("\n")) if line.strip()]
    costs = {
        (kind, at): len(damage.false_removals(damage.damaged(path, text, kind, at)))
        for kind in damage.DAMAGES
        for at in lines[:: 3 if path == "a.py" else 1]
    }
    assert not languages.facts(path, text.encode()).broken
    assert mean(costs.values()) < most
    assert max(costs.values()) <= 8, max(costs, key=lambda case: costs[case])


@given(
    st.sampled_from(sorted(FILES)),
    st.lists(st.tuples(st.sampled_from(sorted(damage.DAMAGES)), st.integers(0, 200)), max_size=4),
)
def test_much_damage_still_gives_definitions_in_their_file(
    path: str, damages: list[tuple[str, int]]
) -> None:
    text = FILES[path][0]
    for kind, at in damages:
        text = damage.damaged(path, text, kind, at).after.decode()
    facts = languages.facts(path, text.encode())
    for definition in facts.definitions:
        assert all(0 <= start <= end <= len(text.encode()) for start, end in definition.spans)


def test_nests_of_any_depth_are_read() -> None:
    ifs = "\n".join(" " * i + "if x:" for i in range(150)) + "\n" + " " * 150 + "f(\n"
    classes = "\n".join(" " * i + "class K:" for i in range(120)) + "\n" + " " * 120 + "x = (\n"
    for text in (ifs, classes, "func f(\n" * 500, "/*\nfunc f() {\n" * 200, "`\nvar x\n" * 200):
        for path in FILES:
            assert languages.facts(path, text.encode()).definitions
