"""Contractions of float32 arrays, as BenchmarkEinsum says: CASE. NumPy's is the quicker of those with and without a path."""

from gather import quickest

CASES = {
    "matmul": ("ij,jk->ik", (512, 512), (512, 512)),
    "small": ("ij,jk->ik", (8, 8), (8, 8)),
    "batch": ("bij,bjk->bik", (32, 128, 128), (32, 128, 128)),
    "attention": ("bhqd,bhkd->bhqk", (4, 8, 128, 64), (4, 8, 128, 64)),
    "transpose": ("ij->ji", (1024, 1024)),
    "trace": ("ii->", (1024, 1024)),
    "dot": ("ij,ij->", (1024, 1024), (1024, 1024)),
    "rows": ("ij,ij->i", (4096, 256), (4096, 256)),
    "chain": ("ij,jk,kl->il", (512, 512), (512, 512), (512, 8)),
}


def prepare(library, case):
    equation, *shapes = CASES[case]
    if library == "torch":
        import torch

        tensors = [torch.ones(shape) for shape in shapes]
        return lambda: torch.einsum(equation, *tensors)
    import numpy

    arrays = [numpy.ones(shape, dtype=numpy.float32) for shape in shapes]
    return quickest([lambda: numpy.einsum(equation, *arrays), lambda: numpy.einsum(equation, *arrays, optimize=True)])
