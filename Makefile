# The commands of the house; `make` lists them. The work is done in scripts/ and CMakePresets.json.
PREFIX ?= /usr/local
FUZZ_SECONDS ?= 25
export FUZZ_SECONDS
.DEFAULT_GOAL := help
.PHONY: help deps demo gallery build test test-full asan fuzz bench docs format lint sbom install wheel clean

help:  ## this list
	@awk -F ':.*##' '/^[a-z-]+:.*##/ {printf "  make %-11s%s\n", $$1, $$2}' $(MAKEFILE_LIST)

deps:  ## install what is missing (Debian 12): scripts/install-deps
	@scripts/install-deps

demo:  ## install what is missing, build, run the first examples
	@[ "$(SKIP_DEPS)" = 1 ] || scripts/install-deps core sundials
	@scripts/build release mortise_program
	@scripts/demo

gallery:  ## every example as a page of pictures and motions: build/gallery/index.html (PICTURES=0, FILMS=1)
	@scripts/build release mortise_program
	@scripts/gallery

build:  ## library, program, tests and benchmarks in build/release
	@scripts/build release

test:  ## install, build, quick tests, fuzzing; minutes of each part (BUDGET=off, SKIP_DEPS=1)
	@scripts/test

test-full:  ## the same with the tests labelled full and study
	@scripts/test --full

asan:  ## quick tests under the address and undefined-behaviour sanitizers
	@scripts/build asan
	@ctest --preset asan --output-on-failure

fuzz:  ## every fuzz target for FUZZ_SECONDS (25)
	@scripts/fuzz $(FUZZ_SECONDS)

bench:  ## benchmarks beside other engines, one report: build/release/bench/report.md (QUICK=1, SKIP_DEPS=1)
	@scripts/bench

docs:  ## the API reference in build/docs/html (needs Doxygen: scripts/install-deps docs)
	@scripts/docs

format:  ## clang-format all C++ files
	@scripts/format

lint:  ## clang-tidy on files that differ from main (ALL=1: on all)
	@scripts/lint $(if $(ALL),--all)

sbom: build  ## what Mortise is made of, with versions, licences and hashes: build/mortise.cdx.json (CycloneDX)
	@scripts/sbom

install: build  ## install to PREFIX (/usr/local)
	@cmake --install build/release --prefix "$(PREFIX)"

wheel: build  ## a wheel of the Python package in build/release/wheel, without the network
	@scripts/wheel

clean:  ## remove build/ and demo/
	@rm -rf build demo
