"""Calls on float32 matrices of 32 rows and columns, as BenchmarkSmallOp says: CASE."""

from peer import Missing

SIDE = 32


def prepare(library, case):
    calls = {"numpy": numpy_calls, "torch": torch_calls}[library]()
    if case not in calls:
        raise Missing(f"{library} has no {case} in one call")
    return calls[case]


def numpy_calls():
    import numpy as np

    random = np.random.default_rng(1)
    x, y = random.random((2, SIDE, SIDE), dtype=np.float32)
    row = np.sort(random.random(SIDE, dtype=np.float32))
    column = random.random((SIDE, 1), dtype=np.float32)
    keys, both = column.reshape(SIDE), x + 1j * x
    mask, indices, along = x > 0.5, random.integers(0, SIDE, SIDE), random.integers(0, SIDE, (SIDE, SIDE))

    def set_slice():
        y[3] = row

    return {
        "add": lambda: np.add(x, y),
        "add_scalar": lambda: x + 2,
        "add_row": lambda: x + row,
        "add_column": lambda: x + column,
        "add_transposed": lambda: x + y.T,
        "add_complex": lambda: both + both,
        "exp": lambda: np.exp(x),
        "pow": lambda: np.power(x, y),
        "less": lambda: np.less(x, y),
        "where": lambda: np.where(mask, x, y),
        "clip": lambda: np.clip(x, 0.2, 0.8),
        "cast": lambda: x.astype(np.float64),
        "copy": lambda: x.copy(),
        "copy_transposed": lambda: x.T.copy(),
        "zeros": lambda: np.zeros((SIDE, SIDE), dtype=np.float32),
        "full": lambda: np.full((SIDE, SIDE), 3, dtype=np.float32),
        "sum": lambda: np.sum(x),
        "sum_rows": lambda: np.sum(x, axis=1),
        "sum_columns": lambda: np.sum(x, axis=0),
        "mean": lambda: np.mean(x),
        "max": lambda: np.max(x),
        "max_rows": lambda: np.max(x, axis=1),
        "argmax_rows": lambda: np.argmax(x, axis=1),
        "var_rows": lambda: np.var(x, axis=1),
        "std": lambda: np.std(x),
        "norm": lambda: np.linalg.norm(x),
        "any": lambda: np.any(mask),
        "count_nonzero": lambda: np.count_nonzero(mask),
        "cumsum": lambda: np.cumsum(x, axis=1),
        "diff": lambda: np.diff(x, axis=1),
        "matmul": lambda: x @ y,
        "matmul_transposed": lambda: x @ y.T,
        "matvec": lambda: x @ row,
        "dot": lambda: row @ row,
        "einsum": lambda: np.einsum("ij,kj->ik", x, y),
        "concat": lambda: np.concatenate((x, y), axis=1),
        "stack": lambda: np.stack((x, y)),
        "pad": lambda: np.pad(x, 1),
        "tile": lambda: np.tile(x, (2, 1)),
        "repeat": lambda: np.repeat(x, 2, axis=0),
        "roll": lambda: np.roll(x, 3, axis=1),
        "flip_copy": lambda: np.flip(x, 1).copy(),
        "tril": lambda: np.tril(x),
        "take": lambda: np.take(x, indices, axis=0),
        "take_along_axis": lambda: np.take_along_axis(x, along, axis=1),
        "slice": lambda: x[1:9, ::2],
        "set_slice": set_slice,
        "sort": lambda: np.sort(x, axis=1),
        "argsort": lambda: np.argsort(x, axis=1),
        "searchsorted": lambda: np.searchsorted(row, keys),
        "median": lambda: np.median(x, axis=1),
    }


