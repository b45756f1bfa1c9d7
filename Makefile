# Every recipe is plain POSIX sh. ARGS adds arguments: make mnist ARGS="-epochs 3", make test ARGS=-short.

export CGO_ENABLED ?= 0

ARGS    ?=
TIMEOUT ?= 12m

# The packages whose concurrency is their purpose or their burden, and the root package, which tests them together.
RACE = . ./parallel/... ./profile/... ./kernels/cuda/... ./kernels/sim ./engine/... ./storage/... ./resource/... ./ops/... ./ndarray/... \
       ./autograd/... ./linalg ./fft ./nn/... ./optim/... ./data/... ./kvstore/... ./train/...

# The tests of ./kernels/cpu in which threads share work: the others run in one, slowly, and the detector sees no assembly.
SHARED_WORK = Worker|Thread|SameTime|Share|Divided|Ahead|Alone|Signals|MemoryTheyAskFor

# The packages whose results are to have the same bits on every processor.
COMPUTES = ./kernels/cpu/... ./random/... ./ops ./ndarray ./nn ./optim

# Builds a program of the tools module, unless it is in the build cache, and gives its path.
tool = "$$(go -C tools tool -n $(1))"

.PHONY: help
help: ## list the targets
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## / { printf "make %-11s %s\n", $$1, $$2 }' Makefile

.PHONY: build
build: ## build every package
	go build ./...

.PHONY: mnist
mnist: ## train the digit classifier of examples/mnist
	go run ./examples/mnist $(ARGS)

.PHONY: test
test: ## run all tests
	go -C tools test ./...
	go test -timeout $(TIMEOUT) $(ARGS) ./...

.PHONY: race
race: ## run the tests of the core packages under the race detector (needs a C compiler)
	CGO_ENABLED=1 go test -race -timeout $(TIMEOUT) $(ARGS) $(RACE)
	CGO_ENABLED=1 go test -race -timeout $(TIMEOUT) -run '$(SHARED_WORK)' $(ARGS) ./kernels/cpu/...

.PHONY: long
long: ## run the long form of the engines' suite, minutes of it: the flag -long of the engine's tests, no variable (needs a C compiler)
	CGO_ENABLED=1 go test -race -timeout 30m -run '^TestLong$$/.*/^(Random|Crossed)' $(ARGS) ./engine -args -long
	go test -timeout 30m -run '^TestLong$$/.*/^(Flat|Closing)' $(ARGS) ./engine -args -long

.PHONY: arm64
arm64: ## run the tests of what the processor matters to as an arm64 build, under qemu-user (Debian packages qemu-user-static, g++-aarch64-linux-gnu)
	GOARCH=arm64 QEMU_LD_PREFIX=/usr/aarch64-linux-gnu go test -short -exec qemu-aarch64-static -timeout $(TIMEOUT) $(ARGS) ./parallel/... ./kernels/... ./engine ./storage/... ./ops ./dtype ./fault ./random/...

.PHONY: lint
lint: ## check formatting, vet, staticcheck, layers, file sizes, products that processors may fuse, and that generated files are current
	@unformatted=$$(gofmt -l .) && test -z "$$unformatted" || { echo "gofmt: $$unformatted"; exit 1; }
	go vet ./...
	go -C tools vet ./...
	go -C kernels/cpu/internal/gen vet ./...
	go -C bench/peers/gorgonia vet ./...
	$(call tool,staticcheck) ./...
	go -C tools tool staticcheck ./...
	$(call tool,layers)
	$(call tool,sizes)
	$(call tool,fused) $(COMPUTES)
	go run ./cmd/generate -check
	go -C kernels/cpu/internal/gen run . -check
	go run ./kernels/cuda/internal/gen -check

.PHONY: generate
generate: ## write the files that are generated from the operator registry, and the assembly
	go run ./cmd/generate
	go -C kernels/cpu/internal/gen run .

.PHONY: ptx
ptx: ## compile the kernels for GPUs (needs clang-14; ptxas assembles them where it is)
	go run ./kernels/cuda/internal/gen

.PHONY: gorgonia
gorgonia: ## build kernels/cuda/gorgonia and test it on the fake driver (needs a C compiler and Python's pip, which gets CUDA's headers)
	kernels/cuda/gorgonia/check.sh $(ARGS)

.PHONY: gpu-check
gpu-check: ## build out/gpu-check, programs for a machine with a GPU, where run.sh runs them: see docs/gpu-verified.md
	rm -rf out/gpu-check && mkdir -p out/gpu-check
	go build -o out/gpu-check/weft ./cmd/weft
	go test -c -o out/gpu-check/cuda.test ./kernels/cuda
	go test -c -o out/gpu-check/ops.test ./ops
	go test -c -o out/gpu-check/train.test ./train
	go test -c -o out/gpu-check/bench.test ./bench/gpu
	cp bench/gpu/peers.py out/gpu-check
	cp kernels/cuda/check.sh out/gpu-check/run.sh

.PHONY: bench
bench: ## run the benchmarks
	go test -run '^$$' -bench . $(ARGS) ./bench/...

.PHONY: peers
peers: ## install NumPy, PyTorch and Numba, which some benchmarks are beside, into bench/peers/.venv, and get gorgonia (needs Python and a network)
	python3 -m venv bench/peers/.venv
	bench/peers/.venv/bin/pip install --quiet --requirement bench/peers/requirements.txt
	go -C bench/peers/gorgonia mod download

.PHONY: bench-peers
bench-peers: ## measure beside peers and print a table of ratios, after make peers: make bench-peers ARGS="-rounds 3 Unary/exp"
	$(call tool,peers) $(ARGS)

.PHONY: bench-scaling
bench-scaling: ## measure what more threads gain, up to all processors
	go test -run '^$$' -bench Scaling $(ARGS) ./bench

build_for = CGO_ENABLED=0 GOOS=$(1) GOARCH=$(2) go build

.PHONY: cross
cross: ## build for every supported platform, and without assembly; vet, tests too, for another processor
	$(call build_for,linux,amd64) ./...
	$(call build_for,linux,arm64) ./...
	$(call build_for,darwin,amd64) ./...
	$(call build_for,darwin,arm64) ./...
	$(call build_for,windows,amd64) ./...
	$(call build_for,windows,arm64) ./...
	$(call build_for,linux,amd64) -tags noasm ./...
	GOARCH=arm64 go vet ./...
