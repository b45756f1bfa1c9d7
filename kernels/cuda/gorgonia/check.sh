#!/bin/sh
# Check.sh compiles gorgonia.org/cu and its packages against the headers of headers.sh, and tests the driver on the fake CUDA driver.
# Arguments go to go test.
set -eu
cd "$(dirname "$0")"
headers=$(./headers.sh)
fake=$(mktemp -d)
trap 'rm -rf "$fake"' EXIT
(cd ../../.. && CGO_ENABLED=0 go run ./kernels/cuda/cudatest/fakecuda "$fake")

# on VERSION COMMAND... runs a command with the headers of a version of CUDA, and those of cuBLAS 11.
on() {
	version=$1
	shift
	echo "CUDA ${version#cuda}: $*"
	env CGO_ENABLED=1 CGO_CFLAGS="-O2 -I$PWD/include -I$headers/$version -I$headers/cublas11 -I$headers/cudnn9 -I$headers/cuda11" \
		CGO_LDFLAGS="-L$fake -Wl,--unresolved-symbols=ignore-all -Wl,-z,lazy" LD_LIBRARY_PATH="$fake" "$@"
}

for version in cuda13 cuda11; do
	on $version go build gorgonia.org/cu gorgonia.org/cu/blas gorgonia.org/cu/nvrtc gorgonia.org/cu/dnn ./...
done
on cuda11 go vet ./...
on cuda11 go test "$@" ./...
