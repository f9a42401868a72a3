# One Makefile for people and CI. `make test` is all tests; it needs Go, gcc, Java 17 and Maven, and fetches the rest.

GO ?= go
export CGO_ENABLED ?= 1
FUZZTIME ?= 1000000x
SIMSCHEDULES ?= 5000

.PHONY: build test check test-main test-race test-fuzz test-oracle update fuzz sim bench profile clean

build: ## the static program, in bin/
	CGO_ENABLED=0 $(GO) build -trimpath -o bin/ubik ./cmd/ubik

test: check test-main test-race test-fuzz test-oracle ## everything

check: ## formatting, vet, and that the program builds without cgo
	@test -z "$$(gofmt -l cmd internal oracle bench)" || { echo "not gofmt-clean:"; gofmt -l cmd internal oracle bench; exit 1; }
	$(GO) vet ./...
	cd oracle && $(GO) vet ./...
	CGO_ENABLED=0 $(GO) build -trimpath -o bin/ubik ./cmd/ubik

test-main: ## the main module
	$(GO) test -timeout 15m ./...

test-race: ## the packages with goroutines or locks, under the race detector
	$(GO) test -race -timeout 15m ./internal/engine/... ./internal/connector/... ./internal/table ./internal/screen ./internal/host ./internal/demo

test-fuzz: ## some thousand inputs to every fuzz target, beyond its corpus
	$(MAKE) fuzz FUZZTIME=10000x

test-oracle: ## against DuckDB and a real Kafka broker
	cd oracle && $(GO) test -count=1 -timeout 15m ./... # what is tested is read from outside of the module, which the cache does not see

update: ## rewrite the expected results of script tests and generated documents
	$(GO) test ./internal/sql ./internal/plan ./internal/catalog ./internal/codec/json ./internal/codec/csv ./internal/infer ./internal/ubiktest/script -update
	$(GO) test ./cmd/ubik -run TestScripts -update
	cd oracle && $(GO) test ./infer -update
	$(GO) run ./cmd/docgen

fuzz: ## FUZZTIME inputs to every fuzz target; a count, since a run that the clock ends can fail without a finding
	@for t in $$(grep -rlE '^func Fuzz' --include='*_test.go' internal | sort); do \
		pkg=./$$(dirname $$t); \
		for f in $$(grep -hoE '^func Fuzz[A-Za-z0-9_]*' $$t | sed 's/func //'); do \
			echo "$$pkg $$f"; $(GO) test $$pkg -run '^$$' -fuzz "^$$f$$" -fuzztime $(FUZZTIME) || exit 1; \
		done; \
	done

sim: ## SIMSCHEDULES simulated schedules of the worlds, and as many random queries, joins and trees
	$(GO) test ./internal/ubiktest/sim -timeout 0 -count 1 -v -run 'TestEverySchedule|TestRandom|TestARunThatBegins' -args -schedules=$(SIMSCHEDULES) -queries=$(SIMSCHEDULES)

bench: ## the headline query and the band join, beside DuckDB; bench/README.md has the rest
	cd oracle && $(GO) run ./cmd/bench
	cd oracle && $(GO) run ./cmd/bench -join

profile: ## a CPU profile of the headline query, in bin/
	cd oracle && $(GO) run ./cmd/bench -profile ../bin/cpu.pprof

clean:
	rm -rf bin
