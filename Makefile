# Every command of the house. `make` alone lists them.

PYTHON ?= python3
UV_VERSION := 0.13.9
VENV := .venv
PY := $(VENV)/bin/python
PIP := $(PY) -m pip --disable-pip-version-check install --require-hashes
COSTLY := cluster whole spark contract browser stack process wide thorough
BY_NIGHT = thorough$(if $(NO_BROWSER), browser)
MINUTES ?= 240
NIGHT = $(shell date -u +%Y%m%d)
SPACE := $(subst ,, )
any = $(subst $(SPACE), or ,$(1))
# Many images of Python set it. Each process that we start would then compile our modules anew: two
# of its three CPU-seconds.
unexport PYTHONDONTWRITEBYTECODE

left_out = $(if $(NO_BROWSER),@echo "Left out: the browser tests (BROWSER=no)")

# All that the tests need and no wheel brings: looked for before anything is installed or run.
BROWSER ?= yes
NO_BROWSER := $(filter no,$(BROWSER))
ifneq ($(filter test nightly,$(MAKECMDGOALS)),)
ifeq ($(NO_BROWSER)$(shell command -v chromium-headless-shell || command -v chromium || command -v chromium-browser),)
$(error The browser tests need Chromium. On Debian: apt-get install chromium. Or leave them out: \
make $(firstword $(MAKECMDGOALS)) BROWSER=no)
endif
endif

.DEFAULT_GOAL := help
.PHONY: help setup dev extras classes up test nightly check pure-advisor pure-others timed timeless-spark timeless-contracts timeless-configurations timeless-advisor timeless-intake timeless-others lint types layers lock catalog dependence scale clean

help: ## Say what can be done here
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "  make %-8s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

setup: $(VENV)/.app extras classes ## Install what the product needs, and no more

up: setup ## Start web, worker, Redis and database; print the address (PORT=8000, HOST=127.0.0.1)
	@exec $(PY) manage.py up $(if $(PORT),--port $(PORT)) $(if $(HOST),--host $(HOST))

test: dev ## Gates and tests; BROWSER=no without Chromium (the rest: make nightly)
	@$(MAKE) --no-print-directory --jobs 2 --output-sync classes lint types layers
	@$(MAKE) --no-print-directory --jobs 3 --keep-going timed $(TIMELESS)
	@echo "One scenario of each family and the first lab were staged. All others, and exploring: make nightly"
	$(left_out)

# Two workers: one runs the experiments, which have two clusters each, and what else boots brokers;
# the other what needs none, until they meet (tests/two_ends.py). Of what is no experiment two may
# fail once: both attempts are printed. No experiment may, and nothing in `make nightly`.
timed:
	$(PY) -m pytest -n 2 --no-loadscope-reorder --ignore tests/advisor \
	  --reruns 1 --max-suite-reruns 2 --rerun-show-tracebacks \
	  -m "not ($(call any,timeless $(BY_NIGHT)))"

# These take what the others leave of two cores, two processes of them at a time: long ones first, so
# that both end together. They are printed when all of theirs have run. At this priority they have a
# tenth of a core at least: a limit of theirs is for what hangs.
TIMELESS := $(addprefix timeless-,spark contracts configurations advisor intake others)
FOLDERS := spark contracts advisor
PARTS := configurations intake
timeless-%: TESTS = tests/$(@:timeless-%=%)
$(PARTS:%=timeless-%): TESTS = tests/advisor/$(@:timeless-%=%)
timeless-advisor: TESTS := tests/advisor $(addprefix --ignore tests/advisor/,$(PARTS))
timeless-others: TESTS := tests $(addprefix --ignore tests/,$(FOLDERS))
$(TIMELESS):
	@output=$$(nice -n 10 $(PY) -m pytest -q -p no:playwright --timeout 1800 \
	  -m "timeless and not ($(call any,$(BY_NIGHT)))" $(TESTS) 2>&1); code=$$?; echo "$$output"; exit $$code

# A night's seeds are its date: they never are those from which rates were measured.
nightly: dev classes $(VENV)/.audit ## Thorough tests, all scenarios on all lines, exploring, kills at random (MINUTES=240 each)
	@right=0; \
	$(PY) -m pytest -m "thorough$(if $(NO_BROWSER), and not browser)" || right=1; \
	$(PY) -m benchmarks.audit || right=1; \
	$(PY) -m benchmarks.fuzz --seed $(NIGHT) || right=1; \
	timeout --kill-after=120 $(MINUTES)m $(PY) -m benchmarks.scenarios --lines all \
	  --seeds 1 --first $(NIGHT) --out benchmarks/scenarios.jsonl || [ $$? -eq 124 ] || right=1; \
	timeout --kill-after=120 $(MINUTES)m $(PY) -m benchmarks.scenarios --lines all --zookeeper \
	  --seeds 1 --first $(NIGHT) --out benchmarks/scenarios.jsonl || [ $$? -eq 124 ] || right=1; \
	$(PY) manage.py calibrate --explore --minutes $(MINUTES) --seed $(NIGHT) || right=1; \
	$(PY) -m benchmarks.survival --random 1000 --seed $(NIGHT) --minutes $(MINUTES) || right=1; \
	exit $$right