def torch_calls():
    import torch

    functional = torch.nn.functional
    x, y = torch.rand(SIDE, SIDE), torch.rand(SIDE, SIDE)
    row, column = torch.rand(SIDE).sort().values, torch.rand(SIDE, 1)
    keys, both = column.reshape(SIDE), torch.complex(x, x)
    mask, indices, along = x > 0.5, torch.randint(SIDE, (SIDE,)), torch.randint(SIDE, (SIDE, SIDE))
    image, kernel = torch.rand(1, 4, 16, 16), torch.rand(4, 4, 3, 3)

    def set_slice():
        y[3] = row

    return {
        "add": lambda: torch.add(x, y),
        "add_scalar": lambda: x + 2,
        "add_row": lambda: x + row,
        "add_column": lambda: x + column,
        "add_transposed": lambda: x + y.T,
        "add_complex": lambda: both + both,
        "exp": lambda: torch.exp(x),
        "pow": lambda: torch.pow(x, y),
        "less": lambda: torch.less(x, y),
        "where": lambda: torch.where(mask, x, y),
        "clip": lambda: torch.clip(x, 0.2, 0.8),
        "cast": lambda: x.to(torch.float64),
        "copy": lambda: x.clone(),
        "copy_transposed": lambda: x.T.contiguous(),
        "zeros": lambda: torch.zeros(SIDE, SIDE),
        "full": lambda: torch.full((SIDE, SIDE), 3.0),
        "sum": lambda: torch.sum(x),
        "sum_rows": lambda: torch.sum(x, 1),
        "sum_columns": lambda: torch.sum(x, 0),
        "mean": lambda: torch.mean(x),
        "max": lambda: torch.max(x),
        "max_rows": lambda: torch.amax(x, 1),
        "argmax_rows": lambda: torch.argmax(x, 1),
        "var_rows": lambda: torch.var(x, 1, correction=0),
        "std": lambda: torch.std(x, correction=0),
        "norm": lambda: torch.linalg.vector_norm(x),
        "any": lambda: torch.any(mask),
        "count_nonzero": lambda: torch.count_nonzero(mask),
        "logsumexp_rows": lambda: torch.logsumexp(x, 1),
        "cumsum": lambda: torch.cumsum(x, 1),
        "diff": lambda: torch.diff(x, dim=1),
        "matmul": lambda: x @ y,
        "matmul_transposed": lambda: x @ y.T,
        "matvec": lambda: x @ row,
        "dot": lambda: row @ row,
        "einsum": lambda: torch.einsum("ij,kj->ik", x, y),
        "softmax": lambda: torch.softmax(x, 1),
        "log_softmax": lambda: torch.log_softmax(x, 1),
        "layer_norm": lambda: functional.layer_norm(x, (SIDE,), row, row),
        "linear": lambda: torch.relu(functional.linear(x, y, row)),
        "conv": lambda: functional.conv2d(image, kernel, padding=1),
        "max_pool": lambda: functional.max_pool2d(image, 2),
        "concat": lambda: torch.cat((x, y), 1),
        "stack": lambda: torch.stack((x, y)),
        "pad": lambda: functional.pad(x, (1, 1, 1, 1)),
        "tile": lambda: torch.tile(x, (2, 1)),
        "repeat": lambda: torch.repeat_interleave(x, 2, 0),
        "roll": lambda: torch.roll(x, 3, 1),
        "flip_copy": lambda: torch.flip(x, (1,)),
        "tril": lambda: torch.tril(x),
        "take": lambda: torch.index_select(x, 0, indices),
        "take_along_axis": lambda: torch.take_along_dim(x, along, 1),
        "one_hot": lambda: functional.one_hot(indices, SIDE),
        "slice": lambda: x[1:9, ::2],
        "set_slice": set_slice,
        "scatter_add": lambda: x.index_add(0, indices, y),
        "sort": lambda: torch.sort(x, 1),
        "argsort": lambda: torch.argsort(x, 1),
        "topk": lambda: torch.topk(x, 5, 1),
        "searchsorted": lambda: torch.searchsorted(row, keys),
        "median": lambda: torch.median(x, 1),
    }
