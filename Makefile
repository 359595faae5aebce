# Two commands: `make app` serves the dashboard, `make test` checks everything that is quick to check.
PYTHON ?= python3
VENV   ?= .venv
BIN    := $(VENV)/bin
PORT   ?= 5006

.PHONY: app test test-all lint bench clean

$(BIN)/.app: pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --disable-pip-version-check -e .
	touch $@

$(BIN)/.test: pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --disable-pip-version-check -e '.[test]'
	touch $@ $(BIN)/.app

app: $(BIN)/.app
	$(BIN)/panel serve dashboard --port $(PORT) --address 127.0.0.1 --allow-websocket-origin localhost:$(PORT) --allow-websocket-origin 127.0.0.1:$(PORT) --warm

test: $(BIN)/.test lint
	.ci/browser
	$(BIN)/pytest -n 2 -m "not slow"

test-all: $(BIN)/.test lint
	.ci/browser
	SCALEGRAD_REQUIRE_SHARED=1 $(BIN)/pytest -n 2

lint: $(BIN)/.test
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/pyright

bench: $(BIN)/.test .venv-peers/.installed
	$(BIN)/python -m bench

.venv-peers/.installed:
	$(PYTHON) -m venv .venv-peers
	.venv-peers/bin/pip install --quiet --disable-pip-version-check mlsysim==0.3.0 llm-analysis==0.2.2
	touch $@

clean:
	rm -rf $(VENV) build *.egg-info .pytest_cache .ruff_cache .hypothesis
