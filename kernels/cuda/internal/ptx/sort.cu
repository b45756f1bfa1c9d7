#include "order.h"

// Sorting along the last axis: runs of up to 256 elements by counting what comes before each, then pairs of runs are merged, where each
// element finds its place by a binary search in the other run (Cole, "Parallel merge sort", SIAM Journal on Computing 17(4), 1988, of which
// this is the simplest form). Equal keys stay in order.

enum { runLength = 256 };

// Pair is an element on its way.
struct Pair { uint64 key, number; };

// Operands: pairs, elements. integers[0] to [3] are the order. Blocks take runs.
#define SORT_RUNS(T)                                                                                                   \
  KERNEL(spread_sort_runs_##T) {                                                                                       \
    Order o = orderOf<T>(a, 0);                                                                                        \
    SHARED(uint64, keys, runLength);                                                                                   \
    for (uint64 unit = block(); unit < a.count * a.parts; unit += blocks()) {                                          \
      uint64 line = unit / a.parts, first = unit % a.parts * runLength;                                                \
      uint64 length = a.inner - first < runLength ? a.inner - first : runLength;                                       \
      int64 outer[2] = {};                                                                                             \
      locate<2>(a, line, 0, a.outerAxes, outer);                                                                       \
      together([&](unsigned t) {                                                                                       \
        for (unsigned i = t; i < length; i += threads()) {                                                             \
          int64 at[2] = {outer[0], outer[1]};                                                                          \
          locate<2>(a, first + i, a.outerAxes, a.innerAxes, at);                                                       \
          keys[i] = keyOf(start<T>(a, 1)[at[1]], o);                                                                   \
        }                                                                                                              \
      });                                                                                                              \
      together([&](unsigned t) {                                                                                       \
        Pair *to = start<Pair>(a, 0) + line * a.inner + first;                                                         \
        for (unsigned i = t; i < length; i += threads()) {                                                             \
          uint64 own = keys[i];                                                                                        \
          unsigned place = 0;                                                                                          \
          for (unsigned j = 0; j < length; j++) place += keys[j] < own || (keys[j] == own && j < i);                   \
          to[place] = Pair{own, first + i};                                                                            \
        }                                                                                                              \
      });                                                                                                              \
    }                                                                                                                  \
  }
SORT_RUNS(word8) SORT_RUNS(word16) SORT_RUNS(word32) SORT_RUNS(word64)

// before counts the first of count pairs, which are sorted, whose keys are below key, or not above it.
DEVICE uint64 before(const Pair *pairs, uint64 count, uint64 key, bool orEqual) {
  uint64 lo = 0;
  while (lo < count) {
    uint64 middle = lo + (count - lo) / 2, other = pairs[middle].key;
    if (other < key || (orEqual && other == key))
      lo = middle + 1;
    else
      count = middle;
  }
  return lo;
}

// Operands: merged pairs, pairs. integers[0] is the length of lines, [1] that of runs.
KERNEL(each_merge_runs_any) {
  uint64 length = a.integers[0], run = a.integers[1];
  eachElement<2>(a, [&](uint64 i, const int64(&)[2]) {
    uint64 line = i / length * length, number = i - line, own = number / run, other = own ^ 1;
    const Pair *from = start<Pair>(a, 1) + line;
    Pair *to = start<Pair>(a, 0) + line, pair = from[number];
    uint64 count = other * run >= length ? 0 : length - other * run < run ? length - other * run : run;
    uint64 place = number - own * run + before(from + other * run, count, pair.key, own > other);
    to[(own & ~(uint64)1) * run + place] = pair;
  });
}

// Operands: elements, pairs. integers[0] to [3] are the order.
#define SORTED(T)                                                                                                      \
  KERNEL(each_sorted_##T) {                                                                                            \
    Order o = orderOf<T>(a, 0);                                                                                        \
    eachElement<2>(a, [&](uint64, const int64(&at)[2]) { start<T>(a, 0)[at[0]] = wordOf(start<Pair>(a, 1)[at[1]].key, o); }); \
  }
SORTED(word8) SORTED(word16) SORTED(word32) SORTED(word64)

// Operands: the numbers of elements, pairs.
KERNEL(each_sorted_numbers_any) {
  eachElement<2>(a, [&](uint64, const int64(&at)[2]) { start<int64>(a, 0)[at[0]] = start<Pair>(a, 1)[at[1]].number; });
}
