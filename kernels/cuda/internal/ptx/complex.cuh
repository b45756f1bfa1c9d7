#pragma once
#include "functions.h"
#include "reduce.h"

#undef HEAVY
#define HEAVY true

// Complex numbers, as kernels/cpu has them: each product and each sum is rounded, functions of calculus compute in float64, and complex64
// is rounded once at the end. Special cases and branch cuts are those of the C standard (ISO/IEC 9899:2018, annex G).

struct Pair { double re, im; };
template <class T> struct Complex { T re, im; };
typedef Complex<float> complex64;
typedef Complex<double> complex128;

template <class T> DEVICE Pair wide(Complex<T> z) { return Pair{(double)z.re, (double)z.im}; }

const double infinity = __builtin_inf(), ln2 = 0x1.62e42fefa39efp-01, pi = 0x1.921fb54442d18p+01;

DEVICE double noNumber() { return doubleOf(0x7ff8000000000001); }
DEVICE bool finite(double x) { return x - x == 0; }
DEVICE bool infinite(double x) { return x == infinity || x == -infinity; }
DEVICE bool negative(double x) { return bitsOf(x) >> 63; }
DEVICE double magnitude(double x) { return __builtin_fabs(x); }
DEVICE double signed_(double x, double sign) { return __builtin_copysign(x, sign); }
DEVICE double most(double x, double y) { return x != x || x > y ? x : y; } // NaN if one is
DEVICE double mostOf(Pair z) { return z.im != z.im ? z.im : most(magnitude(z.re), magnitude(z.im)); }
DEVICE bool moderate(double x) { return x > 0x1p-400 && x < 0x1p400; } // Products and quotients of such numbers are far from overflow.

// exponentOf is that of a finite number between ½ and 1 times a power of two; 0 for 0.
DEVICE int64 exponentOf(double x) {
  if (x == 0) return 0;
  int64 below = 0;
  if (magnitude(x) < 0x1p-1022) x *= 0x1p52, below = 52;
  return (int64)(bitsOf(x) >> 52 & 0x7ff) - 1022 - below;
}

// scaled is x · 2^power, rounded once.
DEVICE double scaled(double x, int64 power) {
  if (x == 0 || !finite(x)) return x;
  power += exponentOf(x) - 1;
  if (power < -1075) return signed_(0, x);
  if (power > 1023) return signed_(infinity, x);
  if (magnitude(x) < 0x1p-1022) x *= 0x1p52;
  double factor = 1;
  if (power < -1022) power += 53, factor = 0x1p-53;
  return factor * doubleOf((bitsOf(x) & ~((uint64)0x7ff << 52)) | (uint64)(power + 1023) << 52);
}

template <class T> DEVICE Complex<T> add_(Complex<T> x, Complex<T> y) { return {x.re + y.re, x.im + y.im}; }
template <class T> DEVICE Complex<T> sub_(Complex<T> x, Complex<T> y) { return {x.re - y.re, x.im - y.im}; }
template <class T> DEVICE Complex<T> mul_(Complex<T> x, Complex<T> y) { return {x.re * y.re - x.im * y.im, x.re * y.im + x.im * y.re}; }
template <class T> DEVICE Complex<T> neg_(Complex<T> x) { return {-x.re, -x.im}; }
template <class T> DEVICE Complex<T> positive_(Complex<T> x) { return x; }
template <class T> DEVICE Complex<T> conj_(Complex<T> x) { return {x.re, -x.im}; }
template <class T> DEVICE Complex<T> square_(Complex<T> x) { return mul_(x, x); }
template <class T> DEVICE bool equal_(Complex<T> x, Complex<T> y) { return x.re == y.re && x.im == y.im; }
template <class T> DEVICE bool not_equal_(Complex<T> x, Complex<T> y) { return !equal_(x, y); }
template <class T> DEVICE bool isnan_(Complex<T> x) { return x.re != x.re || x.im != x.im; }
template <class T> DEVICE bool isinf_(Complex<T> x) { return infinite(x.re) || infinite(x.im); }
template <class T> DEVICE bool isfinite_(Complex<T> x) { return x.re - x.re == 0 && x.im - x.im == 0; }

// sumOfProducts is a·b + c·d (Jeannerod, Louvet and Muller, "Further analysis of Kahan's algorithm", Mathematics of Computation 82, 2013).
DEVICE double sumOfProducts(double a, double b, double c, double d) {
  double product = c * d;
  return __builtin_fma(a, b, product) + __builtin_fma(c, d, -product);
}

