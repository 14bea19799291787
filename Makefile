# Two commands are enough: `make generate` and `make test`. Each sets up .venv when it has to.

PYTHON ?= python3
VENV   ?= .venv
BIN    := $(VENV)/bin
# $(call install,ENVIRONMENT): by uv, which $(STAMP) puts into .venv; with bytecode, as pip does, for tests watch what is written.
install = $(BIN)/uv pip install --quiet --compile-bytecode --python $(1)/bin/python
EXTRAS = --extra build --extra mcp --extra http --extra grammars --extra repair --extra otel
COMPILE = $(BIN)/uv pip compile --upgrade --generate-hashes --universal --python-version 3.11 --no-annotate --custom-compile-command 'make pins' --quiet
TOOLS  := codegen/toolcast_tools/generated/manifest.txt
STAMP  := $(VENV)/.installed
PEERS  := .venv-peers
JUDGES := $(VENV)/.clients
DOCS   := $(VENV)/.docs
MCP_SERVERS := .mcp-servers
OPENAPI_CLIENT := .openapi-client
TYPESCRIPT := .typescript-tools
ENGINES := .venv-grammars
REMOTE := .venv-remote
RELEASE := .venv-release
VERSION ?= $(shell sed -n 's/^__version__ = "\(.*\)"/\1/p' codegen/toolcast/version.py)
PANTS  := .venv-pants
PYTEST := $(BIN)/python -m pytest
# Each worker begins with a part of its own, so that clients are imported, and fixtures made, by one of them.
WORKERS := -n auto --dist worksteal
ATTACKS = $(shell grep -oE 'tests/[a-z_/]+\.py' docs/explanation/security.md | sort -u)
DOWNSTREAM := examples/pyproject.toml $(wildcard tests/downstream/projects/*/pyproject.toml)

export NO_MKDOCS_2_WARNING = 1 # mkdocs-material is pinned; its notice would precede every build
# Certificates are those that the system trusts, as for pip; a busy machine or network has time.
export UV_SYSTEM_CERTS = true
export UV_HTTP_TIMEOUT = 180

.PHONY: help generate lines test thorough speed check lint format types mypy pyright verify lint-tools clients mcp-servers mcp-conformance openapi-client typescript-tools browser sandbox bazel pants wheel conformance text-formats baseline fuzz containment fuzz-bridge corpora laws rules reference tool-search docs docs-serve deviations grammars bench load peers typescript-peers comparisons declarations ci nightly clean crash kills attacks machine pythons native-unions chaos pins release-check engines profiles-due

help: ## Show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-10s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

$(STAMP): pyproject.toml codegen/toolcast_tools/pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
	  || { echo "toolcast needs Python 3.11 or newer; try: make PYTHON=python3.12 $(MAKECMDGOALS)"; exit 1; }
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check uv
	$(call install,$(VENV)) --editable '.[build]' --group dev --editable codegen/toolcast_tools
	@touch $@

$(TOOLS): $(STAMP) generated/manifest.txt
	@$(BIN)/python codegen/toolcast_tools/copy_generated.py
	@touch $@

$(JUDGES): $(STAMP) tests/clients/requirements.txt
	$(call install,$(VENV)) --require-hashes --no-deps --requirement tests/clients/requirements.txt
	@touch $@

generate: $(STAMP) ## Regenerate generated/ from specs/
	$(BIN)/toolcast generate
	@$(BIN)/python codegen/toolcast_tools/copy_generated.py
	@for project in $(DOWNSTREAM); do $(BIN)/toolcast generate --config $$project || exit 1; done

# Tests start hundreds of processes, and their assertions are compiled: the bytecode is kept.
test thorough: export PYTHONDONTWRITEBYTECODE =

test: $(TOOLS) ## Run the tests, on all cores
	$(PYTEST) $(WORKERS) $(ARGS)

thorough: $(TOOLS) ## The tests that the default run leaves out; ARGS="--sample 60" runs 60 of them
	$(PYTEST) $(WORKERS) -m "thorough and not bazel" $(ARGS)

check: $(STAMP) ## Fail when generated/ is not what specs/ say
	$(BIN)/toolcast generate --check
	@for project in $(DOWNSTREAM); do $(BIN)/toolcast generate --check --config $$project || exit 1; done

lint: $(STAMP) ## Style and formatting; workflows audited; names of changes/
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/zizmor --offline --quiet .github/workflows action.yml
	@said=$$($(BIN)/towncrier build --draft 2>&1) || { echo "$$said"; exit 1; } # a name without a type

format: $(STAMP) ## Apply what lint would ask for
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

types: $(STAMP) ## mypy --strict and pyright, over the compiler and over generated code; over generated code ty and pyrefly, too
	@$(MAKE) --no-print-directory --jobs 2 --output-sync mypy pyright
	$(BIN)/ty check --quiet --python $(VENV) generated
	$(BIN)/pyrefly check --preset strict --summary=none 'generated/**/*.py'

mypy: $(TOOLS)
	$(BIN)/mypy --strict codegen/toolcast codegen/toolcast_tools generated

pyright: $(TOOLS)
	$(BIN)/pyright

verify: $(STAMP) ## Hold the reference toolset, and a share of composed schemas, to the laws
	$(BIN)/toolcast verify
	$(BIN)/python -m bench.fuzz --schemas 2000 --seed 1
	-$(BIN)/python -m bench.fuzz --seconds 20 --seed fresh # what chance finds is told, and stops no other change

clients: $(JUDGES) ## Install official clients; `make test` then asks them, too

mcp-servers: $(MCP_SERVERS)/.installed ## Install public MCP servers, and the command for MCP bundles, from npm (needs Node 20.18); `make test` then uses them

$(MCP_SERVERS)/.installed: tests/mcp/servers/package.json tests/mcp/servers/package-lock.json
	@command -v npm >/dev/null || { echo "public MCP servers and the conformance suite need Node.js 20.18 or newer, with npm"; exit 1; }
	@mkdir -p $(MCP_SERVERS)
	cp tests/mcp/servers/package.json tests/mcp/servers/package-lock.json $(MCP_SERVERS)/
	npm ci --prefix $(MCP_SERVERS) --ignore-scripts --no-audit --no-fund --loglevel=error
	@touch $@

mcp-conformance: $(STAMP) $(MCP_SERVERS)/.installed ## Judge by the conformance suite of MCP; writes a part of docs/reference/mcp.md
	$(BIN)/python -m bench.mcp_conformance --write docs/reference/mcp.md $(ARGS)

openapi-client: $(OPENAPI_CLIENT)/.installed ## Install swagger-client and octokit from npm (needs Node 20); `make test` then compares requests with theirs

$(OPENAPI_CLIENT)/.installed: tests/http/openapi_client/package.json tests/http/openapi_client/package-lock.json
	@command -v npm >/dev/null || { echo "swagger-client and octokit need Node.js 20 or newer, with npm"; exit 1; }
	@mkdir -p $(OPENAPI_CLIENT)
	cp tests/http/openapi_client/package.json tests/http/openapi_client/package-lock.json $(OPENAPI_CLIENT)/
	npm ci --prefix $(OPENAPI_CLIENT) --ignore-scripts --no-audit --no-fund --loglevel=error
	@touch $@

typescript-tools: $(TYPESCRIPT)/.installed ## Install the TypeScript compiler, a tokenizer and a bundler from npm (needs Node 20); `make test` then uses them

$(TYPESCRIPT)/.installed: tests/typescript/npm/package.json tests/typescript/npm/package-lock.json
	@command -v npm >/dev/null || { echo "the TypeScript compiler needs Node.js 20 or newer, with npm"; exit 1; }
	@mkdir -p $(TYPESCRIPT)
	cp tests/typescript/npm/package.json tests/typescript/npm/package-lock.json $(TYPESCRIPT)/
	npm ci --prefix $(TYPESCRIPT) --ignore-scripts --no-audit --no-fund --loglevel=error
	@touch $@

browser: $(VENV)/.browser $(TYPESCRIPT)/.installed ## Install Chromium (for root, from Debian) and Playwright; `make test` then opens the page of `toolcast report`
	sh tests/report/browser/setup

$(VENV)/.browser: $(STAMP)
	$(call install,$(VENV)) --group browser
	@touch $@

sandbox: ## Install bubblewrap (for root, from Debian); `make test` then runs commands and code in it
	sh tests/tools/shell/setup

lint-tools: $(STAMP) ## Fail on findings in the reference toolset
	$(BIN)/toolcast lint

bazel: $(STAMP) ## Build tools with Bazel, caches and BuildGrid; ten minutes. ARGS="-m bazel" adds 1,000 tools
	bash tests/bazel/setup
	bash tests/remote/setup $(REMOTE) $(PYTHON)
	$(PYTEST) -m "bazel and not thorough" tests/bazel $(ARGS)

pants: $(STAMP) ## Build tools with Pants (needs Python 3.9, too) and BuildGrid; five minutes
	bash tests/pants/setup $(PANTS)
	bash tests/remote/setup $(REMOTE) $(PYTHON)
	$(PYTEST) -m pants tests/pants $(ARGS)

wheel: $(TOOLS) ## Build both wheels; use it in an empty environment, and in other projects' builds
	$(PYTEST) -m wheel -n 2 --dist loadfile tests/wheel tests/downstream

$(RELEASE)/.installed: pyproject.toml | $(STAMP)
	$(PYTHON) -m venv $(RELEASE)
	$(call install,$(RELEASE)) --group release
	@touch $@

release-check: $(RELEASE)/.installed $(TOOLS) ## Every step of a release but the upload: builds, contents, an SBOM, an empty environment, the tutorial
	rm -rf dist
	$(BIN)/towncrier build --draft --version $(VERSION)
	$(RELEASE)/bin/python -m build --quiet --outdir dist .
	$(RELEASE)/bin/python -m build --quiet --outdir dist codegen/toolcast_tools
	test -f dist/toolcast-$(VERSION)-py3-none-any.whl
	$(RELEASE)/bin/twine check --strict dist/*
	$(RELEASE)/bin/check-wheel-contents --ignore W002 dist/*.whl # equal files of two providers are two files
	$(PYTHON) -m venv --without-pip $(RELEASE)/empty
	$(call install,$(RELEASE)/empty) "dist/toolcast-$(VERSION)-py3-none-any.whl[build]"
	$(RELEASE)/bin/cyclonedx-py environment --output-reproducible --output-file dist/toolcast-$(VERSION).cdx.json $(RELEASE)/empty/bin/python
	$(MAKE) --no-print-directory wheel

conformance: $(STAMP) ## Judge by the official JSON Schema suite; writes docs/reports/conformance.md
	$(BIN)/python -m bench.conformance --write docs/reports/conformance.md

baseline: $(STAMP) ## Compare every output and report with the recorded digests; ARGS="--write" records them anew
	$(BIN)/python -m bench.baseline $(ARGS)

text-formats: $(STAMP) ## Read other parsers' test texts for tool calls; writes docs/reports/text-formats.md, and tables of docs/reference/text-calls.md
	$(BIN)/python -m bench.text_formats --write docs/reports/text-formats.md --tables docs/reference/text-calls.md

fuzz: $(STAMP) ## Compose 20,000 schemas with 50 instances each; some ten minutes
	$(BIN)/python -m bench.fuzz $(ARGS)

containment: $(STAMP) ## Compare real revisions and 10,000 composed pairs, judged by jsonschema-rs; some ten minutes
	$(BIN)/python -m bench.containment --revisions ../shared/corpora/revisions/revisions.jsonl --pairs 10000 $(ARGS)

fuzz-bridge: $(STAMP) ## Arbitrary arguments against every kind of registry, for every provider; five minutes
	$(BIN)/python -m bench.bridge $(ARGS)

native-unions: $(STAMP) ## Every union that msgspec decodes natively, with each msgspec, under a memory checker; ARGS="--forms all"
	$(BIN)/python -m bench.unions $(ARGS)

crash: $(STAMP) ## Kill a build at every single step, and the tests of hostile disks; some minutes
	TOOLCAST_EVERY_STEP=1 $(PYTEST) -n auto tests/crash $(ARGS)

kills: $(STAMP) ## Kill runs of agents 500 times at any moment, held to a ledger; `make test` kills 30 times; two minutes
	$(PYTEST) -m thorough tests/agents/test_checkpoints.py -k killed_processes $(ARGS)

attacks: $(TOOLS) ## Every test of docs/explanation/security.md, with 400 random inputs; `make test` has a sample; some minutes
	$(PYTEST) $(WORKERS) -m "not bazel" --hypothesis-profile=nightly $(ATTACKS) $(ARGS)

chaos: $(TOOLS) ## Call the toolset 100,000 times under every fault; writes docs/reports/chaos.md; ten minutes
	$(BIN)/python -m bench.chaos --write docs/reports/chaos.md $(ARGS)

machine: $(STAMP) ## Random edits, kills and refusals, each run held to a clean build; ten minutes
	$(BIN)/python -m tests.project.endless $(ARGS)

pythons: $(STAMP) ## Compile the reference toolset with every Python of this machine: the same bytes; 10,000 calls from threads
	$(BIN)/python -m tests.project.pythons
	$(PYTEST) -m thorough tests/project/test_determinism.py tests/runtime/test_concurrency.py -k python_versions $(ARGS)

corpora: $(STAMP) ## Compile real tool definitions; writes docs/reports/corpora.md
	$(BIN)/python -m bench.corpora --write docs/reports/corpora.md

declarations: $(STAMP) $(TYPESCRIPT)/.installed ## Declare real tools in TypeScript and Python; writes docs/reports/declarations.md
	$(BIN)/python -m bench.declarations --write docs/reports/declarations.md $(ARGS)

laws: $(STAMP) ## Hold real tools and composed schemas to all laws, for every provider; writes a part of docs/reference/providers.md
	$(BIN)/python -m bench.laws --write docs/reference/providers.md $(ARGS)

rules: $(STAMP) ## Judge real tool definitions by every provider's published rules; a table
	$(BIN)/python -m tests.providers.rules

profiles-due: $(STAMP) ## List the rules of built-in profiles that were last checked more than 180 days ago; ARGS=2027-07-01 is another day
	$(BIN)/python -m bench.reference.rule_data $(ARGS)

repairs: $(STAMP) ## Judge corrections of malformed arguments; writes a part of docs/reference/arguments.md
	$(BIN)/python -m bench.repairs --write docs/reference/arguments.md

lines: $(STAMP) ## Count modules, lines, commands and interpreters of JSON Schema; a table
	@$(BIN)/python -m bench.lines

reference: $(STAMP) ## Write what is made from the source: pages of docs/reference (names, commands, keys, rules), the data of provider rules, skills/
	$(BIN)/python -m bench.reference --write

$(DOCS): $(STAMP) pyproject.toml
	$(call install,$(VENV)) --group docs
	@touch $@

docs: $(DOCS) ## Build the documentation site into site/; a broken link or anchor is an error
	$(BIN)/mkdocs build --strict
	$(PYTEST) -q tests/docs/test_links.py

docs-serve: $(DOCS) ## Show the documentation at http://127.0.0.1:8000/ while it is edited
	$(BIN)/mkdocs serve

comparisons: clients $(PEERS)/.installed $(TYPESCRIPT)/.installed ## Decode real tools with other projects; writes tables of docs/explanation/comparisons (three minutes)
	$(BIN)/python -m bench.comparisons --write docs/explanation/comparisons $(ARGS)

tool-search: $(STAMP) ## Search for the tools of recorded calls; writes docs/reports/tool-search.md
	$(BIN)/python -m bench.tool_search --write docs/reports/tool-search.md

deviations: $(STAMP) ## Compare with another normaliser; writes docs/reports/deviations.md
	$(BIN)/python -m tests.providers.deviations

$(ENGINES)/.installed: $(STAMP) tests/grammars/setup
	sh tests/grammars/setup $(BIN) $(ENGINES)
	@touch $@

engines: $(ENGINES)/.installed ## Install xgrammar and llama.cpp's grammars, 200 MB; `make test` then asks them, too

grammars: $(ENGINES)/.installed ## Ask engines about strict schemas and about calls in text, an hour; ARGS="--every 20" takes minutes; writes docs/reports/grammars.md
	$(BIN)/python -m tests.grammars.table --write docs/reports/grammars.md
	$(BIN)/python -m tests.grammars.call_proof --write docs/reports/grammars.md $(ARGS)

speed: $(TOOLS) ## Measure the ratios that users wait for; fail where one is twice the landed figure
	$(BIN)/python -m bench.kept $(ARGS)

bench: $(STAMP) $(PEERS)/.installed ## Measure, beside peers; writes the tables of docs/reports/performance.md
	$(BIN)/python -m bench --write docs/reports/performance.md $(ARGS)
	$(BIN)/python -m bench.diff --write docs/reports/performance.md
	PYTHONPATH=codegen $(PEERS)/bin/python -m bench.normalize --write docs/reports/performance.md
	$(BIN)/python -m bench.decode --write docs/reports/performance.md
	$(BIN)/python -m bench.text_calls
	$(BIN)/python -m bench.paused --write docs/reference/durable.md
	$(BIN)/python -m bench.dispatch --python $(PEERS)/bin/python --write docs/reports/performance.md
	$(BIN)/python -m bench.memory --python $(PEERS)/bin/python --write docs/reports/performance.md

$(PEERS)/.installed: bench/peers/requirements.txt bench/peers/requirements-apart.txt | $(STAMP)
	$(PYTHON) -m venv $(PEERS)
	$(call install,$(PEERS)) --require-hashes --no-deps --requirement bench/peers/requirements.txt --requirement bench/peers/requirements-apart.txt
	@touch $@

pins: $(JUDGES) ## Pin the clients and the peers anew, by hash; no release of the last week (`[tool.uv]`)
	$(COMPILE) pyproject.toml $(EXTRAS) --group clients --group dev --group docs --group browser --group release --output-file tests/clients/requirements.txt
	$(COMPILE) bench/peers/requirements.in --output-file bench/peers/requirements.txt
	$(COMPILE) bench/peers/requirements-apart.in --no-deps --output-file bench/peers/requirements-apart.txt

peers: $(PEERS)/.installed ## Other transformers' outputs beside ours, judged; writes a part of docs/reference/providers.md
	PYTHONPATH=codegen $(PEERS)/bin/python -m bench.peers --write docs/reference/providers.md $(ARGS)

typescript-peers: typescript-tools ## Other ways from JSON Schema to checks in JavaScript beside ours; writes docs/reports/peers.md (a minute)
	$(BIN)/python -m bench.typescript_peers --write docs/reports/peers.md $(ARGS)

ci: ## What continuous integration runs
	bash .ci/run

load: clients ## A thousand conversations at once, beside peers; writes docs/reports/load.md (four minutes)
	$(BIN)/python -m bench.load --write docs/reports/load.md $(ARGS)

nightly: clients ## What takes longer: more random inputs, every kill, other interpreters
	$(MAKE) test ARGS=--hypothesis-profile=nightly
	$(MAKE) thorough fuzz fuzz-bridge laws crash machine pythons
	$(MAKE) native-unions ARGS="--forms all --raw 3"
	$(BIN)/python -m bench.chaos --seed fresh

clean: ## Remove the environment and caches (never generated/)
	rm -rf $(VENV) .venv-pythons .venv-msgspec $(ENGINES) $(REMOTE) $(PANTS) $(PEERS) $(MCP_SERVERS) $(OPENAPI_CLIENT) $(TYPESCRIPT) .toolcast .mypy_cache .pytest_cache .ruff_cache .hypothesis dist site
