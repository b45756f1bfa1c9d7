#include "complex.cuh"

BOTH(SAME2, add) BOTH(SAME2, sub) BOTH(SAME2, mul) BOTH(SAME2, div)
BOTH(SAME1, neg) BOTH(SAME1, positive) BOTH(SAME1, conj) BOTH(SAME1, square) BOTH(SAME1, reciprocal)
BOTH(TELL2, equal) BOTH(TELL2, not_equal) BOTH(TELL1, isnan) BOTH(TELL1, isinf) BOTH(TELL1, isfinite)
UNARY(abs, complex64, float) UNARY(abs, complex128, double) UNARY(angle, complex64, float) UNARY(angle, complex128, double)
FLOATS(SAME1, angle)
BOTH(CALCULUS, sign) BOTH(CALCULUS, sqrt)

// Complex numbers of their parts.
#define OF_PARTS(T)                                                                                                    \
  KERNEL(each_complex_##T) {                                                                                           \
    eachElement<3>(a, [&](uint64, const int64(&at)[3]) {                                                               \
      start<Complex<T>>(a, 0)[at[0]] = Complex<T>{start<T>(a, 1)[at[1]], start<T>(a, 2)[at[2]]};                       \
    });                                                                                                                \
  }
OF_PARTS(float32) OF_PARTS(float64)

// Reductions of the inner axes.
#define REDUCE(op, T, one, joined, finished)                                                                           \
  REDUCTION(fold_##op##_##T) {                                                                                         \
    decltype(T::re) count = a.inner;                                                                                   \
    reduced<2, T>(                                                                                                     \
        a, [](const int64(&)[2]) { return T{one, 0}; }, [&](const int64(&at)[2], uint64) { return start<T>(a, 1)[at[1]]; }, \
        [](T x, T y) { return joined; }, [&](const int64(&at)[2], T x) { start<T>(a, 0)[at[0]] = finished; });         \
  }
#define SUM(op, T) REDUCE(sum, T, 0, add_(x, y), x)
#define PROD(op, T) REDUCE(prod, T, 1, mul_(x, y), x)
#define MEAN(op, T) REDUCE(mean, T, 0, add_(x, y), (T{x.re / count, x.im / count}))
BOTH(SUM, ) BOTH(PROD, ) BOTH(MEAN, )

// How many elements are not zero; integers[2] is what the result tells, as in fold.cu.
#define COUNT(op, T)                                                                                                   \
  REDUCTION(fold_count_##T) {                                                                                          \
    int64 tells = a.integers[2];                                                                                       \
    reduced<2, uint64>(                                                                                                \
        a, [](const int64(&)[2]) { return (uint64)0; },                                                                \
        [&](const int64(&at)[2], uint64) {                                                                             \
          T x = start<T>(a, 1)[at[1]];                                                                                 \
          return (uint64)(x.re != 0 || x.im != 0);                                                                     \
        },                                                                                                             \
        [](uint64 x, uint64 y) { return x + y; },                                                                      \
        [&](const int64(&at)[2], uint64 x) {                                                                           \
          if (tells == 0)                                                                                              \
            start<int64>(a, 0)[at[0]] = x;                                                                             \
          else                                                                                                         \
            start<bool>(a, 0)[at[0]] = tells == 1 ? x != 0 : x == a.inner;                                             \
        });                                                                                                            \
  }
BOTH(COUNT, )

// Products of matrices: a thread for each element of the result.
#define MATMUL(op, T)                                                                                                  \
  KERNEL(inner_matmul_##T) {                                                                                           \
    eachElement<3>(a, [&](uint64, const int64(&at)[3]) {                                                               \
      const T *x = start<T>(a, 1) + at[1], *y = start<T>(a, 2) + at[2];                                                \
      int64 nextX = a.operands[1].strides[a.outerAxes], nextY = a.operands[2].strides[a.outerAxes];                    \
      T sum = {0, 0};                                                                                                  \
      for (uint64 k = 0; k < a.inner; k++) sum = add_(sum, mul_(x[k * nextX], y[k * nextY]));                          \
      start<T>(a, 0)[at[0]] = sum;                                                                                     \
    });                                                                                                                \
  }
BOTH(MATMUL, )
