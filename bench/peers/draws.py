"""Random numbers into an array of COUNT float32 numbers, NumPy's by its Philox generator: DISTRIBUTION COUNT."""


def prepare(library, distribution, count):
    return {"numpy": numpy_call, "torch": torch_call}[library](distribution, int(count))


def numpy_call(distribution, count):
    import numpy

    generator = numpy.random.Generator(numpy.random.Philox(1))
    out = numpy.empty(count, dtype=numpy.float32)
    draw = {"uniform": generator.random, "normal": generator.standard_normal}[distribution]
    return lambda: draw(out=out, dtype=numpy.float32)


def torch_call(distribution, count):
    import torch

    out = torch.empty(count, dtype=torch.float32)
    return {"uniform": out.uniform_, "normal": out.normal_}[distribution]
