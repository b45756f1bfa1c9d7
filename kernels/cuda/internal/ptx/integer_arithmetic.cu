#include "arithmetic.cuh"

// Arithmetic of integers and bools.

INTEGERS(SAME2, add) SAME2(add, bool)
INTEGERS(SAME2, sub)
INTEGERS(SAME2, mul) SAME2(mul, bool)
INTEGERS(SAME2, maximum) SAME2(maximum, bool)
INTEGERS(SAME2, minimum) SAME2(minimum, bool)
INTEGERS(SAME1, neg)
INTEGERS(SAME1, square) SAME1(square, bool)
INTEGERS(SAME1, abs) SAME1(abs, bool)
INTEGERS(SAME1, sign)
INTEGERS(SAME1, positive)
INTEGERS(SAME1, relu)
INTEGERS(CLAMP, clamp)

// Integers are rounded already, and real numbers are their own conjugates.
#define WORDS(M, op) M(op, word8) M(op, word16) M(op, word32) M(op, word64)
#define SELF(op, T) \
  KERNEL(pack_##op##_##T) { unary<false, T, T>(a, [](T x) { return x; }); }
WORDS(SELF, floor)
WORDS(SELF, ceil)
WORDS(SELF, trunc)
WORDS(SELF, round)
WORDS(SELF, conj)
