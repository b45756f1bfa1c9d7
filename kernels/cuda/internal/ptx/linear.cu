#include "functions.h"

// What follows the product of a fully connected layer, in its place: times scalars[0], plus one or two addends, and the activation that
// integers[0] names, 1 for relu and 2 for gelu. integers[1] is the number of addends.

#define LINEAR(T)                                                                                                      \
  KERNEL(each_linear_##T) {                                                                                            \
    T factor = a.scalars[0], *second = start<T>(a, 2);                                                                 \
    int64 activation = a.integers[0], addends = a.integers[1];                                                         \
    eachElement<3>(a, [&](uint64, const int64(&at)[3]) {                                                               \
      T *to = start<T>(a, 0) + at[0], v = *to;                                                                         \
      if (factor != 1) v *= factor;                                                                                    \
      v += start<T>(a, 1)[at[1]];                                                                                      \
      if (addends > 1) v += second[at[2]];                                                                             \
      if (activation == 1) v = v > 0 || v != v ? v : 0;                                                                \
      if (activation == 2) v = gelu_(v);                                                                               \
      *to = v;                                                                                                         \
    });                                                                                                                \
  }
LINEAR(float32) LINEAR(float64)
