#!/bin/sh
# Runs what "make gpu-check" has built on a machine with a GPU; see docs/gpu-verified.md. Tests run at the same time, by the first letters of what
# they are of, and write to the folder logs, of which those that failed are printed; benchmarks follow one after the other. What it prints ends with
# the table of numbers. It fails where a program does; a number that misses its bar, which the table tells, does not change the exit status.
cd "$(dirname "$0")" || exit 1
rm -rf logs && mkdir logs

run() { # name command...: in the background
	name=$1
	shift
	{ "$@" >"logs/$name" 2>&1 || mv "logs/$name" "logs/$name.failed"; } &
}

letters="a b c d-f g-k l m-o p-r s t-z"
./weft devices || exit 1
run cuda ./cuda.test -test.v -test.run Real -gpu
run train ./train.test -test.v -test.run GPU -gpu
for of in $letters; do
	run "ops-$of" ./ops.test -test.run "GPU/^[$of]" -gpu
done
wait
export WEFT_CUDNN=0 WEFT_CUBLASLT=0
for of in $letters; do
	run "without-libraries-$of" ./ops.test -test.run "GPU/^[$of]" -gpu
done
wait
unset WEFT_CUDNN WEFT_CUBLASLT

status=0
for log in logs/*; do
	case $log in
	*.failed) status=1 && echo "=== $log" && tail -c 20000 "$log" ;;
	*) echo "$log: $(tail -n 1 "$log")" ;;
	esac
done
echo "=== ./bench.test"
./bench.test -test.run '^$' -test.bench . >bench.txt || status=1
cat bench.txt
if command -v python3 >/dev/null; then
	echo "=== peers.py"
	python3 peers.py bench.txt || status=1
fi
exit $status
