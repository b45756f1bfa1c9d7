#include "index.h"
#include "join.cuh"

// Elements at places that were computed from indices before: as many elements from the start of an operand, or nowhere.

DEVICE int64 nowhere() { return -0x7fffffffffffffff - 1; }

// Adds to operand 0 the place that an index has along an axis: integers are the mode, and the length and stride of the axis.
KERNEL(each_place_any) {
  uint8 *indices = a.operands[1].start;
  int64 type = a.operands[1].dtype;
  eachElement<2>(a, [&](uint64, const int64(&at)[2]) {
    int64 *to = start<int64>(a, 0) + at[0];
    int64 place = placeOf(loadIndex(type, indices, at[1]), a.integers[1], a.integers[0]);
    if (place < 0)
      *to = nowhere();
    else if (*to != nowhere())
      *to += place * a.integers[2];
  });
}

// Places that come again later in their line, of integers[0] in operand 1, which lie one after another, are nowhere.
KERNEL(each_once_any) {
  uint64 length = a.integers[0];
  eachElement<2>(a, [&](uint64 i, const int64(&at)[2]) {
    int64 *from = start<int64>(a, 1), place = from[i];
    for (uint64 later = i + 1; later % length != 0; later++)
      if (from[later] == place) {
        place = nowhere();
        break;
      }
    start<int64>(a, 0)[at[0]] = place;
  });
}

// The elements of operand 1 at the places operand 2; zero for those that are nowhere.
#define PICK(T)                                                                                                        \
  KERNEL(each_pick_##T) {                                                                                              \
    eachElement<3>(a, [&](uint64, const int64(&at)[3]) {                                                               \
      int64 place = start<int64>(a, 2)[at[2]];                                                                         \
      T none = {};                                                                                                     \
      T *to = start<T>(a, 0) + at[0], *from = start<T>(a, 1) + at[1];                                                  \
      if (place == nowhere())                                                                                          \
        *to = none;                                                                                                    \
      else                                                                                                             \
        *to = from[place];                                                                                             \
    });                                                                                                                \
  }
PICK(bits8) PICK(bits16) PICK(bits32) PICK(bits64) PICK(bits128)

// Operand 1 joined to operand 0 at the places operand 2, in their order: every thread looks at all places, and writes those
// that are its own.
#define PUT(reduction, T)                                                                                              \
  KERNEL(spread_put_##reduction##_##T) {                                                                               \
    eachBlock<3>(a, [&](const int64(&outer)[3]) {                                                                      \
      together([&](unsigned t) {                                                                                       \
        for (uint64 i = 0; i < a.inner; i++) {                                                                         \
          int64 at[3] = {outer[0], outer[1], outer[2]};                                                                \
          locate<3>(a, i, a.outerAxes, a.innerAxes, at);                                                               \
          int64 place = start<int64>(a, 2)[at[2]];                                                                     \
          bool own = ((uint64)place * 0x9e3779b97f4a7c15 >> 40) % threads() == t;                                      \
          if (own && place != nowhere()) join_##reduction(start<T>(a, 0) + at[0] + place, start<T>(a, 1) + at[1]);     \
        }                                                                                                              \
      });                                                                                                              \
    });                                                                                                                \
  }
JOINS(PUT)
