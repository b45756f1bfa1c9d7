#include "hold.cuh"
#include "norm.cuh"

// Rows that a block holds. integers[0] is whether the mean is subtracted, scalars[0] is epsilon.

// totalOf returns the sums of value(j) over a row.
template <class F> DEVICE Sums totalOf(const Arguments &a, F value) {
  return total<Sums>(
      [&](unsigned) {
        Sums part = {0, 0};
        eachHeld(a, [&](int j, uint64) { part = addSums(part, value(j)); });
        return part;
      },
      addSums);
}

// standardOfRow computes that of h.
template <class T> DEVICE Standard standardOfRow(const Arguments &a, Held<T> &h) {
  double count = (double)a.inner, epsilon = a.scalars[0];
  if (!a.integers[0]) {
    Sums s = totalOf(a, [&](int j) { double x = h[j]; return Sums{x * x, 0}; });
    return standardOf(0, s.first / count, epsilon);
  }
  double mean = totalOf(a, [&](int j) { return Sums{h[j], 0}; }).first / count;
  Sums s = totalOf(a, [&](int j) { double d = h[j] - mean; return Sums{d, d * d}; });
  return standardOf(mean + s.first / count, atLeastZero(s.second - s.first * (s.first / count)) / count, epsilon);
}

// Operands: y, x, scale, bias. integers[1] is whether there is a bias.
#define NORM(T)                                                                                                        \
  BOUNDED_KERNEL(hold_normalise_rows_##T, holdThreads, 2) {                                                            \
    using C = Computed<T>;                                                                                             \
    bool biased = a.integers[1];                                                                                       \
    eachBlock<4>(a, [&](const int64(&at)[4]) {                                                                         \
      auto x = hold<T>(a, 1, at[1]), scale = hold<T>(a, 2, at[2]);                                                     \
      Standard s = standardOfRow(a, x);                                                                                \
      C inverse = (C)s.inverse;                                                                                        \
      eachHeld(a, [&](int j, uint64) { x[j] = distance<C>(x[j], s.mean) * inverse * scale[j]; });                      \
      if (biased) {                                                                                                    \
        auto bias = hold<T>(a, 3, at[3]);                                                                              \
        eachHeld(a, [&](int j, uint64) { x[j] += bias[j]; });                                                          \
      }                                                                                                                \
      keep<T>(a, 0, at[0], x);                                                                                         \
    });                                                                                                                \
  }
NORM(float16) NORM(bfloat16) NORM(float32) NORM(float64)

// Operands: the gradient, the standards of rows, x, scale, the upstream gradient.
#define NORM_GRADIENT(T)                                                                                               \
  BOUNDED_KERNEL(hold_normalise_rows_gradient_##T, holdThreads, 1) {                                                   \
    using C = Computed<T>;                                                                                             \
    Standard *standards = start<Standard>(a, 1);                                                                       \
    bool centred = a.integers[0];                                                                                      \
    eachBlock<5>(a, [&](const int64(&at)[5]) {                                                                         \
      auto x = hold<T>(a, 2, at[2]), scale = hold<T>(a, 3, at[3]), u = hold<T>(a, 4, at[4]);                           \
      Standard s = standardOfRow(a, x);                                                                                \
      Sums sums = totalOf(a, [&](int j) {                                                                              \
        double g = (double)u[j] * (double)scale[j];                                                                    \
        return Sums{g, g * (((double)x[j] - s.mean) * s.inverse)};                                                     \
      });                                                                                                              \
      if (thread() == 0) standards[at[1]] = s;                                                                         \
      eachHeld(a, [&](int j, uint64) { x[j] = slopeOf<C>(x[j], u[j] * scale[j], s, sums, (double)a.inner, centred); });\
      keep<T>(a, 0, at[0], x);                                                                                         \
    });                                                                                                                \
  }
NORM_GRADIENT(float16) NORM_GRADIENT(bfloat16) NORM_GRADIENT(float32) NORM_GRADIENT(float64)
