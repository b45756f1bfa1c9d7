"""COUNT numbers between 0.1 and 3.1 to the power of one number: DTYPE EXPONENT COUNT."""


def prepare(library, dtype, exponent, count):
    if library == "numpy":
        import numpy

        x = numpy.linspace(0.1, 3.1, int(count), dtype=dtype)
    else:
        import torch

        x = torch.linspace(0.1, 3.1, int(count), dtype=getattr(torch, dtype))
    exponent = float(exponent)
    return lambda: x**exponent
