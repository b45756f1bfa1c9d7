#include "functions.h"
#include "reduce.h"

// Logarithms of sums of exponential functions.

// Exponentials is a sum of exponential functions, sum · exp(shift).
struct Exponentials { double shift, sum; };

// Exponential functions of numbers C are computed in C.
template <class C> DEVICE Exponentials joined(Exponentials x, Exponentials y) {
  if (x.shift != x.shift || y.sum == 0) return x;
  if (y.shift != y.shift || x.sum == 0) return y;
  double nearer = x.shift == y.shift ? 1 : (double)exp_((C)(x.shift < y.shift ? x.shift - y.shift : y.shift - x.shift));
  return x.shift < y.shift ? Exponentials{y.shift, x.sum * nearer + y.sum} : Exponentials{x.shift, x.sum + y.sum * nearer};
}

#define LOGSUMEXP(T, R)                                                                                                \
  REDUCTION(fold_logsumexp_##T) {                                                                                      \
    double least = -__builtin_inf();                                                                                   \
    reduced<2, Exponentials, true>(                                                                                    \
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
