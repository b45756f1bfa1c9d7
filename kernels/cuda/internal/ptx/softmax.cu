#include "row.cuh"

#define SOFTMAX(T)                                                                                                     \
  HOLD_KERNEL(hold_softmax_##T) {                                                                                      \
    using C = Computed<T>;                                                                                             \
    auto y = elements<T>(a, 0), x = elements<T>(a, 1);                                                                 \
    eachHeldRow<2>(                                                                                                    \
        a,                                                                                                             \
        [&](const int64(&at)[2]) {                                                                                     \
          auto h = hold<T>(a, 1, at[1]);                                                                               \
          C shift = largestHeld<C>(a, [&](int j) { return h[j]; });                                                    \
          double sum = sumHeld(a, [&](int j) { return h[j] = exp_(h[j] - shift); });                                   \
          C scale = (C)(1 / sum);                                                                                      \
          eachHeld(a, [&](int j, uint64) { h[j] *= scale; });                                                          \
          keep<T>(a, 0, at[0], h);                                                                                     \
        },                                                                                                             \
        [&](auto at) {                                                                                                 \
          C shift = largestOf<C>(a, [&](uint64 i) { return x[at(1, i)]; });                                            \
          double sum = sumOf(a, [&](uint64 i) { return exp_(x[at(1, i)] - shift); });                                  \
          C scale = (C)(1 / sum);                                                                                      \
          forRow(a, [&](uint64 i) { y[at(0, i)] = exp_(x[at(1, i)] - shift) * scale; });                               \
        });                                                                                                            \
  }                                                                                                                    \
  HOLD_KERNEL(hold_log_softmax_##T) {                                                                                  \
    using C = Computed<T>;                                                                                             \
    auto y = elements<T>(a, 0), x = elements<T>(a, 1);                                                                 \
    eachHeldRow<2>(                                                                                                    \
        a,                                                                                                             \
        [&](const int64(&at)[2]) {                                                                                     \
          auto h = hold<T>(a, 1, at[1]);                                                                               \
          C shift = largestHeld<C>(a, [&](int j) { return h[j]; });                                                    \
          C spread = (C)log_(sumHeld(a, [&](int j) { return exp_(h[j] - shift); }));                                   \
          eachHeld(a, [&](int j, uint64) { h[j] = (h[j] - shift) - spread; });                                         \
          keep<T>(a, 0, at[0], h);                                                                                     \
        },                                                                                                             \
        [&](auto at) {                                                                                                 \
          C shift = largestOf<C>(a, [&](uint64 i) { return x[at(1, i)]; });                                            \
          C spread = (C)log_(sumOf(a, [&](uint64 i) { return exp_(x[at(1, i)] - shift); }));                           \
          forRow(a, [&](uint64 i) { y[at(0, i)] = (x[at(1, i)] - shift) - spread; });                                  \
        });                                                                                                            \
  }
ROWS(SOFTMAX)