// unit is 1 for infinities and 0 for other numbers, with their sign.
DEVICE double unit(double x) { return signed_(infinite(x) ? 1 : 0, x); }

DEVICE Pair quotientOfAny(double a, double b, double c, double d) {
  bool isFinite = finite(a) && finite(b);
  if (c == 0 && d == 0) {
    double big = signed_(infinity, c);
    return {big * a, big * b};
  }
  if (!finite(c) || !finite(d)) {
    if (!isFinite || (!infinite(c) && !infinite(d))) return {noNumber(), noNumber()};
    c = unit(c), d = unit(d);
    return {0 * sumOfProducts(a, c, b, d), 0 * sumOfProducts(b, c, -a, d)};
  }
  if (infinite(a) || infinite(b)) {
    a = unit(a), b = unit(b);
    return {infinity * sumOfProducts(a, c, b, d), infinity * sumOfProducts(b, c, -a, d)};
  }
  if (!isFinite) return {noNumber(), noNumber()};
  int64 above = exponentOf(mostOf({a, b})), below = exponentOf(mostOf({c, d}));
  a = scaled(a, -above), b = scaled(b, -above), c = scaled(c, -below), d = scaled(d, -below);
  double square = __builtin_fma(c, c, d * d);
  return {scaled(sumOfProducts(a, c, b, d) / square, above - below), scaled(sumOfProducts(b, c, -a, d) / square, above - below)};
}

DEVICE Pair quotient(double a, double b, double c, double d) {
  if (!moderate(mostOf({a, b})) || !moderate(mostOf({c, d}))) return quotientOfAny(a, b, c, d);
  double square = __builtin_fma(c, c, d * d);
  return {sumOfProducts(a, c, b, d) / square, sumOfProducts(b, c, -a, d) / square};
}

DEVICE complex128 div_(complex128 x, complex128 y) {
  Pair q = quotient(x.re, x.im, y.re, y.im);
  return {q.re, q.im};
}

// The products of floats are exact in float64.
DEVICE complex64 div_(complex64 x, complex64 y) {
  double a = x.re, b = x.im, c = y.re, d = y.im, square = c * c + d * d;
  Pair q = {(a * c + b * d) / square, (b * c - a * d) / square};
  if (!finite(q.re + q.im)) q = quotient(a, b, c, d);
  return {(float)q.re, (float)q.im};
}

template <class T> DEVICE Complex<T> reciprocal_(Complex<T> x) { return div_(Complex<T>{1, 0}, x); }

DEVICE double abs_(complex128 x) { return hypot_(x.re, x.im); }
DEVICE float abs_(complex64 x) {
  double a = x.re, b = x.im, square = a * a + b * b;
  if (square != square) square = hypot_(a, b);
  return (float)__builtin_sqrt(square);
}

template <class T> DEVICE T angle_(Complex<T> x) { return (T)atan2_((double)x.im, (double)x.re); }
DEVICE float angle_(float x) { return (float)atan2_(0.0, (double)x); }
DEVICE double angle_(double x) { return atan2_(0.0, x); }

DEVICE Pair sign_(Pair z) {
  double x = z.re, y = z.im;
  if (infinite(x) && infinite(y)) return {noNumber(), noNumber()};
  if (infinite(x) || infinite(y)) return {unit(x), unit(y)};
  if (x == 0 && y == 0) return {0, 0};
  if (x != x || y != y) return {noNumber(), noNumber()};
  if (!moderate(mostOf(z))) {
    int64 exponent = exponentOf(mostOf(z));
    x = scaled(x, -exponent), y = scaled(y, -exponent);
  }
  double h = hypot_(x, y);
  return {x / h, y / h};
}

// growth is factor · exp(x) · (cos y, sin y), for finite y.
DEVICE Pair growth(double factor, double x, double y) {
  const double most = 2200, step = 700; // behind which there are only zeros and infinities, and exp may overflow where the result does not
  double c = cos_(y), s = sin_(y);
  if (magnitude(x) > step && finite(x)) {
    x = x > most ? most : x < -most ? -most : x;
    double part = signed_(step, x), e = exp_(part);
    c *= factor * e, s *= factor * e, factor = 1;
    for (x -= part; magnitude(x) > step; x -= part) c *= e, s *= e;
  }
  double e = factor * exp_(x);
  return {e * c, e * s};
}

