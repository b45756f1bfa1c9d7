#include "arithmetic.cuh"

// Arithmetic of floats.

FLOATS(SAME2, add)
FLOATS(SAME2, sub)
FLOATS(SAME2, mul)
FLOATS(SAME2, maximum)
FLOATS(SAME2, minimum)
FLOATS(SAME2, div)
FLOATS(SAME2, relu_gradient)
FLOATS(SAME1, neg)
FLOATS(SAME1, square)
FLOATS(SAME1, abs)
FLOATS(SAME1, sign)
FLOATS(SAME1, positive)
FLOATS(SAME1, reciprocal)
FLOATS(SAME1, relu)
FLOATS(SAME1, floor)
FLOATS(SAME1, ceil)
FLOATS(SAME1, trunc)
FLOATS(SAME1, round)
FLOATS(CLAMP, clamp)
