#include "weft.h"

// Arithmetic, element by element, as package ops defines it.

template <class T> DEVICE T add_(T x, T y) { return x + y; }
template <class T> DEVICE T sub_(T x, T y) { return x - y; }
template <class T> DEVICE T mul_(T x, T y) { return x * y; }
template <class T> DEVICE T div_(T x, T y) { return x / y; }
DEVICE bool add_(bool x, bool y) { return x | y; }
DEVICE bool mul_(bool x, bool y) { return x & y; }

// The larger of 0 and -0 is 0; NaN is larger than all.
template <class T> DEVICE T maximum_(T x, T y) { return x != x ? x : x == y && x == 0 ? (T)(x + y) : x > y ? x : y; }
template <class T> DEVICE T minimum_(T x, T y) { return x != x ? x : x == y && x == 0 ? (T)-(-x - y) : x < y ? x : y; }
DEVICE bool maximum_(bool x, bool y) { return x | y; }
DEVICE bool minimum_(bool x, bool y) { return x & y; }

template <class T> DEVICE T neg_(T x) { return -x; }
template <class T> DEVICE T square_(T x) { return x * x; }
template <class T> DEVICE T abs_(T x) { return x <= 0 ? (T)(0 - x) : x; }
template <class T> DEVICE T sign_(T x) { return x > 0 ? (T)1 : x < 0 ? (T)-1 : x == 0 ? (T)0 : x; }
template <class T> DEVICE T positive_(T x) { return x; }
template <class T> DEVICE T reciprocal_(T x) { return 1 / x; }
DEVICE bool square_(bool x) { return x; }
DEVICE bool abs_(bool x) { return x; }

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

// Rounding to an integer; half way to the even one.

DEVICE float floor_(float x) { return __builtin_floorf(x); }
DEVICE float ceil_(float x) { return __builtin_ceilf(x); }
DEVICE float trunc_(float x) { return __builtin_truncf(x); }
DEVICE float round_(float x) { return __builtin_rintf(x); }
DEVICE double floor_(double x) { return __builtin_floor(x); }
DEVICE double ceil_(double x) { return __builtin_ceil(x); }
DEVICE double trunc_(double x) { return __builtin_trunc(x); }
DEVICE double round_(double x) { return __builtin_rint(x); }

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

// max(x, 0), where NaN stays NaN, and its gradient from the result and the upstream gradient.
template <class T> DEVICE T relu_(T x) { return maximum_(x, (T)0); }
template <class T> DEVICE T relu_gradient_(T y, T u) { return y > 0 ? u : (T)0; }

NUMBERS(SAME1, relu)
FLOATS(SAME2, relu_gradient)

// The lesser of high and of the larger of x and low; NaN where one of them is.
#define CLAMP(op, T)                                                                                     \
  KERNEL(each_clamp_##T) {                                                                               \
    eachElement<4>(a, [&](uint64, const int64(&at)[4]) {                                                 \
      Computed<T> x = load(start<T>(a, 1) + at[1]);                                                      \
      Computed<T> low = load(start<T>(a, 2) + at[2]), high = load(start<T>(a, 3) + at[3]);               \
      store(start<T>(a, 0) + at[0], minimum_(maximum_(x, low), high));                                   \
    });                                                                                                  \
  }
NUMBERS(CLAMP, clamp)
