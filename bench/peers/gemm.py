"""Matrix products into memory that is there already: DTYPE BATCH M N K TURNED, of which TURNED is a, b or none.

The libraries whose names begin with openblas are NumPy's, in a process whose environment chooses the kernels of OpenBLAS.
"""

from peer import Missing


def prepare(library, dtype, batch, m, n, k, turned):
    shape = int(batch), int(m), int(n), int(k)
    return torch_call(dtype, *shape, turned) if library == "torch" else numpy_call(dtype, *shape, turned)


def numpy_call(dtype, batch, m, n, k, turned):
    import numpy

    if not dtype.startswith("float") or dtype == "float16":
        raise Missing("OpenBLAS has float32 and float64")

    def matrix(rows, columns, turns):
        if turns:
            return matrix(columns, rows, False).swapaxes(-1, -2)
        values = (numpy.arange(batch * rows * columns) % 17 / 16 - 0.5).astype(dtype)
        return values.reshape((batch, rows, columns) if batch > 1 else (rows, columns))

    a, b, c = matrix(m, k, turned == "a"), matrix(k, n, turned == "b"), matrix(m, n, False)
    return lambda: numpy.matmul(a, b, out=c)


def torch_call(dtype, batch, m, n, k, turned):
    import torch

    def matrix(rows, columns, turns, result=dtype):
        if turns:
            return matrix(columns, rows, False).transpose(-1, -2)
        values = (torch.arange(batch * rows * columns) % 17).to(torch.float32) / 16 - 0.5
        if not dtype.startswith(("float", "bfloat")):
            values *= 100
        return values.to(getattr(torch, result)).reshape((batch, rows, columns) if batch > 1 else (rows, columns))

    a, b = matrix(m, k, turned == "a"), matrix(k, n, turned == "b")
    if dtype == "int8":
        c = matrix(m, n, False, "int32")
        return lambda: torch._int_mm(a, b, out=c)
    c = matrix(m, n, False)
    return lambda: torch.matmul(a, b, out=c)
