"""Element-wise functions of COUNT numbers between 0.1 and 3.1, into memory that is there already: FUNCTION COUNT [DTYPE]."""

from peer import Missing


def prepare(library, function, count, dtype="float32"):
    return {"numpy": numpy_call, "torch": torch_call}[library](function, int(count), dtype)


def numpy_call(function, count, dtype):
    import numpy

    compute = getattr(numpy, function, None)
    if compute is None:
        raise Missing(f"NumPy has no {function}")
    numpy.seterr(invalid="ignore")
    x = numpy.linspace(0.1, 3.1, count, dtype=dtype)
    out = numpy.empty_like(x)
    return lambda: compute(x, out)


def torch_call(function, count, dtype):
    import torch

    x = torch.linspace(0.1, 3.1, count, dtype=getattr(torch, dtype))
    out = torch.empty_like(x)
    compute = getattr(torch, function, None) or getattr(torch._C._nn, function, None)  # where activations have an out
    if compute is None:
        raise Missing(f"PyTorch has no {function}")
    return lambda: compute(x, out=out)
