# What a person types. `make` alone lists it.
SHELL := /bin/bash -eu -o pipefail
.DEFAULT_GOAL := help

GO       ?= go
VERSION  ?= $(shell git describe --tags --always --dirty 2>/dev/null || echo dev)
LDFLAGS  := -s -w -X ipxe-all-ready/internal/version.release=$(VERSION)
# Every build tag of the tests, so that vet and staticcheck read all files.
TAGS     := integration,e2e,liovm_guest,bench,containers,guide
# A count and not a time: at the end of a time a loaded machine may fail a
# target that found nothing.
FUZZTIME ?= 10000x
# Of those that open and flush files, some thousand a second.
FUZZFILES     := FuzzAnyFilesServeAndAreNotLost FuzzATrailOfAnyBytesIsKeptAndGoesOn FuzzOpenToleratesAnyFile
FUZZFILESTIME ?= 1000x

# Where make install puts what. systemd looks below /usr/local too.
PREFIX     ?= /usr/local
DESTDIR    ?=
SYSCONFDIR ?= /etc

.PHONY: help setup build web web-check test unit race integration torture guard e2e guide-test containers-test lint fuzz bench fleet audit sbom fmt drawing demo demo-down demo-bare install uninstall deb clean

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## /{printf "  make %-15s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

setup: ## install what tests and demo need and this machine lacks (root, Debian)
	internal/lab/prerequisites.sh all

build: ## build the programs into bin/
	CGO_ENABLED=0 $(GO) build -trimpath -ldflags '$(LDFLAGS)' -o bin/ ./cmd/...

web: web/dist/index.html ## build the browser console into web/dist/

# Half a minute, so only after a change. What a build left that was broken off is
# no console.
.DELETE_ON_ERROR:
web/dist/index.html: web/node_modules/.package-lock.json $(shell find web -name node_modules -prune -o -path web/dist -prune -o -type f -print)
	cd web && npm run --silent build

web-check: web ## the browser console's types, unit tests and size
	cd web && npm run --silent size && npm run --silent typecheck && npm test --silent

# npm writes this file last.
web/node_modules/.package-lock.json: web/package-lock.json
	cd web && npm ci --no-fund --no-audit
	@touch $@

test: setup lint integration guard web-check fuzz e2e ## everything, the quick tests among it: what CI runs

unit: ## the quick tests, no root and no other program
	$(GO) test ./...

race: ## the quick tests under the race detector
	$(GO) test -race ./...

integration: web ## the quick tests, and those on real tgtd, LIO, dnsmasq, nginx and file systems; race detector on (root)
	$(GO) test -race -count=1 -tags integration -timeout 15m $$($(GO) list -tags integration ./... | grep -v internal/e2e)

# 1000 rounds and more try every step of every write; less takes samples.
ROUNDS ?= 2000
torture: ## every step of every write stopped and failed, kills and power cuts: ROUNDS (2000) of each, the figures stand in docs/reliability.md (root)
	IPXE_TORTURE_ROUNDS=$(ROUNDS) $(GO) test -count=1 -v -tags integration -timeout 4h ./internal/torture | grep -v -e '^=== ' -e '^ *--- PASS'

guard: ## the bounds of docs/benchmarks.md that a noisy machine can hold, widened
	$(GO) test -count=1 -tags bench -timeout 10m ./internal/lab/bench

e2e: build web ## boot real machines end to end, QEMU and iPXE; work in a real browser (root)
	$(GO) test -count=1 -v -tags e2e -timeout 20m ./internal/e2e

guide-test: setup build web ## type the guide word for word into machines with a real systemd: some ten minutes (root)
	$(GO) test -count=1 -v -tags guide -timeout 40m ./docs

containers-test: setup ## build the images and run a site of them in a Docker engine of its own: some ten minutes (root; docker.io)
	$(GO) test -count=1 -v -tags containers -timeout 40m ./deploy/compose

