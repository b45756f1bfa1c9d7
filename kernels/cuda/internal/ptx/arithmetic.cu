#include "arithmetic.cuh"

NUMBERS(SAME2, add)
NUMBERS(SAME2, sub)
NUMBERS(SAME2, mul)
NUMBERS(SAME2, maximum)
NUMBERS(SAME2, minimum)
NUMBERS(SAME1, neg)
NUMBERS(SAME1, square)
NUMBERS(SAME1, abs)
NUMBERS(SAME1, sign)
NUMBERS(SAME1, positive)
FLOATS(SAME2, div)
FLOATS(SAME1, reciprocal)
SAME2(add, bool)
SAME2(mul, bool)
SAME2(maximum, bool)
SAME2(minimum, bool)
SAME1(square, bool)
SAME1(abs, bool)

FLOATS(SAME1, floor)
FLOATS(SAME1, ceil)
FLOATS(SAME1, trunc)
FLOATS(SAME1, round)

// Integers are rounded already, and real numbers are their own conjugates.
#define WORDS(M, op) M(op, word8) M(op, word16) M(op, word32) M(op, word64)
#define SELF(op, T)                                                                                      \
  KERNEL(each_##op##_##T) {                                                                              \
    eachElement<2>(a, [&](uint64, const int64(&at)[2]) { start<T>(a, 0)[at[0]] = start<T>(a, 1)[at[1]]; }); \
  }
WORDS(SELF, floor)
WORDS(SELF, ceil)
WORDS(SELF, trunc)
WORDS(SELF, round)
WORDS(SELF, conj)

NUMBERS(SAME1, relu)
FLOATS(SAME2, relu_gradient)

#define CLAMP(op, T)                                                                                     \
  KERNEL(each_clamp_##T) {                                                                               \
    eachElement<4>(a, [&](uint64, const int64(&at)[4]) {                                                 \
      Computed<T> x = load(start<T>(a, 1) + at[1]);                                                      \
      Computed<T> low = load(start<T>(a, 2) + at[2]), high = load(start<T>(a, 3) + at[3]);               \
      store(start<T>(a, 0) + at[0], clamp_(x, low, high));                                               \
    });                                                                                                  \
  }
NUMBERS(CLAMP, clamp)