// zeroLike is a zero with the sign of y, but for NaN, whose sign is nobody's.
DEVICE double zeroLike(double y) { return y != y ? 0 : signed_(0, y); }

DEVICE Pair exp_(Pair z) {
  double x = z.re, y = z.im;
  if (y == 0) return {exp_(x), y};
  if (finite(y)) return growth(1, x, y);
  if (x == -infinity) return {0, zeroLike(y)};
  if (x == infinity) return {x, noNumber()};
  return {noNumber(), noNumber()};
}

// exp(x)·cos y − 1 = (exp(x) − 1)·cos y − 2·sin²(y/2).
DEVICE Pair expm1_(Pair z) {
  double x = z.re, y = z.im;
  if (y == 0) return {expm1_(x), y};
  Pair e = exp_(z);
  if (magnitude(x) > 40 || !finite(y) || x != x) return {e.re - 1, e.im};
  double s = sin_(y / 2);
  return {expm1_(x) * cos_(y) - 2 * (s * s), e.im};
}

// From here on sinh and cosh are exp/2 but for signs, and tanh is 1.
const double far = 25;

DEVICE Pair sinh_(Pair z) {
  double x = z.re, y = z.im;
  if (y == 0) return {sinh_(x), y};
  if (!finite(y)) return {x == 0 || infinite(x) ? x : noNumber(), noNumber()};
  if (magnitude(x) > far) {
    Pair g = growth(0.5, magnitude(x), y);
    return {signed_(1, x) * g.re, g.im};
  }
  return {sinh_(x) * cos_(y), cosh_(x) * sin_(y)};
}

DEVICE Pair cosh_(Pair z) {
  double x = z.re, y = z.im;
  if (y == 0) return {cosh_(x), x != x ? y : signed_(1, x) * y}; // of NaN, the sign is nobody's
  if (!finite(y)) return {infinite(x) ? infinity : noNumber(), x == 0 ? x : noNumber()};
  if (magnitude(x) > far) {
    Pair g = growth(0.5, magnitude(x), y);
    return {g.re, signed_(1, x) * g.im};
  }
  return {cosh_(x) * cos_(y), sinh_(x) * sin_(y)};
}

// This and the inverse functions are Kahan's: "Branch cuts for complex elementary functions", in Iserles and Powell (editors), "The state
// of the art in numerical analysis", 1987.
DEVICE Pair tanh_(Pair z) {
  double x = z.re, y = z.im;
  if (infinite(x)) return {signed_(1, x), finite(y) ? signed_(0, sin_(2 * y)) : zeroLike(y)};
  if (y == 0) return {tanh_(x), y};
  if (!finite(y)) return {x == 0 ? x : noNumber(), noNumber()};
  if (magnitude(x) > far) return {signed_(1, x), growth(4 * cos_(y), -2 * magnitude(x), y).im};
  double t = tan_(y), s = sinh_(x), secant = 1 + t * t, below = 1 + secant * (s * s);
  return {secant * s * __builtin_sqrt(1 + s * s) / below, t / below};
}

DEVICE Pair sqrt_(Pair z) {
  double x = z.re, y = z.im, above = mostOf(z), after = 1;
  if (infinite(y)) return {infinity, y};
  if (x == 0 && y == 0) return {0, y};
  if (x != x) return {x, x};
  if (x == infinity) return {x, signed_(y - y, y)};
  if (x == -infinity) return {magnitude(y - y), signed_(infinity, y)};
  if (above > 0x1p1000)
    x *= 0x1p-4, y *= 0x1p-4, after = 4;
  else if (above < 0x1p-900)
    x *= 0x1p120, y *= 0x1p120, after = 0x1p-60;
  double root = __builtin_sqrt((magnitude(x) + hypot_(x, y)) / 2);
  if (x >= 0) return {root * after, y / (2 * root) * after};
  return {magnitude(y) / (2 * root) * after, signed_(root, y) * after};
}

struct Total { double sum, off; };

// twoSum returns x + y and its error, exactly (Knuth, "The art of computer programming", volume 2, 4.2.2, theorem B).
DEVICE Total twoSum(double x, double y) {
  double sum = x + y, part = sum - x;
  return {sum, (x - (sum - part)) + (y - part)};
}