# Side by side: what each of them says is printed when it ends, and each goes on to its end.
# Two processes with half of the tests each begin sooner than workers, which all read all of them;
# some of the tests wait, so the gates have what these leave of two cores.
check: dev ## The quick part: gates and pure tests, about a minute
	@$(MAKE) --no-print-directory --jobs 3 --output-sync --keep-going $(PURE) lint types layers

PURE := pure-advisor pure-others
pure-advisor: TESTS := tests/advisor tests/house --ignore tests/advisor/configurations
pure-others: TESTS := tests $(addprefix --ignore tests/,advisor house cluster spark contracts browser stack bare image/test_services.py postgresql)
$(PURE):
	$(PY) -m pytest -q -p no:playwright --hypothesis-profile quick \
	  -m "not ($(call any,$(COSTLY)))" $(TESTS)

lint:
	$(VENV)/bin/ruff format --check .
	$(VENV)/bin/ruff check .

types:
	$(VENV)/bin/mypy .

layers:
	$(VENV)/bin/lint-imports

lock: ## Resolve the dependencies anew into config/locks (UPGRADE=1 takes newer releases)
	@$(PYTHON) -m venv var/uv && var/uv/bin/pip install --quiet uv==$(UV_VERSION)
	$(call resolve,app,pyproject.toml)
	$(call resolve,java,--group java)
	$(call resolve,redis,--group redis)
	$(call resolve,benchmarks,--group benchmarks --constraint config/locks/app.txt)
	$(call resolve,dev,pyproject.toml --group dev $(foreach lock,app java,--constraint config/locks/$(lock).txt))
	$(call resolve,audit,--group audit --constraint config/locks/dev.txt)

define resolve
	var/uv/bin/uv pip compile --quiet --no-header --no-emit-index-url --universal \
	  --generate-hashes --python-version 3.11 $(if $(UPGRADE),--upgrade) \
	  $(2) --output-file config/locks/$(1).txt
endef

catalog: $(VENV)/.app ## Ask Kafka's and librdkafka's releases for their settings (advisor/catalog/generated)
	$(PY) -m labs.maintenance.products

dependence: $(VENV)/.app ## Ask the failure model what each failure depends on (after a change of the rules)
	$(PY) -m labs.maintenance.dependence

scale: dev $(VENV)/.benchmarks ## Judge ledgers of millions beside pandas, Polars and DuckDB (ARGS="--millions 1")
	$(PY) -m benchmarks.scale $(ARGS)

clean: ## Remove what was built and the data folder (recorded experiments too)
	rm -rf $(VENV) var .mypy_cache .pytest_cache .ruff_cache .import_linter_cache .hypothesis

dev: $(VENV)/.dev extras ## Install what development needs; `test` and `check` do so themselves

# Java and Redis come from the system; only where it has none, from a locked wheel.
extras: $(VENV)/.app
	@for lock in $$($(PY) -m config.extras); do \
	  echo "This machine has no $$lock of its own: installing the one in a wheel"; \
	  $(PIP) -r config/locks/$$lock.txt || exit 1; \
	done

# Once for each Java and each pyspark: Spark starts sooner with its classes ready to map.
classes: extras
	@$(PY) -m labs.engine.judge.classes

$(VENV)/.app: config/locks/app.txt | $(VENV)/pyvenv.cfg
	@echo "Installing the locked dependencies (pyspark alone is 450 MB: some minutes, once)"
	$(PIP) -r $<
	@touch $@

$(VENV)/.dev: config/locks/dev.txt | $(VENV)/.app
	$(PIP) -r $<
	@touch $@

$(VENV)/.audit: config/locks/audit.txt | $(VENV)/.dev
	$(PIP) -r $<
	@touch $@

$(VENV)/.benchmarks: config/locks/benchmarks.txt | $(VENV)/.app
	$(PIP) -r $<
	@touch $@

$(VENV)/pyvenv.cfg:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
	  echo "Python 3.11 or later is needed, and $(PYTHON) is not. Try: make PYTHON=python3.12 up"; exit 1; }
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || { \
	  echo "$(PYTHON) cannot make virtual environments. Debian and Ubuntu: apt install python3-venv"; exit 1; }
	$(PYTHON) -m venv $(VENV)
