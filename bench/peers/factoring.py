"""Linear algebra on symmetric positive definite matrices, as BenchmarkLinalg says: FUNCTION/SIZE DTYPE."""


def prepare(library, case, dtype):
    import numpy

    function, size = case.split("/")
    batch, rows = ([int(n) for n in size.split("x")] + [None])[:2]
    shape = (batch, rows, rows) if rows else (batch, batch)
    x = numpy.random.default_rng(1).standard_normal(shape).astype(dtype)
    a = x @ numpy.swapaxes(x, -1, -2) + numpy.eye(shape[-1], dtype=dtype)
    if library == "torch":
        import torch

        return call(torch.linalg, torch.from_numpy(a), {"full_matrices": False})[function]
    return call(numpy.linalg, a, {"full_matrices": False})[function]


def call(linalg, a, reduced):
    return {
        "cholesky": lambda: linalg.cholesky(a),
        "solve": lambda: linalg.solve(a, a),
        "solve_vector": lambda: linalg.solve(a, a[0]),
        "inverse": lambda: linalg.inv(a),
        "determinant": lambda: linalg.det(a),
        "qr": lambda: linalg.qr(a),
        "svd": lambda: linalg.svd(a, **reduced),
        "eigen_symmetric": lambda: linalg.eigh(a),
    }