lint: web/node_modules/.package-lock.json ## gofmt, go vet, staticcheck, shellcheck, eslint; generated types are fresh
	@test -z "$$(gofmt -l cmd internal tui deploy docs)" || { gofmt -d cmd internal tui deploy docs; exit 1; }
	$(GO) vet -tags $(TAGS) ./...
	$(GO) tool staticcheck -tags $(TAGS) ./...
	shellcheck $$(git ls-files '*.sh' 'deploy/deb/*/p*') .ci/run
	@! grep -n '://[^"]*\.tgz' web/package-lock.json || { echo 'web/package-lock.json names a download host'; exit 1; }
	cd web && npm run --silent lint

fuzz: ## every fuzz target FUZZTIME (10000x), those on files FUZZFILESTIME (1000x)
	@mkdir -p .cache/fuzz
	@for p in $$(grep -rl '^func Fuzz' --include=*_test.go cmd internal tui | xargs -n1 dirname | sort -u); do \
	  $(GO) test -c -fuzz . -o .cache/fuzz/test ./$$p; \
	  for f in $$(grep -ho '^func Fuzz[A-Za-z0-9]*' $$p/*_test.go | sed 's/func //'); do \
	    n=$(FUZZTIME); [[ " $(FUZZFILES) " != *" $$f "* ]] || n=$(FUZZFILESTIME); \
	    echo "$$p $$f $$n"; (cd $$p && $(CURDIR)/.cache/fuzz/test -test.run '^$$' -test.fuzz "^$$f$$" -test.fuzztime $$n -test.fuzzcachedir $(CURDIR)/.cache/fuzz/corpus) > .cache/fuzz.log 2>&1 || { cat .cache/fuzz.log; exit 1; }; done; done

bench: setup build ## measure every bound of docs/benchmarks.md and write that page (root, a quarter of an hour); BENCH="-only boot" and the like for some
	$(GO) build -o bin/ ./internal/lab/bench
	bin/bench $(BENCH)

fleet: build ## 10,000 machines powered on within a minute; FLEET="-known 10000 -hold 10m -flap 20s -edit" and the like vary it
	$(GO) run ./internal/lab/fleet/sim $(FLEET)

audit: ## what we build on, held against the databases of known faults (AUDIT_STRICT=1: they must answer)
	tools/audit.sh

sbom: build ## what each program and the browser console are made of, into bin/sbom/ (CycloneDX)
	tools/sbom.sh $(VERSION)

drawing: ## docs/architecture.svg from architecture.dot (graphviz)
	tools/drawing.sh

fmt: ## format the code
	gofmt -w cmd internal tui deploy docs

demo: ## a running site with both consoles and a virtual machine that has booted from iSCSI (root)
	internal/lab/prerequisites.sh demo
	@$(MAKE) --no-print-directory -j 2 web build
	$(GO) run ./internal/lab/demo up

demo-down: ## end the demo and remove every trace of it
	$(GO) run ./internal/lab/demo down

# The first run of a suite makes its root with debootstrap, for some minutes.
SUITES ?= bookworm trixie
demo-bare: ## make demo where nothing was prepared: Debian 12 and 13 roots with git, make, Go and Node; SUITES=trixie for one (root, debootstrap)
	@for s in $(SUITES); do echo "bare: $$s"; $(GO) run ./internal/lab/bare $$s; done

install: ## what make build and the console's build made, units, settings, boot files, docs; DESTDIR, PREFIX=/usr/local
	@test -x bin/ipxe-cp || { echo "make install: there is no bin/ipxe-cp; make build first" >&2; exit 1; }
	deploy/install.sh install '$(DESTDIR)' '$(PREFIX)' '$(SYSCONFDIR)'

uninstall: ## remove what make install put there; edited settings, ledgers and images stay
	deploy/install.sh uninstall '$(DESTDIR)' '$(PREFIX)' '$(SYSCONFDIR)'

deb: build web ## Debian packages into dist/
	deploy/deb/build.sh '$(VERSION)'

clean: ## remove what was built
	rm -rf bin dist web/dist
