#!/bin/sh
# Runs what "make gpu-check" has built on a machine with a GPU; see docs/gpu-verified.md. What it prints ends with the table of numbers.
# It fails where a program does; a number that misses its bar, which the table tells, does not change the exit status.
cd "$(dirname "$0")" || exit 1
status=0
for command in "./weft devices" "./cuda.test -test.v -test.run Real -gpu" "./ops.test -test.run GPU -gpu" "./train.test -test.run GPU -gpu"; do
	echo "=== $command"
	$command || status=1
done
echo "=== WEFT_CUDNN=0 WEFT_CUBLASLT=0 ./ops.test"
WEFT_CUDNN=0 WEFT_CUBLASLT=0 ./ops.test -test.run 'GPU' -gpu || status=1
echo "=== ./bench.test"
./bench.test -test.run '^$' -test.bench . >bench.txt || status=1
cat bench.txt
if command -v python3 >/dev/null; then
	echo "=== peers.py"
	python3 peers.py bench.txt || status=1
fi
exit $status
