#include "order.h"
#include "join.cuh"

// What is made of some of many elements, which flags tell: their numbers in a list, in order, and for each element how many before it are
// in the list. Flags are cut into chunks; how many are set before each chunk is known when the list is made.

DEVICE int64 nowhere() { return -0x7fffffffffffffff - 1; }

// Operands: flags, a chunk in each row, and what is before each; the list, and the numbers in it of the first integers[0] elements.
// An element stands for its place in an array of integers[1] axes: their sizes follow, and then their strides.
KERNEL(row_list_any) {
  uint64 numbers = a.integers[0];
  int64 axes = a.integers[1];
  SHARED(uint64, befores, maxThreads + 1);
  const uint8 *flags = start<uint8>(a, 0);
  int64 *list = start<int64>(a, 2), *number = start<int64>(a, 3);
  for (uint64 chunk = block(); chunk < a.count; chunk += blocks()) {
    uint64 first = chunk * a.inner, each = (a.inner + threads() - 1) / threads();
    auto own = [&](unsigned t, auto body) {
      for (uint64 i = t * each; i < (t + 1) * each && i < a.inner; i++) body(first + i);
    };
    together([&](unsigned t) {
      uint64 count = 0;
      own(t, [&](uint64 i) { count += flags[i]; });
      befores[t + 1] = count;
    });
    together([&](unsigned t) {
      if (t > 0) return;
      befores[0] = start<int64>(a, 1)[chunk];
      for (unsigned k = 0; k < threads(); k++) befores[k + 1] += befores[k];
    });
    together([&](unsigned t) {
      uint64 at = befores[t];
      own(t, [&](uint64 i) {
        if (flags[i]) {
          uint64 rest = i;
          int64 place = 0;
          for (int64 axis = axes - 1; axis >= 0; axis--) {
            uint64 size = a.integers[2 + axis];
            place += (int64)(rest % size) * a.integers[2 + axes + axis];
            rest /= size;
          }
          list[at++] = place;
        }
        if (i < numbers) number[i] = (int64)at - 1;
      });
    });
  }
}

// Where the flags are set other than integers[0] times, operand 1, that is found: its number is 1, its bits are how often.
struct Finding { uint64 number, bits; };

KERNEL(each_check_total_any) {
  int64 wanted = a.integers[0];
  eachElement<2>(a, [&](uint64, const int64(&at)[2]) {
    int64 total = start<int64>(a, 1)[at[1]];
    start<Finding>(a, 0)[at[0]] = Finding{total != wanted, (uint64)total};
  });
}

// Operand 1 joined to operand 0 at the places operand 2, all of them different.
#define SET(reduction, T)                                                                                              \
  KERNEL(each_set_##reduction##_##T) {                                                                                 \
    eachElement<3>(a, [&](uint64, const int64(&at)[3]) {                                                               \
      int64 place = start<int64>(a, 2)[at[2]];                                                                         \
      if (place != nowhere()) join_##reduction(start<T>(a, 0) + at[0] + place, start<T>(a, 1) + at[1]);                \
    });                                                                                                                \
  }
JOINS(SET)

// The index, along the axis that the first axis of operand 0 numbers, of the elements in the list operand 1; integers are how many that
// has, and the sizes of the axes.
KERNEL(each_index_any) {
  uint64 count = a.integers[0];
  eachElement<2>(a, [&](uint64 i, const int64(&at)[2]) {
    uint64 axis = i / count, behind = 1;
    for (uint64 k = axis + 1; a.integers[k + 1] > 0; k++) behind *= a.integers[k + 1];
    int64 number = start<int64>(a, 1)[at[1]];
    start<int64>(a, 0)[at[0]] = number == nowhere() ? 0 : (uint64)number / behind % (uint64)a.integers[axis + 1];
  });
}

// Pair is an element on its way through a sort; see sort.cu.
struct Pair { uint64 key, number; };

// Flags, operand 0, of sorted pairs that differ from the one before, as each NaN does. integers[0] to [3] are the order.
#define DIFFERENT(T)                                                                                                   \
  KERNEL(each_different_##T) {                                                                                         \
    Order o = orderOf<T>(a, 0);                                                                                        \
    uint64 nan = o.isFloat ? (uint64)o.nan ^ highest : 0;                                                              \
    eachElement<2>(a, [&](uint64 i, const int64(&at)[2]) {                                                             \
      const Pair *pair = start<Pair>(a, 1) + at[1];                                                                    \
      start<uint8>(a, 0)[at[0]] = i == 0 || pair[0].key != pair[-1].key || (o.isFloat && pair->key >= nan);            \
    });                                                                                                                \
  }
DIFFERENT(word8) DIFFERENT(word16) DIFFERENT(word32) DIFFERENT(word64)

