#!/bin/sh
# Runs what "make gpu-check" has built on a machine with a GPU; see docs/gpu-verified.md.
cd "$(dirname "$0")" || exit 1
status=0
for command in "./weft devices" "./cuda.test -test.v -test.run Real -gpu" "./ops.test -test.run GPU -gpu" "./bench.test -test.run ^$ -test.bench ."; do
	echo "=== $command"
	$command || status=1
done
exit $status
