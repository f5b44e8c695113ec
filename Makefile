# Needs python3 (3.11 or newer, with venv), make, git. Everything else goes into .venv.

PYTHON ?= python3
BIN := .venv/bin
EXAMPLE := examples/config-loader.jsonl
SECONDS ?= 60
# Agents for `test-clients` beside Claude Code, Codex and opencode; OpenHands needs Python 3.12.
CLIENTS ?= mini $(shell python3.12 -c '' 2>/dev/null && echo oh)

.PHONY: help setup demo test test-clients check bench bench-graph fuzz fresh clean

help: ## What can be made
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' Makefile

setup: .venv/current ## .venv with all that tests and development need; nothing to do when current

.venv/current: pyproject.toml
	@command -v $(PYTHON) >/dev/null || \
		{ echo "make: $(PYTHON) not found; install Python 3.11 or newer, or set PYTHON" >&2; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "make: $(PYTHON) is too old; Python 3.11 or newer is needed (set PYTHON)" >&2; exit 1; }
	@$(PYTHON) -c 'import venv, ensurepip' 2>/dev/null || \
		{ echo "make: $(PYTHON) has no venv; on Debian: apt-get install python3-venv" >&2; exit 1; }
	@test -x $(BIN)/python || $(PYTHON) -m venv .venv
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev]'
	@touch $@

demo: setup ## Replay the bundled session and show it
	@$(BIN)/statetape replay $(EXAMPLE)
	@PAGER=cat $(BIN)/statetape show $(EXAMPLE)

test: setup ## The tests, on two cores
	@$(BIN)/python -m pytest -n 2

test-clients: setup ## Real agents with and without the proxy, driven by the harness in HARNESS (as root)
	@test -x '$(HARNESS)/drive.py' || { echo "make: set HARNESS to the folder of the harness" >&2; exit 1; }
	@'$(HARNESS)/install-clients' $(CLIENTS)
	@STATETAPE_HARNESS='$(HARNESS)' $(BIN)/python -m pytest tests/clients

check: setup ## Lint, format, types, directions of import
	@$(BIN)/ruff check
	@$(BIN)/ruff format --check
	@$(BIN)/mypy
	@$(BIN)/lint-imports --no-logo

bench: setup ## The benchmarks, each against a baseline of the same run
	@$(BIN)/python -m pytest benchmarks --benchmark-only -s --benchmark-timer time.process_time

bench-graph: setup ## The code graph against stated call graphs in CORPORA (a folder) and other tools
	@test -d '$(CORPORA)' || { echo "make: set CORPORA to the folder of the benchmarks" >&2; exit 1; }
	@$(BIN)/python -m benchmarks.graph '$(CORPORA)'

fuzz: setup ## What eats untrusted bytes, each for SECONDS (60) with atheris
	@$(BIN)/python -c 'import atheris' 2>/dev/null || \
		$(BIN)/python -m pip install --quiet --disable-pip-version-check atheris
	@for target in raw anthropic responses chat answers headers commands patches; do \
		$(BIN)/python tests/test_fuzz.py $$target $(SECONDS) || exit 1; done

fresh: ## What somebody who has just cloned the last commit gets: demo and tests in a temporary folder
	@folder=$$(mktemp -d) && trap 'rm -rf "$$folder"' EXIT && \
		git clone --quiet . "$$folder/statetape" && \
		$(MAKE) --no-print-directory -C "$$folder/statetape" demo test

clean: ## Remove .venv and all caches
	rm -rf .venv .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache .benchmarks
