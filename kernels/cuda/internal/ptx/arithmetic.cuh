#pragma once
#include "weft.h"

// Arithmetic of one element, as package ops defines it.

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
// The sign is a bit, of NaN too, of which PTX does not tell what neg and abs make.
DEVICE float neg_(float x) { return singleOf(bitsOf(x) ^ 0x80000000); }
DEVICE double neg_(double x) { return doubleOf(bitsOf(x) ^ 0x8000000000000000); }
DEVICE float abs_(float x) { return singleOf(bitsOf(x) & 0x7fffffff); }
DEVICE double abs_(double x) { return doubleOf(bitsOf(x) & 0x7fffffffffffffff); }
DEVICE bool square_(bool x) { return x; }
DEVICE bool abs_(bool x) { return x; }

// Rounding to an integer; half way to the even one.

DEVICE float floor_(float x) { return __builtin_floorf(x); }
DEVICE float ceil_(float x) { return __builtin_ceilf(x); }
DEVICE float trunc_(float x) { return __builtin_truncf(x); }
DEVICE float round_(float x) { return __builtin_rintf(x); }
DEVICE double floor_(double x) { return __builtin_floor(x); }
DEVICE double ceil_(double x) { return __builtin_ceil(x); }
DEVICE double trunc_(double x) { return __builtin_trunc(x); }
DEVICE double round_(double x) { return __builtin_rint(x); }

// max(x, 0), where NaN stays NaN, and its gradient from the result and the upstream gradient.
template <class T> DEVICE T relu_(T x) { return maximum_(x, (T)0); }
template <class T> DEVICE T relu_gradient_(T y, T u) { return y > 0 ? u : (T)0; }

// The lesser of high and of the larger of x and low; NaN where one of them is.
template <class T> DEVICE T clamp_(T x, T low, T high) { return minimum_(maximum_(x, low), high); }

#define CLAMP(op, T) \
  KERNEL(pack_clamp_##T) {                                                                               \
    ternary<false, T, T, T, T>(a, [](const T &x, const T &low, const T &high) {                          \
      return stored<T>(clamp_(load(&x), load(&low), load(&high)));                                       \
    });                                                                                                  \
  }
