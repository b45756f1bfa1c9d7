"""Copies of a float32 array of SHAPE, such as 3,4, with its axes in another order, such as 1,0, into contiguous memory that is there
already and has been written before: SHAPE AXES."""


def prepare(library, shape, axes):
    numbers = [[int(n) for n in text.split(",")] for text in (shape, axes)]
    return {"numpy": numpy_call, "torch": torch_call}[library](*numbers)


def numpy_call(shape, axes):
    import numpy

    x = numpy.ones(shape, dtype=numpy.float32).transpose(axes)
    out = numpy.ascontiguousarray(x).copy()
    return lambda: numpy.copyto(out, x)


def torch_call(shape, axes):
    import torch

    x = torch.ones(shape).permute(axes)
    out = x.contiguous().clone()
    return lambda: out.copy_(x)
