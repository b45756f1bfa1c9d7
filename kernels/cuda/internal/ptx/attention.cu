#include "functions.h"

// The rows of scores of self_attention, a block for each row of a matrix of rows by times, of which the first stands for the time
// integers[0]. Where integers[1] is set a row sees the times up to its own alone, and what is hidden has no weight. There are integers[2]
// rows; scalars[0] is what scores are multiplied by.

struct Sight {
  int64 first, rows;
  bool causal;
  double scale;
};

DEVICE Sight sightOf(const Arguments &a) { return Sight{a.integers[0], a.integers[2], a.integers[1] != 0, a.scalars[0]}; }

// eachTime runs body for the places in the first N operands of each row, with how many times that sees.
template <int N, class F> DEVICE void eachTime(const Arguments &a, const Sight &s, F body) {
  for (uint64 i = block(); i < a.count; i += blocks()) {
    int64 at[N] = {};
    locate<N>(a, i, 0, a.outerAxes, at);
    body(at, s.causal ? (uint64)(s.first + (int64)i % s.rows + 1) : a.inner);
  }
}

// sumOf returns the sum of value(i) of the first count numbers.
template <class F> DEVICE double sumOf(uint64 count, F value) {
  return total<double>(
      [&](unsigned t) {
        double part = 0;
        for (uint64 i = t; i < count; i += threads()) part += (double)value(i);
        return part;
      },
      [](double x, double y) { return x + y; });
}

// Operands: the scores, which become weights, and the logarithms of the sums of their exponentials.
#define WEIGHTS(T)                                                                                                     \
  KERNEL(row_attention_weights_##T) {                                                                                  \
    Sight s = sightOf(a);                                                                                              \
    T scale = (T)s.scale;                                                                                              \
    int64 next = a.operands[0].strides[a.outerAxes];                                                                   \
    eachTime<2>(a, s, [&](const int64(&at)[2], uint64 seen) {                                                          \
      T *row = start<T>(a, 0) + at[0];                                                                                 \
      auto larger = [](T x, T y) { return x != x || x > y ? x : y; };                                                  \
      T shift = total<T>(                                                                                              \
          [&](unsigned t) {                                                                                            \
            T part = -(T)__builtin_inf();                                                                              \
            for (uint64 i = t; i < seen; i += threads()) part = larger(part, row[i * next] * scale);                   \
            return part;                                                                                               \
          },                                                                                                           \
          larger);                                                                                                     \
      double sum = sumOf(seen, [&](uint64 i) { return exp_(row[i * next] * scale - shift); });                         \
      T inverse = (T)(1 / sum), logs = shift + (T)log_(sum);                                                           \
      together([&](unsigned t) {                                                                                       \
        if (t == 0) start<T>(a, 1)[at[1]] = logs;                                                                      \
        for (uint64 i = t; i < a.inner; i += threads())                                                                \
          row[i * next] = i < seen ? exp_(row[i * next] * scale - shift) * inverse : 0;                                \
      });                                                                                                              \
    });                                                                                                                \
  }
WEIGHTS(float32) WEIGHTS(float64)

// Operands: the scores, which become weights, the gradient of these, which becomes that of the scores, the logarithms, and the result and
// its gradient, whose integers[3] elements are integers[4] and [5] apart.
#define SLOPES(T)                                                                                                      \
  KERNEL(row_attention_slopes_##T) {                                                                                   \
    Sight s = sightOf(a);                                                                                              \
    T scale = (T)s.scale;                                                                                              \
    int64 next = a.operands[0].strides[a.outerAxes], size = a.integers[3], nextY = a.integers[4], nextU = a.integers[5]; \
    eachTime<5>(a, s, [&](const int64(&at)[5], uint64 seen) {                                                          \
      T *row = start<T>(a, 0) + at[0], *slopes = start<T>(a, 1) + at[1], *y = start<T>(a, 3) + at[3], *u = start<T>(a, 4) + at[4]; \
      T logs = start<T>(a, 2)[at[2]];                                                                                  \
      T sum = (T)sumOf(size, [&](uint64 i) { return (double)y[i * nextY] * (double)u[i * nextU]; });                   \
      together([&](unsigned t) {                                                                                       \
        for (uint64 i = t; i < a.inner; i += threads()) {                                                              \
          T weight = i < seen ? exp_(row[i * next] * scale - logs) : 0;                                                \
          row[i * next] = weight;                                                                                      \
          slopes[i * next] = i < seen ? weight * (slopes[i * next] - sum) * scale : 0;                                 \
        }                                                                                                              \
      });                                                                                                              \
    });                                                                                                                \
  }
SLOPES(float32) SLOPES(float64)
