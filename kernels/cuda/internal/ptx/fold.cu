#include "weft.h"

// Reductions of the inner axes of an operand. Each thread of a block takes every so many elements, in order; the threads' results
// are joined in a tree. So the order depends on the shape alone, and the error of a sum grows with its count over the threads.

// elementOf returns element i of the inner axes of operand 1, whose outer axes are at the given place.
template <class T> DEVICE Computed<T> elementOf(const Arguments &a, int64 outer, uint64 i) {
  int64 at[2] = {0, outer};
  locate<2>(a, i, a.outerAxes, a.innerAxes, at);
  return load(start<T>(a, 1) + at[1]);
}

// folded reduces what read makes of elements and their numbers, from empty on, and stores what finish makes of the result.
template <class T, class R, class S, class Read, class Join, class Finish>
DEVICE void folded(const Arguments &a, S empty, Read read, Join join, Finish finish) {
  eachBlock<2>(a, [&](const int64(&at)[2]) {
    S result = total<S>(
        [&](unsigned t) {
          S part = empty;
          for (uint64 i = t; i < a.inner; i += threads()) part = join(part, read(elementOf<T>(a, at[1], i), i));
          return part;
        },
        join);
    together([&](unsigned t) {
      if (t == 0) store(start<R>(a, 0) + at[0], finish(result));
    });
  });
}

#define FOLD(op, T, R, S, empty, value, joined, finished)                                                              \
  KERNEL(fold_##op##_##T) {                                                                                            \
    folded<T, R, S>(                                                                                                   \
        a, (S)(empty), [&](Computed<T> x, uint64) { return (S)(value); }, [](S x, S y) { return (S)(joined); },        \
        [&](S x) { return finished; });                                                                                \
  }

// Sums and products of integers have 64 bits; those of numbers of 16 bits are computed in float32.
#define SUM(T, R, S) FOLD(sum, T, R, S, 0, x, x + y, x)
#define PROD(T, R, S) FOLD(prod, T, R, S, 1, x, x * y, x)
#define ASUM(T, R, S) FOLD(asum, T, R, S, 0, (S)x < 0 ? 0 - (S)x : (S)x, x + y, x)
#define SUMSQ(T, R, S) FOLD(sumsq, T, R, S, 0, (S)x * (S)x, x + y, x)
#define WIDE(M)                                                                                                        \
  M(bool, int64, int64) M(int8, int64, int64) M(int16, int64, int64) M(int32, int64, int64) M(int64, int64, int64)     \
  M(uint8, uint64, uint64) M(uint16, uint64, uint64) M(uint32, uint64, uint64) M(uint64, uint64, uint64)               \
  M(float16, float16, float) M(bfloat16, bfloat16, float) M(float32, float32, float) M(float64, float64, double)
WIDE(SUM)
WIDE(PROD)
WIDE(ASUM)
WIDE(SUMSQ)

#define MEAN(op, T) FOLD(mean, T, T, Computed<T>, 0, x, x + y, x / (Computed<T>)a.inner)
FLOATS(MEAN, mean)

#define COUNT(op, T) FOLD(count_nonzero, T, int64, int64, 0, x != 0, x + y, x)
#define ANY(op, T) FOLD(any, T, bool, int64, 0, x != 0, x | y, x != 0)
#define EVERY(op, T) FOLD(all, T, bool, int64, 1, x != 0, x & y, x != 0)
#define ALL(M) NUMBERS(M, ) M(, bool)
ALL(COUNT)
ALL(ANY)
ALL(EVERY)

// Extremes: NaN where an element is. What is before the first element is the element with number 0.

template <class T> struct Place1 { T value; uint64 index; };

template <class T> DEVICE bool isNaN(T x) { return x != x; }

// Of two equal ones the first is better, but 0 is larger than -0.
template <bool largest, class T> DEVICE bool better(Place1<T> x, Place1<T> y, bool zeros) {
  if (isNaN(x.value) || isNaN(y.value)) return isNaN(x.value) && (!isNaN(y.value) || x.index < y.index);
  if (x.value != y.value) return (x.value > y.value) == largest;
  if (zeros && x.value == 0) {
    bool below = 1 / (double)x.value < 0, other = 1 / (double)y.value < 0;
    if (below != other) return below != largest;
  }
  return x.index < y.index;
}

template <bool largest, class T, class R, class Finish> DEVICE void extreme(const Arguments &a, bool zeros, Finish finish) {
  typedef Place1<Computed<T>> S;
  eachBlock<2>(a, [&](const int64(&at)[2]) {
    auto join = [&](S x, S y) { return better<largest>(y, x, zeros) ? y : x; };
    S best = total<S>(
        [&](unsigned t) {
          S part = {elementOf<T>(a, at[1], 0), 0};
          for (uint64 i = t; i < a.inner; i += threads()) part = join(part, S{elementOf<T>(a, at[1], i), i});
          return part;
        },
        join);
    together([&](unsigned t) {
      if (t == 0) store(start<R>(a, 0) + at[0], finish(best));
    });
  });
}

#define EXTREMES(op, T)                                                                                                \
  KERNEL(fold_max_##T) { extreme<true, T, T>(a, true, [](Place1<Computed<T>> b) { return b.value; }); }                \
  KERNEL(fold_min_##T) { extreme<false, T, T>(a, true, [](Place1<Computed<T>> b) { return b.value; }); }               \
  KERNEL(fold_argmax_##T) { extreme<true, T, int64>(a, false, [](Place1<Computed<T>> b) { return (int64)b.index; }); } \
  KERNEL(fold_argmin_##T) { extreme<false, T, int64>(a, false, [](Place1<Computed<T>> b) { return (int64)b.index; }); }
ALL(EXTREMES)
