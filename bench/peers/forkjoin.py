"""A hundred parallel regions of two threads, one after another, from code compiled by Numba: CASE.

The library is numba-LAYER, with a threading layer of Numba. A case is "empty", regions without work; "steps/N", regions of N steps of a
chain of dependent multiplications and additions; or "axpy/N", y += a*x of N float32 numbers.
"""

import functools

import numpy
from peer import Missing

REGIONS, THREADS = 100, 2


def prepare(library, case):
    steps, axpy = compiled(library)
    kind, _, size = case.partition("/")
    size = int(size or 0)
    if kind == "axpy":
        x, y = numpy.zeros(size, numpy.float32), numpy.zeros(size, numpy.float32)
        return lambda: axpy(x, y)
    results = numpy.zeros(16 * THREADS, numpy.float32)
    return lambda: steps(size, results)


@functools.cache  # for Numba takes seconds
def compiled(library):
    try:
        import numba
    except ImportError:
        raise Missing("Numba is not installed")

    numba.config.THREADING_LAYER = library.removeprefix("numba-")
    numba.set_num_threads(THREADS)

    @numba.njit(parallel=True)
    def steps(count, results):
        for _ in range(REGIONS):
            for part in numba.prange(THREADS):
                x = numpy.float32(1)
                for _ in range(count // THREADS):
                    x = x * numpy.float32(1.0000001) + numpy.float32(1e-9)
                results[part * 16] = x

    @numba.njit(parallel=True)
    def axpy(x, y):
        a = numpy.float32(1e-9)
        for _ in range(REGIONS):
            for i in numba.prange(len(x)):
                y[i] += a * x[i]

    return steps, axpy
