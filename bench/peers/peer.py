"""Measures what libraries of Python take: a server for the benchmarks in the folder above.

Each line of the input is a question, MODULE LIBRARY SECONDS ARGUMENT..., for example "unary torch 0.5 exp 1000". The module of that
name beside this file has a function prepare(library, *arguments), which returns the call to measure, or raises Missing where the
library has none. The answer is one line: "ns/op" and the mean of the batches that fit into the seconds, at least five of them, or
"missing" and the reason. PyTorch runs in two threads.
"""

import gc
import importlib
import sys
import time


class Missing(Exception):
    """The library has nothing to measure."""


def main():
    sys.modules["peer"] = sys.modules["__main__"]  # so that modules raise this Missing
    gc.disable()
    for line in sys.stdin:
        module, library, seconds, *arguments = line.split()
        try:
            if library == "torch":
                import torch

                torch.set_num_threads(2)
            call = importlib.import_module(module).prepare(library, *arguments)
            print("ns/op", measure(call, float(seconds)), flush=True)
        except Missing as reason:
            print("missing", reason, flush=True)


def measure(call, seconds):
    """The mean time of a call in nanoseconds: what Go's benchmarks tell, so that a processor that is lost for a while meets both alike."""
    batch, took = 1, duration(call, 1)  # the first call is never counted
    while (took := duration(call, batch)) < 1e6 and batch < 1 << 20:  # a clock's own time is below a thousandth of this
        batch *= 2
    batches, total = 0, 0
    end = time.perf_counter() + seconds
    while time.perf_counter() < end or batches < 5:
        total += duration(call, batch)
        batches += 1
    return total / (batches * batch)


def duration(call, batch):
    start = time.perf_counter_ns()
    for _ in range(batch):
        call()
    return time.perf_counter_ns() - start


if __name__ == "__main__":
    main()
