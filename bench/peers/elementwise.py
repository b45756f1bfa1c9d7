"""Element-wise operators on COUNT elements of a type, into memory that is there already: OPERATOR TYPE COUNT."""

import warnings

from peer import Missing


def prepare(library, operator, dtype, count):
    import numpy

    if "bfloat16" in (dtype, operator.removeprefix("cast_")):
        raise Missing("NumPy has no bfloat16")
    warnings.simplefilter("ignore")
    numbers = numpy.arange(int(count))
    x, y = (numbers % 97).astype(dtype), (numbers % 89 + 1).astype(dtype)
    if operator == "copy" or operator.startswith("cast_"):
        out = numpy.zeros(len(x), dtype if operator == "copy" else operator.removeprefix("cast_"))
        return lambda: numpy.copyto(out, x, casting="unsafe")
    compute = getattr(numpy, operator)
    operands = (x, y)[: compute.nin]
    tells = operator in ("equal", "less") or operator.startswith("logical")
    out = numpy.zeros(len(x), bool if tells else dtype)
    try:
        compute(*operands, out=out)
    except TypeError as reason:
        raise Missing(" ".join(str(reason).split())) from reason
    return lambda: compute(*operands, out=out)