// squaresBeside is c + x² + y², as if in twice the precision.
DEVICE double squaresBeside(double c, double x, double y) {
  double xx = x * x, yy = y * y;
  Total first = twoSum(c, xx), all = twoSum(first.sum, yy);
  return all.sum + (first.off + all.off + __builtin_fma(x, x, -xx) + __builtin_fma(y, y, -yy));
}

DEVICE double logMagnitude(double x, double y) {
  x = magnitude(x), y = magnitude(y);
  if (x < y) {
    double z = x;
    x = y, y = z;
  }
  if (infinite(x) || infinite(y)) return infinity;
  int up = 0, down = 0; // by 2^600
  if (y > 0 && x > 0x1p500) x *= 0x1p-600, y *= 0x1p-600, up++;
  for (; y > 0 && x < 0x1p-400; down++) x *= 0x1p600, y *= 0x1p600;
  double square = __builtin_fma(x, x, y * y), l;
  if (y == 0 || x != x || y != y)
    l = log_(x + y);
  else if (square < 0.5 || square > 3)
    l = log_(square) / 2;
  else
    l = log1p_(squaresBeside(-1, x, y)) / 2;
  const double step = 0x1.9fe3682cd3be4p+08; // 600·ln 2
  if (up) l += step;
  for (; down > 0; down--) l -= step;
  return l;
}

DEVICE Pair log_(Pair z) { return {logMagnitude(z.re, z.im), atan2_(z.im, z.re)}; }
DEVICE Pair log2_(Pair z) {
  const double factor = 0x1.71547652b82fep+00;
  return {z.im == 0 ? log2_(magnitude(z.re)) : factor * logMagnitude(z.re, z.im), factor * atan2_(z.im, z.re)};
}
DEVICE Pair log10_(Pair z) {
  const double factor = 0x1.bcb7b1526e50ep-02;
  return {z.im == 0 ? log10_(magnitude(z.re)) : factor * logMagnitude(z.re, z.im), factor * atan2_(z.im, z.re)};
}

// |1 + z|² − 1 = 2x + x² + y².
DEVICE Pair log1p_(Pair z) {
  double x = z.re, y = z.im, im = atan2_(y, 1 + x);
  if (y == 0 && x >= -1) return {log1p_(x), im};
  double over = squaresBeside(2 * x, x, y);
  if (over > -0.5 && over < 2) return {log1p_(over) / 2, im};
  return {logMagnitude(1 + x, y), im};
}

// From here on asin and acos are logarithms of 2z.
DEVICE bool vast(Pair z) { return mostOf(z) > 0x1p60; }

DEVICE Pair acos_(Pair z) {
  double x = z.re, y = z.im;
  if (x != x && infinite(y)) return {noNumber(), -y};
  if (y != y && infinite(x)) return {noNumber(), infinity};
  if (y != y && x == 0) return {pi / 2, noNumber()};
  if (x != x || y != y) return {noNumber(), noNumber()};
  if (vast(z)) return {atan2_(magnitude(y), x), signed_(logMagnitude(x, y) + ln2, -y)};
  Pair less = sqrt_(Pair{1 - x, -y}), more = sqrt_(Pair{1 + x, y});
  return {2 * atan2_(less.re, more.re), asinh_(more.re * less.im - more.im * less.re)};
}

// i·acos or −i·acos, whichever has a real part that is not negative.
DEVICE Pair acosh_(Pair z) {
  Pair w = acos_(z);
  return {magnitude(w.im), signed_(w.re, z.im)};
}

DEVICE Pair asinh_(Pair z) {
  double x = z.re, y = z.im;
  if (x != x && y == 0) return z;
  if (x != x && infinite(y)) return {infinity, noNumber()};
  if (y != y && infinite(x)) return {x, noNumber()};
  if (x != x || y != y) return {noNumber(), noNumber()};
  if (vast(z)) return {signed_(logMagnitude(x, y) + ln2, x), atan2_(y, magnitude(x))};
  Pair less = sqrt_(Pair{1 - y, x}), more = sqrt_(Pair{1 + y, -x});
  return {asinh_(more.re * less.im - less.re * more.im), atan2_(y, more.re * less.re - more.im * less.im)};
}

