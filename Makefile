# PluginHost. “make help” lists the targets.

SHELL := /bin/bash
.DEFAULT_GOAL := help

# One build folder for everything but the library's own unit tests: Tests/Integration depends on every other package.
WORKSPACE := --package-path Tests/Integration --scratch-path .build-all -c release
PRODUCTS  := .build-all/release
BUNDLES   := build/Plugins
REPORT    := build/report.html
DOC       ?= README.md CONTRIBUTING.md CHANGELOG.md docs/bundle-format.md docs/abi.md

.PHONY: help setup build plugins demo test test-unit test-tools test-integration tsan walk bench docs fuzz fuzz-budgets fuzz-elf fuzz-coverage inject swaps stress stress-thread stress-address lint format clean

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-18s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

setup: ## install what the build needs, or say what to install
	@Scripts/setup.sh

build: setup ## build the library, the plug-ins, the demo host, the tool, the benchmarks and the tests
	swift build $(WORKSPACE) --build-tests
	@$(call products,load-benchmark bundle-benchmark catalog-benchmark BenchmarkPlugin)

plugins: setup ## build the demo host, and the sample plug-ins as bundles in build/Plugins
	@$(call products,demo-host Reporter Typography Charts Checksum Template)
	@Plugins/assemble.sh $(PRODUCTS) $(BUNDLES)

# Products of other packages, one by one: the package manager takes one at a time.
products = for product in $(1); do swift build $(WORKSPACE) --product $$product || exit 1; done

demo: plugins ## load the sample plug-ins and write a report on DOC="file …" in your language
	@echo
	$(PRODUCTS)/demo-host --plugins $(BUNDLES) --output $(REPORT) $(DOC)
	@echo "Open $(CURDIR)/$(REPORT) in a browser."

test: test-unit test-tools test-integration ## run every test

test-unit: setup
	swift test

test-tools: setup
	swift test --package-path Tools --scratch-path .build-tools

test-integration: build
	@Scripts/setup.sh shells
	swift test $(WORKSPACE) --skip-build

tsan: setup ## run the tests under the thread sanitiser
	@Scripts/tsan.sh

walk: build plugins ## do what README and the other pages say, in an empty directory, against a tagged copy
	@Scripts/walk.py

bench: build plugins ## measure loading against dlopen(), bundles against a stat() and Foundation's, catalogues against reading
	$(PRODUCTS)/load-benchmark
	$(PRODUCTS)/bundle-benchmark
	$(PRODUCTS)/catalog-benchmark
	$(PRODUCTS)/catalog-benchmark --host $(PRODUCTS)/demo-host $(BUNDLES)

docs: setup ## build the documentation as web pages in build/docs
	@Scripts/docs.sh build/docs

fuzz: build ## feed damaged and hostile files to the readers; FUZZ_INPUTS=1000000 each, FUZZ_SEED=… to repeat a run
	@$(call feed,plists:1 strings:1 stringsdict:1 nibs:1 $(HOSTILE))

fuzz-budgets: build ## the hostile ones alone: lists, plural rules and indexes that stand for much
	@$(call feed,$(HOSTILE))

# Hostile inputs take longer: of them a tenth or a hundredth.
HOSTILE = budgets:10 formats:100 indexes:100
feed = for target in $(1); do \
    $(PRODUCTS)/fuzz $${target%:*} --inputs $$(($(FUZZ_INPUTS) / $${target\#*:})) $(if $(FUZZ_SEED),--seed $(FUZZ_SEED)) || exit 1; done

FUZZ_INPUTS ?= 1000000

fuzz-elf: build plugins ## load damaged plug-ins and libraries in processes of their own; ELF_INPUTS=100000, FUZZ_SEED=…
	@mkdir -p build/fuzz-elf && cp $(PRODUCTS)/libTemplate.so $(PRODUCTS)/libChecksum.so build/fuzz-elf
	$(PRODUCTS)/fuzz elf --inputs $(ELF_INPUTS) --jobs 4 --corpus build/fuzz-elf $(if $(FUZZ_SEED),--seed $(FUZZ_SEED))

ELF_INPUTS ?= 100000

fuzz-coverage: ## fuzz the readers with libFuzzer under the address sanitiser; FUZZ_SECONDS=60
	Fuzz/coverage.sh $(FUZZ_SECONDS)

# In ten processes: code is never unmapped, and the system limits the mappings of one.
swaps: build ## load bundles while their executables are exchanged for others; SWAPS=10000
	@for run in 0 1 2 3 4 5 6 7 8 9; do \
	    SWAPS=$$(($(SWAPS) / 10)) swift test $(WORKSPACE) --skip-build --filter fault74_ || exit 1; done

SWAPS ?= 10000

# A seed repeats each thread's operations, not how the threads meet.
STRESS_SECONDS ?= 600
STRESS = --seconds $(STRESS_SECONDS) $(if $(STRESS_SEED),--seed $(STRESS_SEED))

stress: setup ## 16 threads of random operations; STRESS_SECONDS=600, STRESS_SEED=… for the same operations again
	Scripts/stress.sh $(STRESS)

stress-thread: setup ## the same under the thread sanitiser
	Scripts/stress.sh thread $(STRESS)

stress-address: setup ## the same under the address sanitiser
	Scripts/stress.sh address $(STRESS)

inject: build plugins ## fail each system call of the tool and the demo host once; INJECT_EVERY=25 for each 25th failure
	@Scripts/setup.sh strace
	$(PRODUCTS)/inject $(if $(INJECT_EVERY),--every $(INJECT_EVERY)) $(CURDIR)/$(PRODUCTS) $(CURDIR)/$(BUNDLES)

lint: ## check the format of all Swift sources
	swift format lint --recursive --strict --parallel $(SOURCES)

format: ## format all Swift sources
	swift format --recursive --in-place --parallel $(SOURCES)

SOURCES = Package.swift Sources Plugins Examples Tools Tests Benchmarks Fuzz

clean: ## remove everything that was built
	rm -rf .build .build-all .build-tools .build-tsan .build-tsan-all .build-essentials .build-stress-thread .build-stress-address build
