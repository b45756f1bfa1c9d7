#include "functions.h"

// Operators along the last axis, a block for each row. Sums are taken in float64.

// rowOf runs body for each row, with a function that gives the place in an operand of the element with a number.
template <int N, class F> DEVICE void eachRow(const Arguments &a, F body) {
  eachBlock<N>(a, [&](const int64(&at)[N]) {
    body([&](int operand, uint64 i) { return at[operand] + (int64)i * a.operands[operand].strides[a.outerAxes]; });
  });
}

// sumOf returns the sum of value(i) over the row.
template <class F> DEVICE double sumOf(const Arguments &a, F value) {
  return total<double>(
      [&](unsigned t) {
        double part = 0;
        for (uint64 i = t; i < a.inner; i += threads()) part += (double)value(i);
        return part;
      },
      [](double x, double y) { return x + y; });
}

// largestOf returns the largest value(i) of the row; NaN if one is.
template <class T, class F> DEVICE T largestOf(const Arguments &a, F value) {
  auto larger = [](T x, T y) { return x != x || x > y ? x : y; };
  return total<T>(
      [&](unsigned t) {
        T part = -(T)__builtin_inf();
        for (uint64 i = t; i < a.inner; i += threads()) part = larger(part, value(i));
        return part;
      },
      larger);
}

// forRow runs body for each number of the row.
template <class F> DEVICE void forRow(const Arguments &a, F body) {
  together([&](unsigned t) {
    for (uint64 i = t; i < a.inner; i += threads()) body(i);
  });
}

#define ROWS(M) M(float16) M(bfloat16) M(float32) M(float64)

#define SOFTMAX(T)                                                                                                     \
  KERNEL(row_softmax_##T) {                                                                                            \
    using C = Computed<T>;                                                                                             \
    auto y = elements<T>(a, 0), x = elements<T>(a, 1);                                                                 \
    eachRow<2>(a, [&](auto at) {                                                                                       \
      C shift = largestOf<C>(a, [&](uint64 i) { return x[at(1, i)]; });                                                \
      double sum = sumOf(a, [&](uint64 i) { return exp_(x[at(1, i)] - shift); });                                      \
      C scale = (C)(1 / sum);                                                                                          \
      forRow(a, [&](uint64 i) { y[at(0, i)] = exp_(x[at(1, i)] - shift) * scale; });                                   \
    });                                                                                                                \
  }                                                                                                                    \
  KERNEL(row_log_softmax_##T) {                                                                                        \
    using C = Computed<T>;                                                                                             \
    auto y = elements<T>(a, 0), x = elements<T>(a, 1);                                                                 \
    eachRow<2>(a, [&](auto at) {                                                                                       \
      C shift = largestOf<C>(a, [&](uint64 i) { return x[at(1, i)]; });                                                \
      C spread = (C)log_(sumOf(a, [&](uint64 i) { return exp_(x[at(1, i)] - shift); }));                               \
      forRow(a, [&](uint64 i) { y[at(0, i)] = (x[at(1, i)] - shift) - spread; });                                      \
    });                                                                                                                \
  }
ROWS(SOFTMAX)

// Gradients from the result y and the upstream gradient u: y (u - sum y u), and u - exp(y) sum u.
#define SOFTMAX_GRADIENT(T)                                                                                            \
  KERNEL(row_softmax_gradient_##T) {                                                                                   \
    using C = Computed<T>;                                                                                             \
    auto dst = elements<T>(a, 0), y = elements<T>(a, 1), u = elements<T>(a, 2);                                        \
    eachRow<3>(a, [&](auto at) {                                                                                       \
      C sum = (C)sumOf(a, [&](uint64 i) { return (double)y[at(1, i)] * (double)u[at(2, i)]; });                        \
      forRow(a, [&](uint64 i) { dst[at(0, i)] = y[at(1, i)] * (u[at(2, i)] - sum); });                                 \
    });                                                                                                                \
  }                                                                                                                    \
  KERNEL(row_log_softmax_gradient_##T) {                                                                               \
    using C = Computed<T>;                                                                                             \
    auto dst = elements<T>(a, 0), y = elements<T>(a, 1), u = elements<T>(a, 2);                                        \
    eachRow<3>(a, [&](auto at) {                                                                                       \
      C sum = (C)sumOf(a, [&](uint64 i) { return u[at(2, i)]; });                                                      \
      forRow(a, [&](uint64 i) { dst[at(0, i)] = u[at(2, i)] - exp_(y[at(1, i)]) * sum; });                             \
    });                                                                                                                \
  }
ROWS(SOFTMAX_GRADIENT)

// The loss of logits for a label, log sum exp less the logit of the label, and its gradient: the softmax, less one at the label, times
// upstream. A label that is out of range counts for none; it is told elsewhere.
#define CROSS_ENTROPY(T)                                                                                               \
  KERNEL(row_softmax_cross_entropy_##T) {                                                                              \
    using C = Computed<T>;                                                                                             \
    auto loss = elements<T>(a, 0), x = elements<T>(a, 1);                                                              \
    int64 *labels = start<int64>(a, 2);                                                                                \
    eachRow<3>(a, [&](auto at) {                                                                                       \
      C shift = largestOf<C>(a, [&](uint64 i) { return x[at(1, i)]; });                                                \
      double spread = log_(sumOf(a, [&](uint64 i) { return exp_(x[at(1, i)] - shift); }));                             \
      uint64 label = labels[at(2, 0)];                                                                                 \
      forRow(a, [&](uint64 i) {                                                                                        \
        if (i == label) loss[at(0, 0)] = (C)(spread - ((double)x[at(1, i)] - (double)shift));                          \
      });                                                                                                              \
    });                                                                                                                \
  }                                                                                                                    \
  KERNEL(row_softmax_cross_entropy_gradient_##T) {                                                                     \
    using C = Computed<T>;                                                                                             \
    auto dst = elements<T>(a, 0), x = elements<T>(a, 1), u = elements<T>(a, 3);                                        \
    int64 *labels = start<int64>(a, 2);                                                                                \
    eachRow<4>(a, [&](auto at) {                                                                                       \
      C shift = largestOf<C>(a, [&](uint64 i) { return x[at(1, i)]; });                                                \
      double sum = sumOf(a, [&](uint64 i) { return exp_(x[at(1, i)] - shift); }), upstream = u[at(3, 0)];              \
      uint64 label = labels[at(2, 0)];                                                                                 \
      C scale = (C)(upstream / sum);                                                                                   \
      forRow(a, [&](uint64 i) {                                                                                        \
        C e = exp_(x[at(1, i)] - shift);                                                                               \
        dst[at(0, i)] = i == label ? (C)(((double)e - sum) / sum * upstream) : e * scale;                              \
      });                                                                                                              \
    });                                                                                                                \
  }
ROWS(CROSS_ENTROPY)
