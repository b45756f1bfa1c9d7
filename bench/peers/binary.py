"""Element-wise operators on float32 arrays of ROWS by COLUMNS, into memory that is there already: CASE ROWS COLUMNS."""


def prepare(library, case, rows, columns):
    return {"numpy": numpy_call, "torch": torch_call}[library](case, int(rows), int(columns))


def second_shape(case, rows, columns):
    return {"row": (columns,), "column": (rows, 1)}.get(case, (rows, columns))


def numpy_call(case, rows, columns):
    import numpy

    x = (numpy.arange(rows * columns, dtype=numpy.float32) % 1000 * 0.25 - 100).reshape(rows, columns)
    shape = second_shape(case, rows, columns)
    y = x.ravel()[: shape[0] * (shape[1] if len(shape) > 1 else 1)].reshape(shape).copy()
    result = {"greater": bool, "cast": numpy.float64, "cast16": numpy.float16}.get(case, numpy.float32)
    out = numpy.zeros((rows, columns), result)
    if case in ("cast", "cast16", "stream"):
        return lambda: numpy.copyto(out, x, casting="unsafe")
    compute = {"mul": numpy.multiply, "greater": numpy.greater}.get(case, numpy.add)
    return lambda: compute(x, y, out)


def torch_call(case, rows, columns):
    import torch

    x = (torch.arange(rows * columns, dtype=torch.float32) % 1000 * 0.25 - 100).reshape(rows, columns)
    shape = second_shape(case, rows, columns)
    y = x.ravel()[: shape[0] * (shape[1] if len(shape) > 1 else 1)].reshape(shape).clone()
    result = {"greater": torch.bool, "cast": torch.float64, "cast16": torch.float16}.get(case, torch.float32)
    out = torch.zeros((rows, columns), dtype=result)
    if case in ("cast", "cast16", "stream"):
        return lambda: out.copy_(x)
    compute = {"mul": torch.mul, "greater": torch.gt}.get(case, torch.add)
    return lambda: compute(x, y, out=out)