DEVICE Pair atanh_(Pair z) {
  double turn = z.re < 0 || (z.re == 0 && negative(z.re)) ? -1 : 1; // it is odd
  double x = turn < 0 ? -z.re : z.re, y = turn < 0 ? -z.im : z.im, above = magnitude(y);
  Pair w;
  if ((x != x && infinite(y)) || (infinite(x) && y == y)) {
    w = {0, signed_(pi / 2, y)};
  } else if (y != y && (x == 0 || infinite(x))) {
    w = {0, noNumber()};
  } else if (x != x || y != y) {
    w = {noNumber(), noNumber()};
  } else if (vast({x, y})) {
    double h = hypot_(x / 2, y / 2);
    w = {x / 4 / h / h, signed_(pi / 2, y)};
  } else if (x == 1 && above < 0x1p-500) {
    if (y == 0)
      w = {infinity, y};
    else
      w = {(ln2 - log_(above)) / 2, signed_(atan2_(2.0, -above) / 2, y)};
  } else {
    double square = (1 - x) * (1 - x) + above * above;
    w = {log1p_(4 * x / square) / 4, atan2_(2 * y, (1 - x) * (1 + x) - above * above) / 2};
  }
  return turn < 0 ? Pair{-w.re, -w.im} : w;
}

// reversed is i·f(z) = g(i·z) for an odd f that commutes with conjugation: sin for sinh.
template <class F> DEVICE Pair reversed(Pair z, F f) {
  Pair w = f(Pair{z.im, z.re});
  return {w.im, w.re};
}
DEVICE Pair sin_(Pair z) { return reversed(z, [](Pair w) { return sinh_(w); }); }
DEVICE Pair tan_(Pair z) { return reversed(z, [](Pair w) { return tanh_(w); }); }
DEVICE Pair asin_(Pair z) { return reversed(z, [](Pair w) { return asinh_(w); }); }
DEVICE Pair atan_(Pair z) { return reversed(z, [](Pair w) { return atanh_(w); }); }
DEVICE Pair cos_(Pair z) { return cosh_(Pair{-z.im, z.re}); }

// powerOf is exp(b·log a), a product for small whole b.
DEVICE complex128 powerOf(complex128 a, complex128 b) {
  double n = b.re;
  if (n == 0 && b.im == 0) return {1, 0};
  if (a.re == 0 && a.im == 0) return n > 0 ? complex128{0, 0} : complex128{noNumber(), noNumber()};
  if (b.im == 0 && n == __builtin_trunc(n) && magnitude(n) <= 32) {
    complex128 result = a;
    for (int left = (int)magnitude(n) - 1; left > 0; left >>= 1) {
      if (left & 1) result = mul_(result, a);
      a = mul_(a, a);
    }
    return n < 0 ? reciprocal_(result) : result;
  }
  double l = logMagnitude(a.re, a.im), angle = atan2_(a.im, a.re);
  Pair e = exp_(Pair{sumOfProducts(b.re, l, -b.im, angle), sumOfProducts(b.im, l, b.re, angle)});
  return {e.re, e.im};
}
DEVICE complex128 pow_(complex128 a, complex128 b) { return powerOf(a, b); }
DEVICE complex64 pow_(complex64 a, complex64 b) {
  complex128 power = powerOf({a.re, a.im}, {b.re, b.im});
  return {(float)power.re, (float)power.im};
}

#define BOTH(M, op) M(op, complex64) M(op, complex128)

#define CALCULUS(op, T)                                                                                                \
  KERNEL(each_##op##_##T) {                                                                                            \
    eachElement<2>(a, [&](uint64, const int64(&at)[2]) {                                                               \
      Pair z = op##_(wide(start<T>(a, 1)[at[1]]));                                                                     \
      using P = decltype(T::re);                                                                                       \
      start<T>(a, 0)[at[0]] = T{(P)z.re, (P)z.im};                                                                     \
    });                                                                                                                \
  }

// FUNCTIONS are those of calculus that take long to compile, each type in a source of its own.
#define FUNCTIONS(T)                                                                                                   \
  SAME2(pow, T) CALCULUS(exp, T) CALCULUS(expm1, T) CALCULUS(log, T) CALCULUS(log2, T) CALCULUS(log10, T)              \
  CALCULUS(log1p, T) CALCULUS(sinh, T) CALCULUS(cosh, T) CALCULUS(tanh, T) CALCULUS(asinh, T) CALCULUS(acosh, T)       \
  CALCULUS(atanh, T) CALCULUS(sin, T) CALCULUS(cos, T) CALCULUS(tan, T) CALCULUS(asin, T) CALCULUS(acos, T)            \
  CALCULUS(atan, T)
