#include "reduce.h"

// Normalisation: what is normalised together are the inner axes, of as many rows as the outer axes count. Sums are taken in float64.

// Standard is what a row is normalised by: (x − mean) · inverse.
struct Standard { double mean, inverse; };

struct Sums { double first, second; };

DEVICE Sums addSums(Sums x, Sums y) { return Sums{x.first + y.first, x.second + y.second}; }

DEVICE double atLeastZero(double x) { return x < 0 ? 0 : x; }

DEVICE Standard standardOf(double mean, double variance, double epsilon) {
  return Standard{mean, 1 / __builtin_sqrt(variance + epsilon)};
}

// distance is x − mean, of which the first difference is exact where it matters.
template <class T> DEVICE T distance(T x, double mean) {
  T high = (T)mean, low = (T)(mean - (double)high);
  return (x - high) - low;
}

// Rows that fit a block. integers[0] is whether the mean is subtracted, scalars[0] is epsilon.

// rowAt returns the places of element i of a row.
template <int N> struct Row {
  int64 at[N];
  MEMBER Row(const Arguments &a, const int64 (&outer)[N], uint64 i) {
    for (int k = 0; k < N; k++) at[k] = outer[k];
    locate<N>(a, i, a.outerAxes, a.innerAxes, at);
  }
};

// totalOf returns the sums of value(i) over a row.
template <class F> DEVICE Sums totalOf(const Arguments &a, F value) {
  return total<Sums>(
      [&](unsigned t) {
        Sums part = {0, 0};
        for (uint64 i = t; i < a.inner; i += threads()) part = addSums(part, value(i));
        return part;
      },
      addSums);
}

// standardOfRow computes that of element(i).
template <class F> DEVICE Standard standardOfRow(const Arguments &a, F element) {
  double count = (double)a.inner, epsilon = a.scalars[0];
  if (!a.integers[0]) {
    Sums s = totalOf(a, [&](uint64 i) { double x = element(i); return Sums{x * x, 0}; });
    return standardOf(0, s.first / count, epsilon);
  }
  double mean = totalOf(a, [&](uint64 i) { return Sums{element(i), 0}; }).first / count;
  Sums s = totalOf(a, [&](uint64 i) { double d = element(i) - mean; return Sums{d, d * d}; });
  return standardOf(mean + s.first / count, atLeastZero(s.second - s.first * (s.first / count)) / count, epsilon);
}

// Operands: y, x, scale, bias. integers[1] is whether there is a bias.
#define NORM(T)                                                                                                        \
  KERNEL(spread_normalise_rows_##T) {                                                                                  \
    using C = Computed<T>;                                                                                             \
    auto y = elements<T>(a, 0), x = elements<T>(a, 1), scale = elements<T>(a, 2), bias = elements<T>(a, 3);            \
    bool biased = a.integers[1];                                                                                       \
    eachBlock<4>(a, [&](const int64(&outer)[4]) {                                                                      \
      Standard s = standardOfRow(a, [&](uint64 i) { return (double)x[Row<4>(a, outer, i).at[1]]; });                   \
      C inverse = (C)s.inverse;                                                                                        \
      together([&](unsigned t) {                                                                                       \
        for (uint64 i = t; i < a.inner; i += threads()) {                                                              \
          Row<4> r(a, outer, i);                                                                                       \
          C v = distance<C>(x[r.at[1]], s.mean) * inverse * scale[r.at[2]];                                            \
          y[r.at[0]] = biased ? v + bias[r.at[3]] : v;                                                                 \
        }                                                                                                              \
      });                                                                                                              \
    });                                                                                                                \
  }
NORM(float16) NORM(bfloat16) NORM(float32) NORM(float64)

// slopeOf is the gradient with respect to x: with g the upstream gradient times scale, and sums of g and g x̂ over the row,
// (g − mean g − x̂ mean(g x̂)) · inverse.
template <class T> DEVICE T slopeOf(T x, T g, Standard s, Sums sums, double count, bool centred) {
  T slope = (T)(s.inverse * s.inverse * sums.second / count), shift = centred ? (T)(s.inverse * sums.first / count) : 0;
  return g * (T)s.inverse - distance(x, s.mean) * slope - shift;
}

// Operands: the gradient, the standards of rows, x, scale, the upstream gradient.
#define NORM_GRADIENT(T)                                                                                               \
  KERNEL(spread_normalise_rows_gradient_##T) {                                                                         \
    using C = Computed<T>;                                                                                             \
    auto dx = elements<T>(a, 0), x = elements<T>(a, 2), scale = elements<T>(a, 3), u = elements<T>(a, 4);              \
    Standard *standards = start<Standard>(a, 1);                                                                       \
    bool centred = a.integers[0];                                                                                      \
    eachBlock<5>(a, [&](const int64(&outer)[5]) {                                                                      \
      Standard s = standardOfRow(a, [&](uint64 i) { return (double)x[Row<5>(a, outer, i).at[2]]; });                   \
      Sums sums = totalOf(a, [&](uint64 i) {                                                                           \
        Row<5> r(a, outer, i);                                                                                         \
        double g = (double)u[r.at[4]] * (double)scale[r.at[3]];                                                        \
        return Sums{g, g * (((double)x[r.at[2]] - s.mean) * s.inverse)};                                               \
      });                                                                                                              \
      together([&](unsigned t) {                                                                                       \
        if (t == 0) standards[outer[1]] = s;                                                                           \
        for (uint64 i = t; i < a.inner; i += threads()) {                                                              \
          Row<5> r(a, outer, i);                                                                                       \
          dx[r.at[0]] = slopeOf<C>(x[r.at[2]], u[r.at[4]] * scale[r.at[3]], s, sums, (double)a.inner, centred);        \
        }                                                                                                              \
      });                                                                                                              \
    });                                                                                                                \
  }
NORM_GRADIENT(float16) NORM_GRADIENT(bfloat16) NORM_GRADIENT(float32) NORM_GRADIENT(float64)

// Rows of any length, in launches of their own for sums and for what is made of them.

// Operands: the standards of rows, means, variances, x. integers[1] is whether the standards have means already, by which elements are
// shifted; integers[2] is whether means and variances are wanted, integers[3] whether the mean is subtracted. scalars[0] is epsilon.
#define MOMENTS(T)                                                                                                     \
  KERNEL(fold_moments_##T) {                                                                                           \
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
  KERNEL(fold_slopes_##T) {                                                                                            \
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
  KERNEL(fold_scale_slopes_##T) {                                                                                      \
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
