#include "functions.h"

// What follows the product of a fully connected layer, in its place: times scalars[0], plus one or two addends, and the activation that
// integers[0] names, 1 for relu and 2 for gelu. integers[1] is the number of addends. Products of 16 bits have been rounded.

#define LINEAR(T)                                                                                                      \
  KERNEL(each_linear_##T) {                                                                                            \
    using C = Computed<T>;                                                                                             \
    C factor = (C)a.scalars[0];                                                                                        \
    auto to = elements<T>(a, 0), first = elements<T>(a, 1), second = elements<T>(a, 2);                                \
    int64 activation = a.integers[0], addends = a.integers[1];                                                         \
    eachElement<3>(a, [&](uint64, const int64(&at)[3]) {                                                               \
      C v = to[at[0]];                                                                                                 \
      if (factor != 1) v *= factor;                                                                                    \
      v += first[at[1]];                                                                                               \
      if (addends > 1) v += second[at[2]];                                                                             \
      if (activation == 1) v = v > 0 || v != v ? v : 0;                                                                \
      if (activation == 2) v = gelu_(v);                                                                               \
      to[at[0]] = v;                                                                                                   \
    });                                                                                                                \
  }
LINEAR(float16) LINEAR(bfloat16) LINEAR(float32) LINEAR(float64)
