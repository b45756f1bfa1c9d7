#include "row.cuh"

// Gradients from the result y and the upstream gradient u: y (u - sum y u), and u - exp(y) sum u.
#define SOFTMAX_GRADIENT(T)                                                                                            \
  HOLD_KERNEL(hold_softmax_gradient_##T) {                                                                             \
    using C = Computed<T>;                                                                                             \
    auto dst = elements<T>(a, 0), y = elements<T>(a, 1), u = elements<T>(a, 2);                                        \
    eachHeldRow<3>(                                                                                                    \
        a,                                                                                                             \
        [&](const int64(&at)[3]) {                                                                                     \
          auto h = hold<T>(a, 1, at[1]), up = hold<T>(a, 2, at[2]);                                                    \
          C sum = (C)sumHeld(a, [&](int j) { return (double)h[j] * (double)up[j]; });                                  \
          eachHeld(a, [&](int j, uint64) { h[j] = h[j] * (up[j] - sum); });                                            \
          keep<T>(a, 0, at[0], h);                                                                                     \
        },                                                                                                             \
        [&](auto at) {                                                                                                 \
          C sum = (C)sumOf(a, [&](uint64 i) { return (double)y[at(1, i)] * (double)u[at(2, i)]; });                    \
          forRow(a, [&](uint64 i) { dst[at(0, i)] = y[at(1, i)] * (u[at(2, i)] - sum); });                             \
        });                                                                                                            \
  }                                                                                                                    \
  HOLD_KERNEL(hold_log_softmax_gradient_##T) {                                                                         \
    using C = Computed<T>;                                                                                             \
    auto dst = elements<T>(a, 0), y = elements<T>(a, 1), u = elements<T>(a, 2);                                        \
    eachHeldRow<3>(                                                                                                    \
        a,                                                                                                             \
        [&](const int64(&at)[3]) {                                                                                     \
          auto h = hold<T>(a, 1, at[1]), up = hold<T>(a, 2, at[2]);                                                    \
          C sum = (C)sumHeld(a, [&](int j) { return up[j]; });                                                         \
          eachHeld(a, [&](int j, uint64) { h[j] = up[j] - exp_(h[j]) * sum; });                                        \
          keep<T>(a, 0, at[0], h);                                                                                     \
        },                                                                                                             \
        [&](auto at) {                                                                                                 \
          C sum = (C)sumOf(a, [&](uint64 i) { return u[at(2, i)]; });                                                  \
          forRow(a, [&](uint64 i) { dst[at(0, i)] = u[at(2, i)] - exp_(y[at(1, i)]) * sum; });                         \
        });                                                                                                            \
  }
ROWS(SOFTMAX_GRADIENT)
