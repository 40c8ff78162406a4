# Every target is one line over what pyproject.toml declares. `make run` and `make test` set up all they need.
PYTHON ?= python3
BIN := .venv/bin

.PHONY: run install test check bench docs clean

run: .venv/run.stamp        ## serve the app on 127.0.0.1 and print its address
	$(BIN)/anabranch serve

install: .venv/run.stamp    ## what the app needs, into .venv

test: .venv/dev.stamp       ## everything: format, lint, types, contracts, docs, tests, browser tests
	$(BIN)/python -m tests.support.chromium
	$(MAKE) --no-print-directory check
	$(BIN)/pytest -n 2 -m "not browser"
	$(BIN)/pytest -m browser

check: .venv/dev.stamp      ## the quick checks alone
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python -m cogapp --check README.md docs/*.md

docs: .venv/dev.stamp       ## write the generated pages anew
	$(BIN)/python -m cogapp -r README.md docs/*.md

bench: .venv/dev.stamp      ## measure; prints ratios
	for file in tests/bench/bench_*.py; do $(BIN)/python $$file || exit 1; done

clean:                      ## remove what was installed and cached
	rm -rf .venv .mypy_cache .ruff_cache .pytest_cache .hypothesis

.venv/run.stamp: requirements.txt pyproject.toml
	test -x $(BIN)/python || $(PYTHON) -m venv .venv
	$(BIN)/pip install --quiet --disable-pip-version-check --require-hashes -r requirements.txt
	$(BIN)/pip install --quiet --disable-pip-version-check --no-deps --editable .
	touch $@

.venv/dev.stamp: requirements-dev.txt .venv/run.stamp
	$(BIN)/pip install --quiet --disable-pip-version-check --require-hashes -r requirements-dev.txt
	touch $@
