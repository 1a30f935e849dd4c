# SPDX-License-Identifier: Apache-2.0
# Everything a contributor runs; `make help` lists it. The work is done by Scripts/.

.DEFAULT_GOAL := help
.PHONY: help setup install deb build run test check bench docs mutants hostile fuzz fuzz-xml login-flights soak crashpoints cluster-test web-test features clean
SERVER ?= prosody
PREFIX ?= /usr/local

help: ## this list
	@sed -n 's/^\([a-z-]*\):.*## /\1|/p' Makefile | while IFS='|' read -r name text; do printf '  make %-14s %s\n' "$$name" "$$text"; done

setup: ## install what building and testing need (Debian 12; asks first)
	@Scripts/install all

install: ## the program, web app, manual page, completions, units: PREFIX=/usr/local DESTDIR=
	@PREFIX=$(PREFIX) DESTDIR=$(DESTDIR) Scripts/package install

deb: ## a Debian package of all that: .build/apus_VERSION_ARCH.deb
	@Scripts/package deb

build: ## the program, release build: .build/release/apus
	@Scripts/install build
	swift build -c release --product apus
	swift build -c release --product apus-image

run: ## two people talk over a real server; SERVER=prosody or ejabberd
	@Scripts/demo $(SERVER)

test: ## all tests, with real servers
	@Scripts/test

check: ## format, imports, file sizes, docs, examples
	@Scripts/check

bench: ## measure against other libraries, and the core on many messages (docs/PERFORMANCE.md)
	@Scripts/bench

docs: ## the documentation as a web site: .build/docs
	@Scripts/docs

mutants: ## disable guards one by one, each must be noticed: N=10 SEED=1 IDS=hostile
	@Scripts/mutants $(if $(N),--count $(N)) $(if $(SEED),--seed $(SEED)) $(if $(IDS),--ids $(IDS))

hostile: ## hostile and faulty peers, case by case: pass, fail, or the feature it waits for
	@Scripts/hostile

fuzz: ## what reads foreign bytes, coverage-guided: TARGET=all SECONDS=60 (Scripts/fuzz list)
	@Scripts/fuzz $(or $(TARGET),all) $(if $(SECONDS),SECONDS=$(SECONDS))

fuzz-xml: ## compare the XML parser with expat on N mutations
	@Scripts/fuzz-xml $(if $(N),$(N))

login-flights: ## turns until online for each kind of login, on four servers
	@Scripts/login-flights

soak: ## cuts, kills and restarts, each message once: MINUTES=5 SERVER=prosody SEED=
	@Scripts/soak $(SERVER) $$(( $(or $(MINUTES),5) * 60 )) $(SEED)

crashpoints: ## kill -9, a failing and a full disk at each point of a message's life: POINT=C1
	@Scripts/crashpoints $(POINT)

cluster-test: ## a node of an ejabberd cluster dies while messages flow
	@Scripts/cluster-test

web-test: ## the web app in a real browser; screenshots in build/screenshots
	@Scripts/web-test

features: ## which extension works where, from recorded streams: docs/FEATURES.md
	@Scripts/features

clean: ## remove everything that was built
	rm -rf .build Benchmarks/.build Examples/*/.build
