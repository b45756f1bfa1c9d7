#pragma once
#include "weft.h"

// What the steps of functions.h leave out: elements out of the range in which a function is defined, or its steps hold. It is
// what the files hard*.go of kernels/cpu/calculus are, in C++.

DEVICE double log_steps(double x);
DEVICE double log2_steps(double x);
DEVICE double log10_steps(double x);
DEVICE double cbrt_steps(double x);
DEVICE double pow_steps(double x, double y);
DEVICE double atan2_steps(double y, double x);
DEVICE double sin_of_angle(double r, double rest, uint64 quadrant);
DEVICE double cos_of_angle(double r, double rest, uint64 quadrant);
DEVICE double tan_of_angle(double r, double rest, uint64 quadrant);

const double largest = 0x1.fffffffffffffp1023, halfPi = 0x1.921fb54442d18p0;

DEVICE double nan_() { return __builtin_nan(""); }
DEVICE double infinity_() { return __builtin_inf(); }

DEVICE double log_hard(double x) {
  if (x == 0) return -infinity_();
  if (!(x > 0)) return nan_();
  if (x > largest) return x;
  if (x < 0x1p-1022) return log_steps(x * 0x1p54) - 0x1.2b708872320e2p+5 /* 54 log(2) */;
  return log_steps(x);
}

DEVICE double log2_hard(double x) {
  if (x > 0 && x <= largest) return log2_steps(x * 0x1p54) - 54;
  return log_hard(x);
}

DEVICE double log10_hard(double x) {
  if (x > 0 && x < 0x1p-1022) return log10_steps(x * 0x1p54) - 0x1.041704c068eefp+4 /* 54 log10(2) */;
  if (x > 0 && x <= largest) return log10_steps(x);
  return log_hard(x);
}

DEVICE double log1p_hard(double x) { return log_hard(x <= -1 ? x + 1 : x); }

// log(2a) for large a.
DEVICE double asinh_hard(double x) { return __builtin_copysign(log_hard(__builtin_fabs(x) * 0x1p-30) + 0x1.57cd0e7026820p+4 /* 31 log(2) */, x); }

DEVICE double acosh_hard(double x) { return x < 1 ? nan_() : asinh_hard(x); }

DEVICE double atanh_hard(double x) { return __builtin_fabs(x) == 1 ? __builtin_copysign(infinity_(), x) : nan_(); }

DEVICE double asin_hard(double) { return nan_(); }

DEVICE double acos_hard(double) { return nan_(); }

DEVICE double cbrt_hard(double x) {
  if (x == 0 || !(__builtin_fabs(x) <= largest)) return x;
  return cbrt_steps(x * 0x1p54) * 0x1p-18;
}

DEVICE bool isInfinite(double x) { return __builtin_fabs(x) > largest; }

DEVICE double hypot_hard(double x, double y) { return isInfinite(x) || isInfinite(y) ? infinity_() : nan_(); }

// Beside infinity, finite numbers are like zero.
DEVICE double beside(double v) { return __builtin_copysign(isInfinite(v) ? 1.0 : 0.0, v); }

DEVICE double atan2_hard(double y, double x) { return y != y || x != x ? nan_() : atan2_steps(beside(y), beside(x)); }

DEVICE bool isOdd(double y) { // an integer
  return __builtin_fabs(y) < 0x1p53 && y != 2 * __builtin_trunc(y / 2);
}

// The special cases of C99's pow.
DEVICE double pow_hard(double x, double y) {
  if (y == 0 || x == 1) return 1;
  if (x != x || y != y) return nan_();
  if (isInfinite(y)) {
    double a = __builtin_fabs(x);
    return a == 1 ? 1 : (a < 1) == (y > 0) ? 0 : infinity_();
  }
  bool isWhole = y == __builtin_trunc(y);
  double result;
  if ((x == 0 && y < 0) || (isInfinite(x) && y > 0)) result = infinity_();
  else if (x == 0 || isInfinite(x)) result = 0;
  else if (x < 0 && !isWhole) return nan_();
  else result = pow_steps(__builtin_fabs(x), y);
  return bitsOf(x) >> 63 && isWhole && isOdd(y) ? -result : result;
}

