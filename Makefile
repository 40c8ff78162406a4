# Every target is one line over what pyproject.toml declares. `make run` and `make test` set up all they need: from
# Python 3.11 or later, make and the package registry that pip is configured for, nothing else is asked.
PYTHON ?= python3
BIN := .venv/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check
# The lines of jobs that run beside each other do not mix, where make can see to that.
SYNC := $(if $(filter output-sync,$(.FEATURES)),--output-sync=line)
# uv installs what pip would, by the same hashes, in a tenth of the time. It does not read pip's configuration, so it is
# told pip's index; where it can't install, or pip is told more than an index (a proxy, no index), pip does.
INDEX = index=$$($(PIP) config list | sed -n "s/^[^=]*[.]index-url='\(.*\)'$$/\1/p" | head -n 1)
UV = ! $(PIP) config list | grep -qE "[.](no-index|proxy|trusted-host)=" && UV_SYSTEM_CERTS=1 UV_LINK_MODE=copy $(BIN)/uv pip install --compile-bytecode $${index:+--default-index "$$index"}

# A machine that keeps Python from writing bytecode would compile the app again in each process that a test starts.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: run install test quick long check types style chromium bench docs clean

run: .venv/analysis.stamp   ## serve the app on 127.0.0.1 and print its address
	$(BIN)/anabranch serve

install: .venv/analysis.stamp ## what the app and its tools need, into .venv

test:                       ## twelve minutes: format, lint, types, contracts, docs, most tests, the main browser tests
	$(MAKE) --no-print-directory -j3 style .cache/mcp.stamp chromium
	$(MAKE) --no-print-directory -j2 $(SYNC) types quick
	$(BIN)/pytest -n 2 --dist loadfile -m "not long" tests/browser

quick: .venv/dev.stamp .cache/mcp.stamp ## the tests of `make test` that need no browser
	$(BIN)/pytest -n 3 --dist worksteal -m "not long" --ignore tests/browser

long: .venv/cluster.stamp .cache/mcp.stamp chromium  ## the long runs: every position, a thousand crashes, ten thousand archives, long stories
	$(BIN)/pytest -n 2 --timeout 7200 -m long --ignore tests/browser
	$(BIN)/pytest -n 2 --dist loadfile --timeout 7200 -m long tests/browser

check: types style          ## only the quick checks

types: .venv/dev.stamp      ## only the types, the slowest of them
	$(BIN)/mypy

style: .venv/dev.stamp      ## format, lint, contracts and generated pages
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/lint-imports
	$(BIN)/python -m cogapp --check --diff README.md docs/*.md

chromium:                   ## what browser tests drive; installed if it is missing and may be installed
	$(PYTHON) -m tests.support.chromium

docs: .venv/dev.stamp       ## write the generated pages again
	$(BIN)/python -m cogapp -r README.md docs/*.md

bench: .venv/dev.stamp      ## measure, some ten minutes; prints ratios and writes docs/performance.md
	$(BIN)/python -m tests.bench.report

clean:                      ## remove what was installed and cached
	rm -rf .venv .cache .mypy_cache .ruff_cache .pytest_cache .import_linter_cache .hypothesis build *.egg-info

# A stamp is written last, so an installation that was interrupted is begun again, and a .venv without a working pip
# (an interrupted one, or one whose Python is gone) is made again.
.venv/uv.stamp: requirements-uv.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Anabranch needs Python 3.11 or later: make PYTHON=/path/to/python3.11")'
	$(BIN)/python -m pip --version >/dev/null 2>&1 || $(PYTHON) -m venv --clear .venv
	$(PIP) install --quiet --require-hashes -r requirements-uv.txt || echo "uv can't be installed here, so pip installs the packages."
	touch $@

.venv/run.stamp: requirements.txt pyproject.toml .venv/uv.stamp
	@$(BIN)/python -m pip --version >/dev/null 2>&1 || $(MAKE) --no-print-directory --always-make .venv/uv.stamp
	$(INDEX); $(UV) --python .venv --require-hashes -r $< || $(PIP) install --require-hashes -r $<
	$(INDEX); $(UV) --python .venv --no-deps --editable . || $(PIP) install --no-deps --editable .
	touch $@

# What the tool `python` imports. The app runs without it, as on Streamlit Community Cloud, and says what is missing.
.venv/analysis.stamp: requirements-analysis.txt .venv/run.stamp
	$(INDEX); $(UV) --python .venv --require-hashes -r $< || $(PIP) install --require-hashes -r $<
	touch $@

.venv/dev.stamp: requirements-dev.txt .venv/analysis.stamp
	$(INDEX); $(UV) --python .venv --require-hashes -r $< || $(PIP) install --require-hashes -r $<
	touch $@

# The distributed engine that long tests start. `make test` does without it.
.venv/cluster.stamp: requirements-cluster.txt .venv/dev.stamp
	$(INDEX); $(UV) --python .venv --require-hashes -r $< || $(PIP) install --require-hashes -r $<
	touch $@

# The real MCP servers that tests talk to: pinned, and apart from the app's own packages. Their node comes as a package.
.cache/mcp.stamp: tests/support/mcp/registry/requirements.txt tests/support/mcp/registry/package-lock.json | .venv/uv.stamp
	$(PYTHON) -m venv --clear .cache/mcp
	$(INDEX); $(UV) --python .cache/mcp --require-hashes -r $< || .cache/mcp/bin/python -m pip install --require-hashes -r $<
	mkdir -p .cache/mcp/js && cp tests/support/mcp/registry/package*.json .cache/mcp/js/
	cd .cache/mcp/js && PATH="$(CURDIR)/.cache/mcp/bin:$$PATH" npm ci --no-audit --no-fund --loglevel=error
	touch $@
