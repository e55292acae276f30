# Polytomy's front door: a few short words. The build itself is CMake's (CMakePresets.json);
# `make help` lists the words.
#
#   PREFIX=/usr/local DESTDIR=    where `make install` puts things
#   JOBS=2                        compilers and tests at a time
#   ONLY=predict                  `make bench`: only the scenarios whose name contains this

PREFIX  ?= /usr/local
DESTDIR ?=
JOBS    ?= $(shell nproc 2>/dev/null || echo 2)
ONLY    ?=

.PHONY: all demo check test check-slow bench install clean help

all: ## build build/polytomy and the library beside it
	@scripts/build.sh release $(JOBS)

demo: ## install what is missing, build, and show the tool at work on the data in data/
	@scripts/install_packages.sh demo
	@scripts/build.sh release $(JOBS)
	@scripts/demo.sh build/polytomy

test: ## release build and all its tests, every case (6 minutes)
	@scripts/install_packages.sh demo check
	@scripts/build.sh release $(JOBS)
	@ctest --preset release -j $(JOBS)

check: ## everything that must hold before a change goes in (17 minutes; of heavy tests a share)
	@scripts/install_packages.sh demo check
	@JOBS=$(JOBS) scripts/check.sh

check-slow: ## real data sets, torture, every case also under sanitizers (hours; POLYTOMY_DATA names the data)
	@scripts/install_packages.sh demo check
	@scripts/build.sh release $(JOBS)
	@ctest --test-dir build --output-on-failure -L slow
	@JOBS=$(JOBS) scripts/check.sh release-whole asan-whole tsan-whole tidy-whole

bench: ## ours and the peers, alternately, as ratios (ONLY=name selects)
	@scripts/install_packages.sh demo bench
	@scripts/build.sh release $(JOBS)
	@scripts/bench.sh $(ONLY)

install: all ## install into PREFIX (below DESTDIR)
	@DESTDIR=$(DESTDIR) cmake --install build --prefix $(PREFIX)

clean: ## remove everything that was built
	@rm -rf build build-gcc build-clang build-debug build-asan build-fuzz build-tsan build-coverage build-walk

help: ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-11s %s\n", $$1, $$2}' $(MAKEFILE_LIST)
