"""The product KIND of integers DTYPE: dot of a million, matvec and vecmat of a square matrix of a thousand rows."""


def prepare(library, kind, dtype):
    import numpy

    def integers(*shape):
        return (numpy.arange(numpy.prod(shape)) % 100).astype(dtype).reshape(shape)

    x, y = {
        "dot": lambda: (integers(1_000_000), integers(1_000_000)),
        "matvec": lambda: (integers(1000, 1000), integers(1000)),
        "vecmat": lambda: (integers(1000), integers(1000, 1000)),
    }[kind]()
    if library == "torch":
        import torch

        x, y = torch.from_numpy(x), torch.from_numpy(y)
    return lambda: x @ y
