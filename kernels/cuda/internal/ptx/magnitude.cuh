#pragma once
#include "functions.h"
#include "reduce.h"

struct complex64 { float re, im; };
struct complex128 { double re, im; };

template <class T> DEVICE double magnitudeOf(const T *p) { return __builtin_fabs((double)load(p)); }
template <class C> DEVICE double magnitudeOfParts(const C *p) {
  double re = p->re, im = p->im;
  return re - re == 0 && im - im == 0 ? hypot_(re, im) : __builtin_isinf(re) || __builtin_isinf(im) ? __builtin_inf() : __builtin_nan("");
}
DEVICE double magnitudeOf(const complex64 *p) { return magnitudeOfParts(p); }
DEVICE double magnitudeOf(const complex128 *p) { return magnitudeOfParts(p); }

DEVICE double larger(double x, double y) { return x != x || x > y ? x : y; }
DEVICE double smaller(double x, double y) { return x != x || x < y ? x : y; }

// The norm of order scalars[0]: √Σx² for 2, Σ|x| for 1, the largest or smallest magnitude for the infinities, how many elements are not
// zero for 0. If it is a power the order is another one, and the norm (Σ|x|^p)^(1/p).
template <class T, class R, bool isPower> DEVICE void norm(const Arguments &a) {
  double order = a.scalars[0], top = __builtin_inf();
  reduced<2, double, true>(
      a, [&](const int64(&)[2]) { return order == -top ? top : 0; },
      [&](const int64(&at)[2], uint64) __attribute__((always_inline)) {
        double x = magnitudeOf(start<T>(a, 1) + at[1]);
        if constexpr (isPower) return pow_(x, order);
        else return order == 2 ? x * x : order == 0 ? (x != 0 ? 1.0 : 0.0) : x;
      },
      [&](double x, double y) { return isPower ? x + y : order == top ? larger(x, y) : order == -top ? smaller(x, y) : x + y; },
      [&](const int64(&at)[2], double x) {
        if constexpr (isPower) x = pow_(x, 1 / order);
        store(start<R>(a, 0) + at[0], (Computed<R>)(!isPower && order == 2 ? __builtin_sqrt(x) : x));
      });
}

#define NORM(op, T, R, isPower) \
  REDUCTION(fold_##op##_##T) { norm<T, R, isPower>(a); }
