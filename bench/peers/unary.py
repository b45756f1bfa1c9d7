"""Element-wise functions of COUNT float32 numbers between 0.1 and 3.1, into memory that is there already: FUNCTION COUNT."""

from peer import Missing


def prepare(library, function, count):
    return {"numpy": numpy_call, "torch": torch_call}[library](function, int(count))


def numpy_call(function, count):
    import numpy

    compute = getattr(numpy, function, None)
    if compute is None:
        raise Missing(f"NumPy has no {function}")
    numpy.seterr(invalid="ignore")
    x = numpy.linspace(0.1, 3.1, count, dtype=numpy.float32)
    out = numpy.empty_like(x)
    return lambda: compute(x, out)


def torch_call(function, count):
    import torch

    x = torch.linspace(0.1, 3.1, count)
    out = torch.empty_like(x)
    compute = getattr(torch, function, None)
    if compute is None:
        raise Missing(f"PyTorch has no {function}")
    return lambda: compute(x, out=out)
