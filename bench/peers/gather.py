"""Rows of a table read and added, as BenchmarkGather says, into memory that is there already: CASE.

PyTorch's gradient of an embedding is the quicker of its own function, which makes its result, and of clearing one and adding rows to it;
its embedding the quicker of its own function and of index_select.
"""

import time

from peer import Missing

ROWS, COLUMNS, COUNT = 50_000, 256, 8192


def prepare(library, case):
    calls = {"numpy": numpy_calls, "torch": torch_calls}[library]()
    if case not in calls:
        raise Missing(f"{library} has no {case}, or a slow one")
    return quickest(calls[case])


def quickest(calls):
    def took(call):
        times = []
        for _ in range(5):
            start = time.perf_counter()
            call()
            times.append(time.perf_counter() - start)
        return min(times)

    return calls[0] if len(calls) == 1 else min(calls, key=took)


def indices():
    state, result = 1, []
    for _ in range(COUNT):
        state = (state * 1664525 + 1013904223) % 2**32
        result.append((state >> 8) % ROWS)
    return result


def numpy_calls():
    import numpy

    table = numpy.ones((ROWS, COLUMNS), dtype=numpy.float32)
    out = numpy.ones((COUNT, COLUMNS), dtype=numpy.float32)
    index = numpy.array(indices())
    return {"take": [lambda: numpy.take(table, index, axis=0, out=out, mode="clip")]}


def torch_calls():
    import torch

    table, gradient = torch.ones(ROWS, COLUMNS), torch.ones(ROWS, COLUMNS)
    rows, out = torch.ones(COUNT, COLUMNS), torch.ones(COUNT, COLUMNS)
    index = torch.tensor(indices())
    each = index[:, None].expand(COUNT, COLUMNS).contiguous()
    batch = index.to(torch.int32).reshape(64, -1)
    return {
        "take": [lambda: torch.index_select(table, 0, index, out=out)],
        "embedding": [
            lambda: torch.nn.functional.embedding(batch, table),
            lambda: torch.index_select(table, 0, batch.reshape(-1), out=out),
        ],
        "embedding_gradient": [
            lambda: torch.ops.aten.embedding_dense_backward(rows, index, ROWS, -1, False),
            lambda: gradient.zero_().index_add_(0, index, rows),
        ],
        "scatter_add": [lambda: table.scatter_add_(0, each, rows)],
        "index_add": [lambda: table.index_add_(0, index, rows)],
    }
