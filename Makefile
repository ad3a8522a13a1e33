# `make demo` shows the product, `make test` passes the tests; both install what they need first.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin

.PHONY: install demo test test-hosted test-slow lint bench wheel lock clean

install: $(VENV)/.installed

# Debian's python3 comes without the venv module; on a fresh machine apt brings it.
$(VENV)/.installed: requirements/dev.txt pyproject.toml
	@$(PYTHON) -c 'import ensurepip' 2>/dev/null || (apt-get update -qq && apt-get install -y -qq python3-venv)
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --require-hashes -r requirements/dev.txt
	$(BIN)/pip install --quiet --no-deps --no-build-isolation --editable .
	@touch $@
