"""Discrete Fourier transforms of one line, of all lines of an array of rows, or of an image over both axes: TRANSFORM DTYPE SIZE.

TRANSFORM is fft, ifft, rfft, fft2, ifft2 or rfft2; DTYPE is complex64 or complex128, and those of real numbers have numbers of its parts; SIZE is such as 1024, or
1000x256.
"""


def prepare(library, transform, dtype, size):
    import numpy

    shape = tuple(map(int, size.split("x")))
    generator = numpy.random.default_rng(1)
    x = generator.standard_normal(shape)
    if transform.startswith("r"):
        x = x.astype({"complex64": "float32", "complex128": "float64"}[dtype])
    else:
        x = (x + 1j * generator.standard_normal(shape)).astype(dtype)
    if library == "numpy":
        compute = getattr(numpy.fft, transform)
    else:
        import torch

        x, compute = torch.from_numpy(x), getattr(torch.fft, transform)
    return lambda: compute(x)
