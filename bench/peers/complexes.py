"""Operators on COUNT complex numbers, or on square matrices of so many rows, into memory that is there already: OPERATOR DTYPE COUNT."""


def prepare(library, operator, dtype, count):
    import numpy

    count = int(count)
    shape = (count, count) if operator == "matmul" else (count,)
    x, y = numbers(dtype, shape, 1), numbers(dtype, shape, 3)
    return {"numpy": numpy_call, "torch": torch_call}[library](operator, x, y)


def numbers(dtype, shape, seed):
    """Those of bench/complex_test.go."""
    import numpy

    index = numpy.arange(int(numpy.prod(shape)), dtype=numpy.int64) + seed
    re, im = (1.445 * (index * factor % 10007 / 5003 - 1) for factor in (7919, 5077))
    z = re + 1j * im
    z[z == 0] = 1
    return z.astype(dtype).reshape(shape)


BINARY = ("add", "mul", "div", "matmul")
REAL = ("abs", "angle")


def numpy_call(operator, x, y):
    import numpy

    numpy.seterr(all="ignore")
    if operator == "angle":  # which has no out
        return lambda: numpy.angle(x)
    compute = getattr(numpy, {"mul": "multiply", "div": "divide"}.get(operator, operator))
    if operator in ("sum", "prod"):
        return lambda: compute(x)
    out = numpy.zeros(x.shape, x.real.dtype if operator in REAL else x.dtype)
    if operator in BINARY:
        return lambda: compute(x, y, out)
    return lambda: compute(x, out)


def torch_call(operator, x, y):
    import torch

    x, y = torch.from_numpy(x), torch.from_numpy(y)
    compute = getattr(torch, {"conj": "conj_physical", "sign": "sgn"}.get(operator, operator))
    if operator in ("sum", "prod"):
        return lambda: compute(x)
    out = torch.zeros(x.shape, dtype=x.real.dtype if operator in REAL else x.dtype)
    if operator in BINARY:
        return lambda: compute(x, y, out=out)
    return lambda: compute(x, out=out)