// Operands: the elements that differ, the numbers of their firsts, and how many there are of each; the list of their places among sorted
// pairs, these, and all elements in row-major order. What is left is zero.
#define RUNS(T)                                                                                                        \
  KERNEL(each_runs_##T) {                                                                                              \
    eachElement<6>(a, [&](uint64 i, const int64(&at)[6]) {                                                             \
      const int64 *list = start<int64>(a, 3) + i;                                                                      \
      int64 place = list[0], end = i + 1 < a.count && list[1] != nowhere() ? list[1] : (int64)a.count;                 \
      bool inside = place != nowhere();                                                                                \
      int64 number = inside ? (int64)start<Pair>(a, 4)[place].number : 0;                                              \
      start<T>(a, 0)[at[0]] = inside ? start<T>(a, 5)[number] : (T)0;                                                  \
      start<int64>(a, 1)[at[1]] = number;                                                                              \
      start<int64>(a, 2)[at[2]] = inside ? end - place : 0;                                                            \
    });                                                                                                                \
  }
RUNS(word8) RUNS(word16) RUNS(word32) RUNS(word64)

// Operands: a number for each element in row-major order, that of each sorted pair, and the pairs.
KERNEL(each_unsorted_any) {
  int64 *to = start<int64>(a, 0);
  eachElement<3>(a, [&](uint64, const int64(&at)[3]) { to[start<Pair>(a, 2)[at[2]].number] = start<int64>(a, 1)[at[1]]; });
}

// Where elements, operand 1, belong in a line, operand 2: integers[0] to [3] are the order, [4] and [5] the length and stride of the line,
// and [6] is whether they come behind equal ones.
#define SEARCH(T)                                                                                                      \
  KERNEL(each_search_##T) {                                                                                            \
    Order o = orderOf<T>(a, 0);                                                                                        \
    uint64 length = a.integers[4];                                                                                     \
    int64 next = a.integers[5];                                                                                        \
    bool behind = a.integers[6];                                                                                       \
    eachElement<3>(a, [&](uint64, const int64(&at)[3]) {                                                               \
      const T *line = start<T>(a, 2);                                                                                  \
      uint64 key = keyOf(start<T>(a, 1)[at[1]], o), lo = 0, hi = length;                                               \
      while (lo < hi) {                                                                                                \
        uint64 middle = lo + (hi - lo) / 2, other = keyOf(line[(int64)middle * next], o);                              \
        if (other < key || (behind && other == key))                                                                   \
          lo = middle + 1;                                                                                             \
        else                                                                                                           \
          hi = middle;                                                                                                 \
      }                                                                                                                \
      start<int64>(a, 0)[at[0]] = lo;                                                                                  \
    });                                                                                                                \
  }
SEARCH(word8) SEARCH(word16) SEARCH(word32) SEARCH(word64)

// The number, plus one, of the first element of a line that is NaN, and then bits are 1, or less than the one before. integers[1] to [4]
// are the order, [5] the stride of the line.
#define ASCENDING(T)                                                                                                   \
  KERNEL(fold_check_ascending_##T) {                                                                                   \
    Order o = orderOf<T>(a, 1);                                                                                        \
    uint64 nan = o.isFloat ? (uint64)o.nan ^ highest : 0;                                                              \
    int64 next = a.integers[5];                                                                                        \
    auto earlier = [](Finding x, Finding y) { return y.number - 1 < x.number - 1 ? y : x; };                           \
    Finding first = total<Finding>(                                                                                    \
        [&](unsigned t) {                                                                                              \
          Finding found = {0, 0};                                                                                      \
          const T *line = start<T>(a, 1);                                                                              \
          for (uint64 i = t; i < a.inner; i += threads()) {                                                            \
            uint64 key = keyOf(line[(int64)i * next], o), before = i ? keyOf(line[(int64)(i - 1) * next], o) : 0;      \
            bool isNaN = o.isFloat && key >= nan;                                                                      \
            if (isNaN || (i > 0 && key < before)) found = earlier(found, Finding{i + 1, isNaN});                       \
          }                                                                                                            \
          return found;                                                                                                \
        },                                                                                                             \
        earlier);                                                                                                      \
    together([&](unsigned t) {                                                                                         \
      if (t == 0) *start<Finding>(a, 0) = first;                                                                       \
    });                                                                                                                \
  }
ASCENDING(word8) ASCENDING(word16) ASCENDING(word32) ASCENDING(word64)

// Adds one at the place in operand 0 that each element of operand 1 is, of integers[0]: in any order, because these are integers.
// integers[1] is the stride of operand 0.
DEVICE void addOne(int64 *to) {
#ifdef HOST
  ++*to;
#else
  asm volatile("red.global.add.u64 [%0], 1;" ::"l"(to) : "memory");
#endif
}

KERNEL(each_bincount_any) {
  uint64 length = a.integers[0];
  int64 next = a.integers[1];
  eachElement<2>(a, [&](uint64, const int64(&at)[2]) {
    int64 number = start<int64>(a, 1)[at[1]];
    if ((uint64)number < length) addOne(start<int64>(a, 0) + number * next);
  });
}
