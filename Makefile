# `make demo` shows the product, `make test` passes the tests; both first install what they need.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin

.PHONY: install demo test test-slow test-hosted lint bench wheel functions-bundle lock clean

install: $(VENV)/.installed

# Debian's python3 comes without the venv module; on a fresh machine apt brings it.
$(VENV)/.installed: requirements/dev.txt pyproject.toml
	@$(PYTHON) -c 'import ensurepip' 2>/dev/null || (apt-get update -qq && apt-get install -y -qq python3-venv)
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --require-hashes -r requirements/dev.txt
	$(BIN)/pip install --quiet --no-deps --no-build-isolation --editable .
	@touch $@

demo: install
	@$(BIN)/python examples/demo.py

test: install lint
	$(BIN)/pytest -n 2 -m "not slow and not hosted"

test-slow: install
	$(BIN)/pytest -n 2 -m "slow and not hosted"

# Postgres 17 with pg_cron as on Supabase, in a folder made by debootstrap; needs root.
test-hosted: install
	$(BIN)/pytest -m hosted

lint: install
	@$(BIN)/ruff check --quiet .
	@$(BIN)/ruff format --quiet --check .
	@$(BIN)/mypy --no-error-summary

bench: install
	$(BIN)/python -m bench

wheel: install
	$(BIN)/python -m build --wheel --no-isolation --outdir dist .

# One folder with all that a deployment of the functions needs.
BUNDLE ?= build/functions
functions-bundle:
	rm -rf $(BUNDLE)
	mkdir -p $(BUNDLE)
	cp functions/main.py functions/requirements.txt functions/Dockerfile $(BUNDLE)
	cp -R client/pgcortex functions/pgcortex_functions $(BUNDLE)
	find $(BUNDLE) -name __pycache__ -prune -exec rm -rf {} +

# Pins every package of every extra, and what the functions need of them, by hash, with no address of any registry.
lock: install
	$(BIN)/pip install --quiet uv
	$(BIN)/uv pip compile pyproject.toml --all-extras --group dev --universal --python-version 3.11 \
	  --generate-hashes --no-emit-index-url --no-header --no-annotate --quiet -o requirements/dev.txt
	$(BIN)/uv pip compile pyproject.toml --extra functions --universal --python-version 3.11 \
	  --generate-hashes --no-emit-index-url --no-header --no-annotate --quiet \
	  --constraint requirements/dev.txt -o functions/requirements.txt

clean:
	rm -rf $(VENV) build dist .mypy_cache .ruff_cache
