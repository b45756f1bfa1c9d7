#include "weft.h"

#undef HEAVY
#define HEAVY true

// Quotients that are rounded toward minus infinity, and what is left over, with the sign of the divisor; kernels/cpu/division.go tells more.
// Powers of integers.

template <class T> DEVICE T floor_divide_(T x, T y) {
  if (y == 0) return 0;
  if ((T)(y + 1) == 0 && (T)-1 < 0) return (T)(0 - (uint64)x); // the least integer has no negative
  T quotient = x / y;
  if ((T)(quotient * y) != x && (x < 0) != (y < 0)) quotient--;
  return quotient;
}

template <class T> DEVICE T remainder_(T x, T y) {
  if (y == 0 || ((T)(y + 1) == 0 && (T)-1 < 0)) return 0;
  T rest = x % y;
  return rest != 0 && (rest < 0) != (y < 0) ? (T)(rest + y) : rest;
}

// Significand is the magnitude of a finite number: digits · 2^(exponent − 1075).
struct Significand { uint64 digits; int64 exponent; };

DEVICE Significand significandOf(double x) {
  uint64 bits = bitsOf(x), digits = bits & 0xfffffffffffff;
  int64 exponent = bits >> 52 & 0x7ff;
  return exponent ? Significand{digits | (uint64)1 << 52, exponent} : Significand{digits, 1};
}

// modulo is what is left of x / y rounded toward zero, exactly, with the sign of x.
DEVICE double modulo(double x, double y) {
  if (y == 0 || x - x != 0 || y != y) return __builtin_nan("");
  if (y - y != 0) return x;
  Significand rest = significandOf(x), divisor = significandOf(y);
  if (rest.exponent < divisor.exponent) return x;
  uint64 left = rest.digits % divisor.digits;
  for (int64 i = rest.exponent - divisor.exponent; i > 0 && left;) {
    int64 step = i < 11 ? i : 11; // 53 digits and these are 64
    left = (left << step) % divisor.digits;
    i -= step;
  }
  int64 exponent = divisor.exponent;
  while (left && left < (uint64)1 << 52 && exponent > 1) {
    left <<= 1;
    exponent--;
  }
  uint64 magnitude = left < (uint64)1 << 52 ? left : (left & 0xfffffffffffff) | (uint64)exponent << 52;
  return doubleOf(magnitude | (bitsOf(x) & (uint64)1 << 63));
}

template <class T> DEVICE T leftOver(T x, T y) {
  double dividend = x, divisor = y, quotient = __builtin_trunc(dividend / divisor);
  if (quotient == 0) return x;
  if (!(__builtin_fabs(quotient) < 0x1p52)) return (T)modulo(dividend, divisor);
  double rest = __builtin_fma(-quotient, divisor, dividend);
  if (rest != 0 && (rest < 0) != (dividend < 0)) rest += __builtin_copysign(divisor, dividend);
  return (T)rest;
}

DEVICE double quotientOf(double x, double y) {
  double quotient = x / y, whole = __builtin_trunc(quotient);
  if (y == 0) return quotient;
  bool small = __builtin_fabs(whole) < 0x1p53;
  double rest = !small ? leftOver(x, y) : whole != 0 ? __builtin_fma(-whole, y, x) : x;
  if (!small) whole = (x - rest) / y;
  if (rest != 0 && (rest < 0) != (y < 0)) whole--;
  return small ? __builtin_copysign(whole, quotient) : whole;
}

template <class T> DEVICE T restOf(T x, T y) {
  T rest = leftOver(x, y);
  if (y == 0) return rest;
  if (rest == 0) return (T)__builtin_copysign(0.0, (double)y);
  return (rest < 0) != (y < 0) ? rest + y : rest;
}

DEVICE float floor_divide_(float x, float y) { return (float)quotientOf(x, y); }
DEVICE double floor_divide_(double x, double y) { return quotientOf(x, y); }
DEVICE float remainder_(float x, float y) { return restOf(x, y); }
DEVICE double remainder_(double x, double y) { return restOf(x, y); }

NUMBERS(SAME2, floor_divide)
NUMBERS(SAME2, remainder)

// A negative exponent gives what is left of the inverse without its fraction, 0 for 0.
template <class T> DEVICE T pow_(T base, T exponent) {
  T power = 1;
  if (exponent < 0) {
    if (base != 1 && (T)(base + 1) != 0) base = 0;
    exponent = (exponent & 1) | 2; // all that matters to 1 and −1, and above zero for 0
  }
  for (; exponent != 0; exponent >>= 1) {
    if (exponent & 1) power *= base;
    base *= base;
  }
  return power;
}
INTEGERS(SAME2, pow)

// The highest bits of floats are their signs, also those of zero and NaN.

#define SIGNS(T)                                                                                                       \
  KERNEL(each_copysign_##T) {                                                                                          \
    const T sign = (T)1 << (8 * sizeof(T) - 1);                                                                        \
    eachElement<3>(a, [&](uint64, const int64(&at)[3]) {                                                               \
      start<T>(a, 0)[at[0]] = (start<T>(a, 1)[at[1]] & ~sign) | (start<T>(a, 2)[at[2]] & sign);                        \
    });                                                                                                                \
  }                                                                                                                    \
  KERNEL(each_signbit_##T) {                                                                                           \
    eachElement<2>(a, [&](uint64, const int64(&at)[2]) {                                                               \
      start<bool>(a, 0)[at[0]] = start<T>(a, 1)[at[1]] >> (8 * sizeof(T) - 1);                                         \
    });                                                                                                                \
  }
SIGNS(word16) SIGNS(word32) SIGNS(word64)

// nextBits is nextafter of floats of 16 bits: of their magnitudes with the sign of x, those of y are counted backwards where it has the
// other sign.
DEVICE uint16 nextBits(uint16 x, uint16 y, int infinity) {
  int from = x & 0x7fff, to = y & 0x7fff;
  if (from > infinity) return x;
  if (to > infinity) return y;
  if ((x ^ y) & 0x8000) to = -to;
  if (from == to) return y;
  if (from == 0) return (y & 0x8000) | 1;
  return from < to ? x + 1 : x - 1;
}

#define NEXT(T, infinity)                                                                                              \
  KERNEL(each_nextafter_##T) {                                                                                         \
    eachElement<3>(a, [&](uint64, const int64(&at)[3]) {                                                               \
      start<uint16>(a, 0)[at[0]] = nextBits(start<uint16>(a, 1)[at[1]], start<uint16>(a, 2)[at[2]], infinity);         \
    });                                                                                                                \
  }
NEXT(float16, 0x7c00) NEXT(bfloat16, 0x7f80)
