"""Parts of float32 matrices of 2048 rows and columns read and written, as BenchmarkIndexing says: CASE."""

from peer import Missing

SIDE = 2048


def prepare(library, case):
    if library != "numpy":
        raise Missing(f"not measured with {library}")
    import numpy

    random = numpy.random.default_rng(1)
    x, y = numpy.ones((2, SIDE, SIDE), dtype=numpy.float32)
    flat, mask = numpy.ones(SIDE * SIDE, dtype=numpy.float32), random.integers(0, 2, (SIDE, SIDE)).astype(bool)
    points = random.integers(0, SIDE * SIDE, SIDE * SIDE // 4)
    rows, columns = random.integers(0, SIDE, (2, SIDE * SIDE // 16))
    values = numpy.ones(SIDE * SIDE // 16, dtype=numpy.float32)

    def put(value, *index):
        x[index] = value

    calls = {
        "copy": lambda: put(y, ...),
        "set_part": lambda: put(y[16:, 32:], slice(0, -16), slice(0, -32)),
        "set_rows": lambda: put(y[1::2], slice(0, None, 2)),
        "set_columns": lambda: put(y[:, : SIDE // 2], slice(None), slice(0, None, 2)),
        "mask_select": lambda: x[mask],
        "mask_set": lambda: put(1.0, mask),
        "take": lambda: flat[points],
        "points": lambda: x[rows, columns],
        "points_set": lambda: put(values, rows, columns),
        "part": lambda: x[1:5, ::2],
        "at": lambda: x[7, 5],
    }
    if case not in calls:
        raise Missing(f"NumPy has no {case}")
    return calls[case]