// The binary digits of 4/pi, the first word before the point.
#ifdef HOST
static const uint64 fourOverPi[] = {
#else
static __attribute__((constant)) const uint64 fourOverPi[] = {
#endif
    0x0000000000000001, 0x45f306dc9c882a53, 0xf84eafa3ea69bb81, 0xb6c52b3278872083, 0xfca2c757bd778ac3, 0x6e48dc74849ba5c0,
    0x0c925dd413a32439, 0xfc3bd63962534e7d, 0xd1046bea5d768909, 0xd338e04d68befc82, 0x7323ac7306a673e9, 0x3908bf177bf25076,
    0x3ff12fffbc0b301f, 0xde5e2316b414da3e, 0xda6cfd9e4f96136e, 0x9e8c7ecd3cbfd45a, 0xea4f758fd7cbe2f6, 0x7a0e73ef14a525d4,
    0xd7f6bf623f1aba10, 0xac06608df8f6d757,
};

DEVICE uint64 highProduct(uint64 x, uint64 y) {
#ifdef HOST
  return (unsigned __int128)x * y >> 64;
#else
  uint64 high;
  asm("mul.hi.u64 %0, %1, %2;" : "=l"(high) : "l"(x), "l"(y));
  return high;
#endif
}

struct Angle { double r, rest; uint64 quadrant; };

// reduceAngle takes off quarter turns by the method of Payne and Hanek, "Radian reduction for trigonometric functions", SIGNUM
// Newsletter 18, 1983, for |x| of at least 1/2: of x 2/pi only the bits from 2 downwards are computed, 192 of them.
DEVICE Angle reduceAngle(double x) {
  if (!(__builtin_fabs(x) <= largest)) return Angle{nan_(), 0, 0};
  uint64 pattern = bitsOf(x);
  int exponent = (int)(pattern >> 52 & 2047) - 1075;
  uint64 m = (pattern & ((1ULL << 52) - 1)) | 1ULL << 52;
  unsigned place = 61 + exponent, shift = place % 64;
  uint64 window[3];
  for (int i = 0; i < 3; i++) {
    unsigned at = place / 64 + i;
    window[i] = shift ? fourOverPi[at] << shift | fourOverPi[at + 1] >> (64 - shift) : fourOverPi[at];
  }
  uint64 high1 = highProduct(m, window[2]), low = m * window[2];
  uint64 high0 = highProduct(m, window[1]), middle = m * window[1] + high1;
  uint64 top = m * window[0] + high0 + (middle < high1);
  uint64 quadrant = (top + (1ULL << 61)) >> 62;
  uint64 f0 = top << 2 | middle >> 62, f1 = middle << 2 | low >> 62, f2 = low << 2;
  bool negative = f0 >> 63;
  if (negative) {
    f2 = 0 - f2;
    bool borrow = f2 != 0;
    uint64 old = f1;
    f1 = 0 - f1 - borrow;
    borrow = old != 0 || borrow;
    f0 = 0 - f0 - borrow;
  }
  double scale = 1;
  while (f0 == 0 && (f1 | f2) != 0) {
    f0 = f1, f1 = f2, f2 = 0;
    scale *= 0x1p-64;
  }
  int zeros = 0;
  while (!(f0 << zeros >> 63)) zeros++;
  uint64 first = zeros ? f0 << zeros | f1 >> (64 - zeros) : f0;
  uint64 second = zeros ? f1 << zeros | f2 >> (64 - zeros) : f1;
  scale = scale * 0x1p-64 * doubleOf((uint64)(1023 - zeros) << 52);
  double h = (double)(first & ~2047ULL) * scale;
  double l = ((double)(first & 2047) + (double)(second >> 11) * 0x1p-53) * scale;
  double r = h * halfPi;
  double rest = __builtin_fma(h, halfPi, -r) + __builtin_fma(h, 0x1.1a62633145c07p-54, l * halfPi);
  double sum = r + rest;
  rest = (r - sum) + rest;
  r = sum;
  if (negative) r = -r, rest = -rest;
  if (x < 0) return Angle{-r, -rest, 0 - quadrant};
  return Angle{r, rest, quadrant};
}

DEVICE double sin_hard(double x) {
  Angle a = reduceAngle(x);
  return sin_of_angle(a.r, a.rest, a.quadrant);
}

DEVICE double cos_hard(double x) {
  Angle a = reduceAngle(x);
  return cos_of_angle(a.r, a.rest, a.quadrant);
}

DEVICE double tan_hard(double x) {
  Angle a = reduceAngle(x);
  return tan_of_angle(a.r, a.rest, a.quadrant);
}
