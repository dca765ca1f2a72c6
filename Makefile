# Two commands are enough on a fresh machine: `make demo` and `make test`; `make docs` builds the site.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PYTEST := $(BIN)/python -m pytest -n 2 --dist loadfile
STAMP := $(VENV)/.installed
PEERS := $(VENV)/peers
# the optimisation level of the command `partita`: the same results after three quarters of the compile time
export NUMBA_OPT := 2

.PHONY: install demo test docs laws experiments bench guard record smoke peers lint types interpreted sizes fuzz faults mutants sbom hashes audit clean

install: $(STAMP)

$(STAMP): pyproject.toml constraints.txt
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e ".[dev]"
	# pip compiles installed packages to bytecode, but not an editable one
	$(BIN)/python -m compileall -q src
	touch $(STAMP)

demo: install
	$(BIN)/python examples/demo.py

lint: install
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/python -m tools.prose

types: install
	$(BIN)/mypy

# The engine's tests run twice: compiled, then as plain Python, where transition matrices are assembled exactly.
test: lint types
	$(PYTEST) -m "not long"
	NUMBA_DISABLE_JIT=1 $(PYTEST) -m "not long and not compiled"

interpreted: install
	NUMBA_DISABLE_JIT=1 $(PYTEST) -m "not long and not compiled"

laws: install
	$(PYTEST) tests/laws
	NUMBA_DISABLE_JIT=1 $(PYTEST) tests/laws -m "not compiled"

# Each command of papers/ and benchmarks/ once, on tiny data, and the tutorials of the documentation.
smoke: install
	$(PYTEST) tests/smoke tests/test_docs.py -m smoke

# Small runs of what papers/ and benchmarks/ do in full; scale, with Ray workers that are killed; the full posterior.
experiments: install
	$(PYTEST) tests/papers tests/benchmarks tests/scale tests/linkage/entity/test_full_posterior.py \
		tests/linkage/authors/test_recipe.py tests/cli/test_warm.py tests/test_docs.py tests/store/test_operations.py

# Strict: a broken link, an unresolved cross-reference or a failing example fails the build. Nothing is downloaded.
docs: $(VENV)/.docs
	PATH="$(abspath $(BIN)):$$PATH" $(BIN)/sphinx-build -W --keep-going -n -b html -d out/docs/doctrees docs out/docs/site
	$(BIN)/python docs/check_site.py out/docs/site

$(VENV)/.docs: pyproject.toml constraints.txt | install
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e ".[docs]"
	touch $@

# Files, functions, docstrings and types of the package, now and at the revision BASE.
sizes: install
	$(BIN)/python -m tools.sizes $(BASE)

# Mutated files of every format: each is read unchanged or refused in one sentence; `make test` runs 200 of the cases.
fuzz: install
	$(BIN)/python -m tools.fuzz --cases 3000

# Kills, signals, full disks, memory limits and two processes at once.
faults: install
	$(BIN)/python -m tools.faults --kills 60

# Each of the faults of tests/mutants, and the tests that catch it; lists those that survive.
mutants: install
	$(BIN)/python -m tools.mutants

# The pinned dependencies as a CycloneDX document, and those with known vulnerabilities (needs the network).
sbom: install
	mkdir -p out
	$(BIN)/python -m tools.sbom --out out/sbom.cdx.json

# Hashes and licences of the pins, as pip would install them on this machine.
hashes: install
	$(BIN)/python -m tools.pins

audit: install
	$(BIN)/python -m tools.sbom --audit

# Counts of work, peak memory and CPU on generated records, against benchmarks/guard/record.json. `make record` rewrites that file.
guard: install
	$(BIN)/python -m benchmarks.guard

record: install
	$(BIN)/python -m benchmarks.guard --record

bench: install
	$(BIN)/python -m benchmarks.walk

# Other tools have a virtual environment of their own: their dependencies conflict with these.
$(PEERS)/.installed: constraints-peers.txt | install
	$(PYTHON) -m venv $(PEERS)
	$(PEERS)/bin/python -m pip install --quiet --disable-pip-version-check -c constraints-peers.txt \
		splink "goldenmatch[polars]" recordlinkage dedupe pandas pyarrow \
		python-crfsuite skweak usaddress
	touch $@

peers: install $(PEERS)/.installed
	PARTITA_PEERS_PYTHON=$(abspath $(PEERS))/bin/python $(BIN)/python -m benchmarks.peers
	PARTITA_PEERS_PYTHON=$(abspath $(PEERS))/bin/python $(BIN)/python -m benchmarks.extract

clean:
	rm -rf $(VENV) out .pytest_cache .mypy_cache .ruff_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
