#include "functions.h"
#include "reduce.h"

// Norms, and logarithms of sums of exponential functions.

struct Complex64 { float re, im; };
struct Complex128 { double re, im; };

template <class T> DEVICE double magnitudeOf(const T *p) { return __builtin_fabs((double)load(p)); }
template <class C> DEVICE double magnitudeOfParts(const C *p) {
  double re = p->re, im = p->im;
  return re - re == 0 && im - im == 0 ? hypot_(re, im) : __builtin_isinf(re) || __builtin_isinf(im) ? __builtin_inf() : __builtin_nan("");
}
DEVICE double magnitudeOf(const Complex64 *p) { return magnitudeOfParts(p); }
DEVICE double magnitudeOf(const Complex128 *p) { return magnitudeOfParts(p); }

DEVICE double larger(double x, double y) { return x != x || x > y ? x : y; }
DEVICE double smaller(double x, double y) { return x != x || x < y ? x : y; }

// The norm of order scalars[0]: √Σx² for 2, Σ|x| for 1, the largest or smallest magnitude for the infinities, how many elements are not
// zero for 0, and (Σ|x|^p)^(1/p) for any other p.
#define NORM(name, T, R)                                                                                               \
  KERNEL(fold_norm_##name) {                                                                                           \
    double order = a.scalars[0], top = __builtin_inf();                                                                \
    reduced<2, double>(                                                                                                \
        a, [&](const int64(&)[2]) { return order == -top ? top : 0; },                                                 \
        [&](const int64(&at)[2], uint64) {                                                                             \
          double x = magnitudeOf(start<T>(a, 1) + at[1]);                                                              \
          if (order == 2) return x * x;                                                                                \
          if (order == 0) return x != 0 ? 1.0 : 0.0;                                                                   \
          return order == 1 || order == top || order == -top ? x : pow_(x, order);                                     \
        },                                                                                                             \
        [&](double x, double y) { return order == top ? larger(x, y) : order == -top ? smaller(x, y) : x + y; },     \
        [&](const int64(&at)[2], double x) {                                                                           \
          bool isRoot = order != 0 && order != 1 && order != 2 && order != top && order != -top;                       \
          store(start<R>(a, 0) + at[0], (Computed<R>)(order == 2 ? __builtin_sqrt(x) : isRoot ? pow_(x, 1 / order) : x)); \
        });                                                                                                            \
  }
#define NORM_OF(op, T) NORM(T, T, double)
INTEGERS(NORM_OF, norm) NORM_OF(norm, bool)
NORM(float16, float16, float16) NORM(bfloat16, bfloat16, bfloat16) NORM(float32, float, float) NORM(float64, double, double)
NORM(complex64, Complex64, float) NORM(complex128, Complex128, double)

// Exponentials is a sum of exponential functions, sum · exp(shift).
struct Exponentials { double shift, sum; };

// Exponential functions of numbers C are computed in C.
template <class C> DEVICE Exponentials joined(Exponentials x, Exponentials y) {
  if (x.shift != x.shift || y.sum == 0) return x;
  if (y.shift != y.shift || x.sum == 0) return y;
  if (x.shift < y.shift) return Exponentials{y.shift, x.sum * (double)exp_((C)(x.shift - y.shift)) + y.sum};
  if (x.shift > y.shift) return Exponentials{x.shift, x.sum + y.sum * (double)exp_((C)(y.shift - x.shift))};
  return Exponentials{x.shift, x.sum + y.sum};
}

#define LOGSUMEXP(T, R)                                                                                                \
  KERNEL(fold_logsumexp_##T) {                                                                                         \
    double least = -__builtin_inf();                                                                                   \
    reduced<2, Exponentials>(                                                                                          \
        a, [&](const int64(&)[2]) { return Exponentials{least, 0}; },                                                  \
        [&](const int64(&at)[2], uint64) {                                                                             \
          double x = load(start<T>(a, 1) + at[1]);                                                                     \
          return Exponentials{x, x == least ? 0.0 : 1.0};                                                              \
        },                                                                                                             \
        joined<Computed<R>>,                                                                                           \
        [&](const int64(&at)[2], Exponentials s) {                                                                     \
          store(start<R>(a, 0) + at[0], (Computed<R>)(s.shift + (s.sum == 0 ? least : log_(s.sum))));                  \
        });                                                                                                            \
  }
#define LOGSUMEXP_OF(op, T) LOGSUMEXP(T, double)
INTEGERS(LOGSUMEXP_OF, logsumexp) LOGSUMEXP_OF(logsumexp, bool)
LOGSUMEXP(float16, float16) LOGSUMEXP(bfloat16, bfloat16) LOGSUMEXP(float32, float32) LOGSUMEXP(float64, float64)
