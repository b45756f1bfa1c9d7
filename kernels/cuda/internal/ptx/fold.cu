#include "order.h"
#include "reduce.h"

// Reductions of the inner axes of an operand. Sums and products of integers have 64 bits, and wrap round; those of numbers of 16 bits are
// computed in float32.

#define FOLD(op, T, R, S, empty, value, joined, finished)                                                              \
  REDUCTION(fold_##op##_##T) {                                                                                         \
    bool isSigned = a.integers[1];                                                                                     \
    reduced<2, S>(                                                                                                     \
        a, [](const int64(&)[2]) { return (S)(empty); },                                                               \
        [&](const int64(&at)[2], uint64) {                                                                             \
          S x = wide(start<T>(a, 1) + at[1], isSigned);                                                                \
          return (S)(value);                                                                                           \
        },                                                                                                             \
        [](S x, S y) { return (S)(joined); }, [&](const int64(&at)[2], S x) { store(start<R>(a, 0) + at[0], finished); }); \
  }

// wide returns an element as it is summed, that of an integer with sign where integers[1] says so.
DEVICE uint64 wide(const word8 *p, bool isSigned) { return isSigned ? (uint64)(int8)*p : *p; }
DEVICE uint64 wide(const word16 *p, bool isSigned) { return isSigned ? (uint64)(int16)*p : *p; }
DEVICE uint64 wide(const word32 *p, bool isSigned) { return isSigned ? (uint64)(int32)*p : *p; }
DEVICE uint64 wide(const word64 *p, bool) { return *p; }
template <class T> DEVICE Computed<T> wide(const T *p, bool) { return load(p); }

DEVICE uint64 magnitude(uint64 x, bool isSigned) { return isSigned && (int64)x < 0 ? 0 - x : x; }
template <class S> DEVICE S magnitude(S x, bool) { return x < 0 ? 0 - x : x; }

#define SUM(T, R, S) FOLD(sum, T, R, S, 0, x, x + y, x)
#define PROD(T, R, S) FOLD(prod, T, R, S, 1, x, x * y, x)
#define ASUM(T, R, S) FOLD(asum, T, R, S, 0, magnitude(x, isSigned), x + y, x)
#define SUMSQ(T, R, S) FOLD(sumsq, T, R, S, 0, x * x, x + y, x)
#define WIDE(M)                                                                                                        \
  M(word8, uint64, uint64) M(word16, uint64, uint64) M(word32, uint64, uint64) M(word64, uint64, uint64)               \
  M(float16, float16, float) M(bfloat16, bfloat16, float) M(float32, float32, float) M(float64, float64, double)
WIDE(SUM)
WIDE(PROD)
WIDE(ASUM)
WIDE(SUMSQ)

#define MEAN(op, T) FOLD(mean, T, T, Computed<T>, 0, x, x + y, x / (Computed<T>)a.inner)
FLOATS(MEAN, mean)
#define MEAN_OF(op, T) FOLD(mean, T, double, double, 0, x, x + y, x / (double)a.inner)
INTEGERS(MEAN_OF, mean) MEAN_OF(mean, bool)

// How many elements are not zero: with bits of integers[1], which leave out the sign of a float. integers[2] is what the result tells.

enum { countAll, countIsSome, countIsAll };

#define COUNT(T)                                                                                                       \
  REDUCTION(fold_count_##T) {                                                                                          \
    uint64 mask = a.integers[1];                                                                                       \
    int64 tells = a.integers[2];                                                                                       \
    reduced<2, uint64>(                                                                                                \
        a, [](const int64(&)[2]) { return (uint64)0; },                                                                \
        [&](const int64(&at)[2], uint64) { return (uint64)((start<T>(a, 1)[at[1]] & mask) != 0); },                    \
        [](uint64 x, uint64 y) { return x + y; },                                                                      \
        [&](const int64(&at)[2], uint64 x) {                                                                           \
          if (tells == countAll)                                                                                       \
            start<int64>(a, 0)[at[0]] = x;                                                                             \
          else                                                                                                         \
            start<bool>(a, 0)[at[0]] = tells == countIsSome ? x != 0 : x == a.inner;                                   \
        });                                                                                                            \
  }
COUNT(word8) COUNT(word16) COUNT(word32) COUNT(word64)

// The first of the largest elements, by keys: NaN where one is. integers[1] to [4] are the order; integers[5] is whether the result is the
// number of the element.

struct Candidate { uint64 key, number; };

#define EXTREME(T)                                                                                                     \
  REDUCTION(fold_extreme_##T) {                                                                                        \
    Order o = orderOf<T>(a, 1);                                                                                        \
    uint64 nan = o.isFloat ? ((uint64)o.nan ^ highest) : 0;                                                            \
    bool wantsNumber = a.integers[5], smallest = o.descending;                                                         \
    o.descending = false;                                                                                              \
    reduced<2, Candidate>(                                                                                             \
        a, [](const int64(&)[2]) { return Candidate{0, ~(uint64)0}; },                                                 \
        [&](const int64(&at)[2], uint64 i) {                                                                           \
          uint64 key = keyOf(start<T>(a, 1)[at[1]], o);                                                                \
          if (o.isFloat && key >= nan)                                                                                 \
            key = ~(uint64)0;                                                                                          \
          else if (smallest)                                                                                           \
            key = ~key;                                                                                                \
          return Candidate{key, i};                                                                                    \
        },                                                                                                             \
        [](Candidate x, Candidate y) {                                                                                 \
          bool other = y.key > x.key || (y.key == x.key && y.number < x.number);                                       \
          return Candidate{other ? y.key : x.key, other ? y.number : x.number};                                        \
        },                                                                                                             \
        [&](const int64(&outer)[2], Candidate c) {                                                                     \
          if (wantsNumber) {                                                                                           \
            start<int64>(a, 0)[outer[0]] = c.number;                                                                   \
            return;                                                                                                    \
          }                                                                                                            \
          int64 at[2] = {outer[0], outer[1]};                                                                          \
          locate<2>(a, c.number, a.outerAxes, a.innerAxes, at);                                                        \
          start<T>(a, 0)[at[0]] = start<T>(a, 1)[at[1]];                                                               \
        });                                                                                                            \
  }
EXTREME(word8) EXTREME(word16) EXTREME(word32) EXTREME(word64)
