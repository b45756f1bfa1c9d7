"""Reductions in a layout of bench/reduce_test.go: OPERATOR LAYOUT, of float32 numbers, or of the type behind the operator."""

LAYOUTS = {
    "all": ((10_000_000,), None),
    "rows": ((1000, 10_000), 1),
    "columns": ((10_000, 1000), 0),
    "small1e3": ((1000,), None),
    "small1e5": ((100_000,), None),
    "rowsof3": ((160_000, 3), 1),
    "rowsof16": ((400_000, 16), 1),
    "rowsof50": ((100_000, 50), 1),
}


def prepare(library, operator, layout):
    operator, _, dtype = operator.partition("_")
    operator = {"count": "count_nonzero"}.get(operator, operator)
    return {"numpy": numpy_call, "torch": torch_call}[library](operator, dtype or "float32", *LAYOUTS[layout])


def numbers(dtype, shape):
    import numpy

    count = int(numpy.prod(shape))
    return ((numpy.arange(count, dtype=numpy.int64) * 7919 % 10007) / 10007).astype(dtype).reshape(shape)


def numpy_call(operator, dtype, shape, axis):
    import numpy

    x = numbers(dtype, shape)
    compute = getattr(numpy, operator)
    return lambda: compute(x, axis=axis)


def torch_call(operator, dtype, shape, axis):
    import torch

    x = torch.from_numpy(numbers(dtype, shape))
    if operator == "var":
        return lambda: torch.var(x, dim=axis, correction=0)
    if operator == "max" and axis is not None:
        return lambda: torch.amax(x, dim=axis)
    compute = getattr(torch, operator)
    if axis is None:
        return lambda: compute(x)
    return lambda: compute(x, dim=axis)
