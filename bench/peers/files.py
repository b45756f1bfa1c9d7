"""Loads or writes an npy file of float32 of so many BYTES in FOLDER, prints float64 arrays that are there, or reads one element:
CASE FOLDER BYTES."""

import os


def prepare(library, case, folder, size):
    import numpy

    if case in ("load", "write"):
        path = os.path.join(folder, "numpy.npy")
        x = numpy.arange(int(size) // 4, dtype=numpy.float32).reshape(-1, 1024)
        numpy.save(path, x)
        return (lambda: numpy.load(path)) if case == "load" else (lambda: numpy.save(path, x))
    large = (numpy.arange(1 << 20, dtype=numpy.float64) * 0.1).reshape(1024, 1024)
    if case == "at":
        return lambda: large[7, 5]
    if case == "set":
        changed = large.copy()
        return lambda: changed.__setitem__((7, 5), 1)
    shown = {"small": large[:4, :4].copy(), "large": large, "transposed": large.T}[case]
    return lambda: str(shown)
