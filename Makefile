# PluginHost. “make help” lists the targets.

SHELL := /bin/bash
.DEFAULT_GOAL := help

# Tests/Integration depends on every other package. “make demo” and “make test” compile in .build without the optimiser, which
# takes twice as long; what is installed, packaged, measured and fuzzed is optimised, in .build-all.
DEBUG       := --package-path Tests/Integration --scratch-path .build
UNOPTIMISED := .build/debug
WORKSPACE   := --package-path Tests/Integration --scratch-path .build-all -c release
PRODUCTS    := .build-all/release
BUNDLES     := build/Plugins
SAMPLES     := $(filter-out Plugins/Misbehaving,$(patsubst %/Info.plist,%,$(wildcard Plugins/*/Info.plist)))
REPORT      := build/report.html
DOC         ?= README.md CONTRIBUTING.md CHANGELOG.md docs/bundle-format.md docs/abi.md

.PHONY: help setup build tool plugins demonstration demo misbehave install uninstall deb test test-install test-stage test-deb test-unit test-kit test-tools test-integration test-optimised test-samples test-embedding tsan walk bench docs fuzz fuzz-budgets fuzz-lanes fuzz-elf fuzz-coverage inject swaps starts edits real-libraries stress stress-thread stress-address lint format clean

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-18s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

setup: ## install what the build needs, or say what to install
	@Scripts/setup.sh

build: setup ## build the library, the plug-ins, the demo host, the tool, the benchmarks and the tests
	swift build $(WORKSPACE) --build-tests
	@$(call products,load-benchmark bundle-benchmark catalog-benchmark call-benchmark start-reference nib-benchmark settings-benchmark BenchmarkPlugin SettingsPlugin RecordedPlugin)

# With CONFIGURATION=debug, “make tool” and “make install” leave the optimiser out: a third of the time.
CONFIGURATION := release
ifneq ($(filter-out debug release,$(CONFIGURATION)),)
$(error CONFIGURATION is “$(CONFIGURATION)”, and must be release or debug)
endif
INSTALLED := $(if $(filter debug,$(CONFIGURATION)),$(UNOPTIMISED),$(PRODUCTS))

tool: setup ## build the library, the command pluginhost and the worker program alone, which “make install” installs
	@[ $(INSTALLED) = $(PRODUCTS) ] || Scripts/replan.sh .build
	@# The command first: what only it needs is compiled beside the library.
	@$(call products,pluginhost PluginHost pluginhost-worker,$(if $(filter debug,$(CONFIGURATION)),$(DEBUG)))
	@echo "The command is $(CURDIR)/$(INSTALLED)/pluginhost; “sudo make install$(if $(filter debug,$(CONFIGURATION)), CONFIGURATION=debug)” installs it."

# After “make tool”, “sudo make install” does not run the compiler as root.
install: ## install the library, the command and what is built against it; PREFIX=/usr/local, DESTDIR=, LIBDIR=, CONFIGURATION=release
	@[ -e $(INSTALLED)/pluginhost-worker ] || $(MAKE) --no-print-directory tool
	@$(INSTALL) install $(INSTALLED)

deb: tool ## build packages for Debian in build/deb; the library's, the developers' and the command's
	@Scripts/deb.sh

uninstall: ## remove what “make install” installed, with the same PREFIX, DESTDIR and LIBDIR
	@$(INSTALL) uninstall

INSTALL = PREFIX="$(PREFIX)" DESTDIR="$(DESTDIR)" LIBDIR="$(LIBDIR)" Scripts/install.sh

plugins: setup ## build the demo host, and the sample plug-ins as bundles in build/Plugins
	@$(call products,$(DEMONSTRATION))
	@$(call pack,$(PRODUCTS))

DEMONSTRATION := pluginhost demo-host Reporter Typography Charts Checksum Template Misbehaving

# Products of other packages, one by one, because the package manager accepts only one.
products = for product in $(1); do swift build $(or $(2),$(WORKSPACE)) --product $$product || exit 1; done
pack = $(1)/pluginhost pack --products $(1) --host $(1)/demo-host --output $(BUNDLES) $(SAMPLES) && \
    $(1)/pluginhost pack --products $(1) --host $(1)/demo-host --output build/Misbehaving \
        Plugins/Misbehaving Plugins/Reporter Plugins/Checksum Plugins/Wordlist

demo: demonstration ## load the sample plug-ins and write a report on DOC="file …" in your language; NIB=FILE for another card
	@echo
	$(UNOPTIMISED)/demo-host --plugins $(BUNDLES) --output $(REPORT) $(if $(NIB),--nib "$(NIB)") $(DOC)
	@echo "Open $(CURDIR)/$(REPORT) in a browser."
	@$(UNOPTIMISED)/demo-host --isolate --plugins $(BUNDLES) --output build/isolated.html $(if $(NIB),--nib "$(NIB)") $(DOC) >/dev/null
	@cmp <(grep -v 'class="date"' $(REPORT)) <(grep -v 'class="date"' build/isolated.html)
	@echo "With the plug-ins in processes of their own, the report is the same, byte for byte but for the time."
	@Scripts/demo-settings.sh $(UNOPTIMISED) $(BUNDLES) README.md
	@$(call misbehave,crash)
	@echo "“make misbehave” lets it also hang, use up memory and look for your keys."

demonstration: setup
	@Scripts/replan.sh .build
	@$(call products,$(DEMONSTRATION),$(DEBUG))
	@$(call pack,$(UNOPTIMISED))

misbehave: demonstration ## let a plug-in crash, hang, use up memory and look for your keys, in a process of its own
	@$(call misbehave,crash hang flood keys)

# Lets the plug-in Misbehaving do harm. The demo host ends with 1, because it leaves something out of the report.
misbehave = for harm in $(1); do \
    echo && echo "A document demands “$$harm” of the plug-in Misbehaving:" && \
    printf 'One two three. Four five.\nMisbehave: %s\n' $$harm > build/$$harm.txt && \
    { $(UNOPTIMISED)/demo-host --isolate=sandboxed --plugins build/Misbehaving --pipeline misbehaving,summary,html \
        --output build/$$harm.html build/$$harm.txt || [ $$? = 1 ]; } || exit 1; done

# CI says INTEGRATION=optimised: it needs the optimised library anyway.
INTEGRATION ?= integration

test: test-unit test-kit test-tools test-samples test-embedding test-$(INTEGRATION) ## run every test

test-unit: setup
	@Scripts/replan.sh .build
	swift test

# In the build folder of the unit tests, which has the library already.
test-kit: setup
	@Scripts/replan.sh .build
	swift test --package-path Testing --scratch-path .build

test-tools: setup
	@Scripts/replan.sh .build
	swift test --package-path Tools --scratch-path .build

test-integration: setup
	@Scripts/setup.sh shells
	@Scripts/replan.sh .build
	swift test $(DEBUG)

test-optimised: build ## make test-integration with the optimised library and command
	@Scripts/setup.sh shells
	swift test $(WORKSPACE) --skip-build

# As their authors run them, in the build folder of the unit tests, which has the library and the kit already. The same
# files run in the test's process, in processes of their own, and confined there.
test-samples: setup
	@for package in Plugins Plugins/Template; do \
	    Scripts/replan.sh .build; \
	    swift build --package-path $$package --scratch-path .build --build-tests || exit 1; \
	    for execution in $(EXECUTIONS); do \
	        echo "$$package, $$execution"; \
	        PLUGIN_TEST_EXECUTION=$$execution swift test --package-path $$package --scratch-path .build --skip-build || exit 1; \
	    done; \
	done

EXECUTIONS ?= in-process isolated sandboxed

test-embedding: setup ## run an isolated plug-in in an application outside of the project, without any code for it
	@Scripts/test-embedding.sh

test-install: tool plugins ## install into an empty directory, compile plug-ins and a host against it, remove it again
	@Scripts/setup.sh shells packaging
	@Scripts/test-install.sh

test-stage: tool plugins ## stage the demonstration, and programs that lack something
	@Scripts/setup.sh packaging
	@Scripts/test-stage.sh

test-deb: deb plugins ## install the packages in a root file system of Debian without a compiler, and use them there; as root
	@Scripts/setup.sh root
	@Scripts/test-deb.sh

tsan: setup ## run the tests under the thread sanitiser
	@Scripts/tsan.sh

walk: demonstration build plugins ## follow README, the other pages and the tutorials in empty directories
	@Scripts/walk.py
	@Scripts/tutorials.py

bench: build plugins ## compare loading with dlopen(), calls with ffi_call() and with a futex each way, starts of workers with that of a program, nibs with the same objects made by hand, settings with a dictionary, bundles with a stat() and Foundation's, catalogues with reading
	$(PRODUCTS)/load-benchmark
	$(PRODUCTS)/call-benchmark
	$(PRODUCTS)/nib-benchmark
	$(PRODUCTS)/settings-benchmark
	$(PRODUCTS)/bundle-benchmark
	$(PRODUCTS)/catalog-benchmark
	$(PRODUCTS)/catalog-benchmark --host $(PRODUCTS)/demo-host $(BUNDLES)

docs: setup ## build the documentation as web pages in build/docs
	@Scripts/docs.sh build/docs

fuzz: build ## feed damaged and hostile files to the readers; FUZZ_INPUTS=1000000 each, FUZZ_SEED=… to repeat a run
	@$(call feed,plists:1 strings:1 stringsdict:1 signatures:1 nibs:1 lanes:10 settings:20 $(HOSTILE))

fuzz-budgets: build ## only the hostile files: lists, large nibs, plural rules, indexes, compiled tables, archives and records
	@$(call feed,$(HOSTILE))

fuzz-lanes: build ## a worker that writes what it wants while it answers the host; FUZZ_INPUTS=1000000, FUZZ_SEED=…
	@$(call feed,lanes:1)

# Hostile inputs take longer, so fewer of them are run: a tenth, a twentieth or a hundredth.
HOSTILE = budgets:10 nibsizes:100 formats:100 indexes:100 tables:20 archives:20 records:20
feed = for target in $(1); do \
    $(PRODUCTS)/fuzz $${target%:*} --inputs $$(($(FUZZ_INPUTS) / $${target\#*:})) $(if $(FUZZ_SEED),--seed $(FUZZ_SEED)) || exit 1; done

FUZZ_INPUTS ?= 1000000

fuzz-elf: build plugins ## load damaged plug-ins and libraries in processes of their own, and edit the names in damaged libraries; ELF_INPUTS=100000, FUZZ_SEED=…
	@mkdir -p build/fuzz-elf && cp $(PRODUCTS)/libTemplate.so $(PRODUCTS)/libChecksum.so build/fuzz-elf
	$(PRODUCTS)/fuzz elf --inputs $(ELF_INPUTS) --jobs 4 --corpus build/fuzz-elf $(if $(FUZZ_SEED),--seed $(FUZZ_SEED))
	$(PRODUCTS)/fuzz ownnames --inputs $(ELF_INPUTS) $(if $(FUZZ_SEED),--seed $(FUZZ_SEED))

ELF_INPUTS ?= 100000

fuzz-coverage: ## fuzz the readers with libFuzzer under the address sanitiser; FUZZ_SECONDS=60
	Fuzz/coverage.sh $(FUZZ_SECONDS)

real-libraries: setup ## let plug-ins carry two versions of libraries that others made, which pip downloads; each must use its own
	@Scripts/real-libraries.sh

edits: tool ## change an API in sixty ways, and compare what happens to compiled plug-ins with “pluginhost diff”; EDITS_EVERY=10
	@Scripts/edits.py $(if $(EDITS_EVERY),--every $(EDITS_EVERY) --one --orders 10)

# In ten processes, because code is never unmapped and the system limits the mappings of one process.
swaps: build ## load bundles while other files replace their executables; SWAPS=10000
	@for run in 0 1 2 3 4 5 6 7 8 9; do \
	    SWAPS=$$(($(SWAPS) / 10)) swift test $(WORKSPACE) --skip-build --filter noEntryIsCalledOfAFileThatWasNotInspected || exit 1; done

SWAPS ?= 10000

starts: setup ## start and end worker processes, and check that nothing of them is left; STARTS=1000
	WORKER_STARTS=$(STARTS) swift test --filter manyStartsLeaveNothingBehind

STARTS ?= 1000

# A seed repeats each thread's operations, but not the timing between threads.
STRESS_SECONDS ?= 600
STRESS = --seconds $(STRESS_SECONDS) $(if $(STRESS_SEED),--seed $(STRESS_SEED))

stress: setup ## 16 threads of random operations; STRESS_SECONDS=600, STRESS_SEED=… for the same operations again
	Scripts/stress.sh $(STRESS)

stress-thread: setup ## the same under the thread sanitiser
	Scripts/stress.sh thread $(STRESS)

stress-address: setup ## the same under the address sanitiser
	Scripts/stress.sh address $(STRESS)

inject: build plugins ## make each system call of the tool and the demo host fail once; INJECT_EVERY=25 for every 25th failure
	@Scripts/setup.sh strace
	$(PRODUCTS)/inject $(if $(INJECT_EVERY),--every $(INJECT_EVERY)) $(CURDIR)/$(PRODUCTS) $(CURDIR)/$(BUNDLES)

lint: ## check the format of all Swift sources, and the links of the pages
	@Scripts/pages.py check
	swift format lint --recursive --strict --parallel $(SOURCES)

format: ## format all Swift sources
	swift format --recursive --in-place --parallel $(SOURCES)

# The templates of “pluginhost new” are left out: they are Swift only after their words are replaced, as in
# Plugins/Template.
SOURCES = Package.swift Sources Packaging/package Plugins Testing Examples/DemoAPI/Package.swift Examples/DemoAPI/Sources \
    Examples/DemoHost Tools/Package.swift Tools/Sources Tools/Tests Tests Benchmarks Fuzz

clean: ## remove everything that was built
	rm -rf .build .build-all .build-tsan .build-essentials .build-stress-thread .build-stress-address build
