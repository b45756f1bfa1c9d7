"""Sorting COUNT elements, their order, or the 100 largest of them: OPERATOR DTYPE COUNT ORDER; ORDER is random, sorted or equal.

NumPy gives no indices of the largest, and its argsort here is the fast one, which is not stable.
"""

CHOSEN = 100


def prepare(library, operator, dtype, count, order):
    x = elements(dtype, int(count), order)
    return {"numpy": numpy_call, "torch": torch_call}[library](operator, x)


def elements(dtype, count, order):
    import numpy

    generator = numpy.random.default_rng(1)
    if order == "equal":
        return numpy.full(count, 7, dtype=dtype)
    if dtype.startswith("float"):
        x = (1000 * generator.standard_normal(count)).astype(dtype)
    else:
        limits = numpy.iinfo(dtype)
        x = generator.integers(limits.min, limits.max, count, dtype=dtype)
    return numpy.sort(x) if order == "sorted" else x


def numpy_call(operator, x):
    import numpy

    out = numpy.empty_like(x)

    def sort():
        out[:] = x
        out.sort()

    def topk():
        numpy.partition(x, len(x) - CHOSEN)[-CHOSEN:].sort()

    return {"sort": sort, "argsort": lambda: numpy.argsort(x), "topk": topk}[operator]


def torch_call(operator, x):
    import torch

    x = torch.from_numpy(x)
    calls = {
        "sort": lambda: torch.sort(x),
        "argsort": lambda: torch.argsort(x, stable=True),
        "topk": lambda: torch.topk(x, CHOSEN),
    }
    return calls[operator]
