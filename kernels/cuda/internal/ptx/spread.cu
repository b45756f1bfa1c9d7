#include "reduce.h"

// Variances and standard deviations in float64: a first launch finds the means, a second one the squares of the distances from them,
// and takes off what the means are off by (Chan, Golub and LeVeque, "Algorithms for computing the sample variance: analysis and
// recommendations", The American Statistician 37(3), 1983).

struct Distances { double sum, squares; };

// Operands: means, results, elements. integers[1] is whether the means are known, integers[2] whether the root is taken; scalars[0] is the
// correction.
#define SPREAD(T, R)                                                                                                   \
  REDUCTION(fold_spread_##T) {                                                                                         \
    double *means = start<double>(a, 0), correction = a.scalars[0], count = (double)a.inner;                           \
    R *results = start<R>(a, 1);                                                                                       \
    const T *elements = start<T>(a, 2);                                                                                \
    bool known = a.integers[1], root = a.integers[2];                                                                  \
    reduced<3, Distances>(                                                                                             \
        a, [](const int64(&)[3]) { return Distances{0, 0}; },                                                          \
        [&](const int64(&at)[3], uint64) {                                                                             \
          double d = (double)load(elements + at[2]) - (known ? means[at[0]] : 0);                                      \
          return Distances{d, d * d};                                                                                  \
        },                                                                                                             \
        [](Distances x, Distances y) { return Distances{x.sum + y.sum, x.squares + y.squares}; },                      \
        [&](const int64(&at)[3], Distances s) {                                                                        \
          if (!known) {                                                                                                \
            means[at[0]] = s.sum / count;                                                                              \
            return;                                                                                                    \
          }                                                                                                            \
          double squares = s.squares - s.sum * (s.sum / count), freedom = count - correction;                          \
          if (squares < 0) squares = 0;                                                                                \
          double v = freedom > 0 ? squares / freedom : __builtin_nan("");                                              \
          store(results + at[1], (Computed<R>)(root ? __builtin_sqrt(v) : v));                                         \
        });                                                                                                            \
  }
#define TO_DOUBLE(op, T) SPREAD(T, double)
INTEGERS(TO_DOUBLE, spread) SPREAD(bool, double) SPREAD(float16, float16) SPREAD(bfloat16, bfloat16) SPREAD(float32, float) SPREAD(float64, double)
