#include "row.cuh"

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
