#include "norm.cuh"
#include "reduce.h"

// Rows of any length, in launches of their own for sums and for what is made of them.

// Operands: the standards of rows, means, variances, x. integers[1] is whether the standards have means already, by which elements are
// shifted; integers[2] is whether means and variances are wanted, integers[3] whether the mean is subtracted. scalars[0] is epsilon.
#define MOMENTS(T)                                                                                                     \
  REDUCTION(fold_moments_##T) {                                                                                        \
    using C = Computed<T>;                                                                                             \
    auto x = elements<T>(a, 3), means = elements<T>(a, 1), variances = elements<T>(a, 2);                              \
    Standard *standards = start<Standard>(a, 0);                                                                       \
    bool again = a.integers[1], wanted = a.integers[2], centred = a.integers[3];                                       \
    double count = (double)a.inner, epsilon = a.scalars[0];                                                            \
    auto shiftOf = [&](const int64(&at)[4]) { return again ? standards[at[0]].mean : 0; };                             \
    reduced<4, Sums>(                                                                                                  \
        a, [](const int64(&)[4]) { return Sums{0, 0}; },                                                               \
        [&](const int64(&at)[4], uint64) {                                                                             \
          double d = (double)x[at[3]] - shiftOf(at);                                                                   \
          return Sums{d, d * d};                                                                                       \
        },                                                                                                             \
        addSums,                                                                                                       \
        [&](const int64(&at)[4], Sums s) {                                                                             \
          double rest = s.first / count, mean = shiftOf(at) + rest, variance = s.second / count;                       \
          if (centred) variance = atLeastZero(s.second - s.first * rest) / count;                                      \
          standards[at[0]] = standardOf(centred ? mean : 0, variance, epsilon);                                        \
          if (wanted) {                                                                                                \
            means[at[1]] = (C)mean;                                                                                    \
            variances[at[2]] = (C)variance;                                                                            \
          }                                                                                                            \
        });                                                                                                            \
  }
MOMENTS(float16) MOMENTS(bfloat16) MOMENTS(float32) MOMENTS(float64)

// Operands: y, x, scale, bias, standards. integers[1] is whether there is a bias.
#define NORMALISE(T)                                                                                                   \
  KERNEL(each_normalise_##T) {                                                                                         \
    using C = Computed<T>;                                                                                             \
    bool biased = a.integers[1];                                                                                       \
    eachElement<5>(a, [&](uint64, const int64(&at)[5]) {                                                               \
      Standard s = start<Standard>(a, 4)[at[4]];                                                                       \
      C v = distance<C>(elements<T>(a, 1)[at[1]], s.mean) * (C)s.inverse * elements<T>(a, 2)[at[2]];                   \
      elements<T>(a, 0)[at[0]] = biased ? v + elements<T>(a, 3)[at[3]] : v;                                            \
    });                                                                                                                \
  }
NORMALISE(float16) NORMALISE(bfloat16) NORMALISE(float32) NORMALISE(float64)

// The sums of a row that slopeOf takes. Operands: the sums, x, scale, the upstream gradient, standards.
#define SLOPES(T)                                                                                                      \
  REDUCTION(fold_slopes_##T) {                                                                                         \
    auto x = elements<T>(a, 1), scale = elements<T>(a, 2), u = elements<T>(a, 3);                                      \
    Standard *standards = start<Standard>(a, 4);                                                                       \
    reduced<5, Sums>(                                                                                                  \
        a, [](const int64(&)[5]) { return Sums{0, 0}; },                                                               \
        [&](const int64(&at)[5], uint64) {                                                                             \
          Standard s = standards[at[4]];                                                                               \
          double g = (double)u[at[3]] * (double)scale[at[2]];                                                          \
          return Sums{g, g * (((double)x[at[1]] - s.mean) * s.inverse)};                                               \
        },                                                                                                             \
        addSums, [&](const int64(&at)[5], Sums s) { start<Sums>(a, 0)[at[0]] = s; });                                  \
  }
SLOPES(float16) SLOPES(bfloat16) SLOPES(float32) SLOPES(float64)

// Operands: the gradient, x, scale, the upstream gradient, standards, sums. integers[0] is whether the mean is subtracted, scalars[0] the
// elements of a row.
#define SLOPE(T)                                                                                                       \
  KERNEL(each_slope_##T) {                                                                                             \
    using C = Computed<T>;                                                                                             \
    bool centred = a.integers[0];                                                                                      \
    double count = a.scalars[0];                                                                                       \
    eachElement<6>(a, [&](uint64, const int64(&at)[6]) {                                                               \
      C g = elements<T>(a, 3)[at[3]] * elements<T>(a, 2)[at[2]];                                                       \
      elements<T>(a, 0)[at[0]] =                                                                                       \
          slopeOf<C>(elements<T>(a, 1)[at[1]], g, start<Standard>(a, 4)[at[4]], start<Sums>(a, 5)[at[5]], count, centred); \
    });                                                                                                                \
  }
SLOPE(float16) SLOPE(bfloat16) SLOPE(float32) SLOPE(float64)

// The gradients of scale and bias: sums of u x̂ and u over what has one scale. Operands: those of scale and bias, x, the upstream gradient,
// standards. integers[1] is whether there is a bias.
#define SCALE_SLOPES(T)                                                                                                \
  REDUCTION(fold_scale_slopes_##T) {                                                                                   \
    using C = Computed<T>;                                                                                             \
    auto x = elements<T>(a, 2), u = elements<T>(a, 3);                                                                 \
    Standard *standards = start<Standard>(a, 4);                                                                       \
    bool biased = a.integers[1];                                                                                       \
    reduced<5, Sums>(                                                                                                  \
        a, [](const int64(&)[5]) { return Sums{0, 0}; },                                                               \
        [&](const int64(&at)[5], uint64) {                                                                             \
          Standard s = standards[at[4]];                                                                               \
          double g = u[at[3]];                                                                                         \
          return Sums{g, g * (((double)x[at[2]] - s.mean) * s.inverse)};                                               \
        },                                                                                                             \
        addSums,                                                                                                       \
        [&](const int64(&at)[5], Sums s) {                                                                             \
          elements<T>(a, 0)[at[0]] = (C)s.second;                                                                      \
          if (biased) elements<T>(a, 1)[at[1]] = (C)s.first;                                                           \
        });                                                                                                            \
  }
SCALE_SLOPES(float16) SCALE_SLOPES(bfloat16) SCALE_SLOPES(float32) SCALE_SLOPES(float64)

// Normalisation by known means and variances. Operands: y, x, scale, bias, means, variances.
#define KNOWN_NORM(T)                                                                                                  \
  KERNEL(each_batch_norm_inference_##T) {                                                                              \
    using C = Computed<T>;                                                                                             \
    double epsilon = a.scalars[0];                                                                                     \
    eachElement<6>(a, [&](uint64, const int64(&at)[6]) {                                                               \
      double scale = (double)elements<T>(a, 2)[at[2]] / __builtin_sqrt((double)elements<T>(a, 5)[at[5]] + epsilon);    \
      elements<T>(a, 0)[at[0]] = (elements<T>(a, 1)[at[1]] - elements<T>(a, 4)[at[4]]) * (C)scale + elements<T>(a, 3)[at[3]]; \
    });                                                                                                                \
  }
KNOWN_NORM(float16) KNOWN_NORM(bfloat16) KNOWN_NORM(float32) KNOWN_NORM(float64)
