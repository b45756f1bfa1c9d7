#include "index.h"

// What indices select. Of the array that is selected from, or added to, the indexed axes are one axis or a plane of three:
// integers[1] to [3] are their lengths, and integers[4] to [6] their strides. integers[0] is the mode.

// Plane is the indexed axes.
struct Plane {
  int64 mode, rows, columns, next[3];
  uint64 length;
  MEMBER int64 offset(int64 place) const {
    if (rows == 1) return place * next[2]; // of most there is one axis
    return place / columns / rows * next[0] + place / columns % rows * next[1] + place % columns * next[2];
  }
};

DEVICE Plane planeOf(const Arguments &a) {
  Plane p = {a.integers[0], a.integers[2], a.integers[3], {a.integers[4], a.integers[5], a.integers[6]}, 0};
  p.length = (uint64)a.integers[1] * p.rows * p.columns;
  return p;
}

// The parts of operand 1 that operand 2 selects; zero where that is nowhere.
#define TAKE(T)                                                                                                        \
  KERNEL(each_take_##T) {                                                                                              \
    Plane plane = planeOf(a);                                                                                          \
    uint8 *indices = a.operands[2].start;                                                                              \
    int64 type = a.operands[2].dtype;                                                                                  \
    eachElement<3>(a, [&](uint64, const int64(&at)[3]) {                                                               \
      int64 place = placeOf(loadIndex(type, indices, at[2]), plane.length, plane.mode);                                \
      T none = {};                                                                                                     \
      T *to = start<T>(a, 0) + at[0], *from = start<T>(a, 1) + at[1];                                                  \
      if (place < 0)                                                                                                   \
        *to = none;                                                                                                    \
      else                                                                                                             \
        *to = from[plane.offset(place)];                                                                               \
    });                                                                                                                \
  }
TAKE(bits8) TAKE(bits16) TAKE(bits32) TAKE(bits64) TAKE(bits128)

// Zeros with operand 1 added where operand 2 says, in its order: every thread looks at all indices, and adds at the places that are
// its own.
#define SCATTER_ADD(op, T)                                                                                             \
  KERNEL(spread_scatter_add_##T) {                                                                                     \
    Plane plane = planeOf(a);                                                                                          \
    uint8 *indices = a.operands[2].start;                                                                              \
    int64 type = a.operands[2].dtype;                                                                                  \
    eachBlock<3>(a, [&](const int64(&outer)[3]) {                                                                      \
      T *to = start<T>(a, 0) + outer[0], *from = start<T>(a, 1), zero = {};                                            \
      together([&](unsigned t) {                                                                                       \
        for (uint64 i = t; i < plane.length; i += threads()) to[plane.offset(i)] = zero;                               \
        for (uint64 i = 0; i < a.inner; i++) {                                                                         \
          int64 at[3] = {outer[0], outer[1], outer[2]};                                                                \
          locate<3>(a, i, a.outerAxes, a.innerAxes, at);                                                               \
          int64 place = placeOf(loadIndex(type, indices, at[2]), plane.length, plane.mode);                            \
          if (place < 0 || (unsigned)(place % threads()) != t) continue;                                               \
          T *sum = to + plane.offset(place);                                                                           \
          store(sum, load(sum) + load(from + at[1]));                                                                  \
        }                                                                                                              \
      });                                                                                                              \
    });                                                                                                                \
  }
template <class T> struct Complex {
  T re, im;
  MEMBER Complex operator+(Complex y) const { return {re + y.re, im + y.im}; }
};
typedef Complex<float> complex64;
typedef Complex<double> complex128;

NUMBERS(SCATTER_ADD, )
SCATTER_ADD(, complex64) SCATTER_ADD(, complex128)

// integers[0], the bits of a one, where the element's number along the last axis, operand 2, is the index, and zero elsewhere.
DEVICE void storeBits(bits8 *p, uint64 v) { *p = v; }
DEVICE void storeBits(bits16 *p, uint64 v) { *p = v; }
DEVICE void storeBits(bits32 *p, uint64 v) { *p = v; }
DEVICE void storeBits(bits64 *p, uint64 v) { *p = v; }
DEVICE void storeBits(bits128 *p, uint64 v) { *p = Quad{v, 0}; }

#define ONE_HOT(T)                                                                                                     \
  KERNEL(each_one_hot_##T) {                                                                                           \
    uint8 *indices = a.operands[1].start;                                                                              \
    int64 type = a.operands[1].dtype;                                                                                  \
    uint64 one = a.integers[0];                                                                                        \
    eachElement<3>(a, [&](uint64, const int64(&at)[3]) {                                                               \
      Index index = loadIndex(type, indices, at[1]);                                                                   \
      storeBits(start<T>(a, 0) + at[0], !index.negative && index.bits == (uint64)at[2] ? one : 0);                     \
    });                                                                                                                \
  }
ONE_HOT(bits8) ONE_HOT(bits16) ONE_HOT(bits32) ONE_HOT(bits64) ONE_HOT(bits128)

// The number, plus one, of the first of the indices that is out of range, or 0, and its bits. integers[1] is the mode, and
// integers[2] the length.
struct Finding {
  uint64 number, bits;
};

KERNEL(fold_check_any) {
  uint8 *indices = a.operands[1].start;
  int64 type = a.operands[1].dtype, mode = a.integers[1];
  uint64 length = a.integers[2], *to = start<uint64>(a, 0);
  auto earlier = [](Finding x, Finding y) { return y.number - 1 < x.number - 1 ? y : x; };
  Finding first = total<Finding>(
      [&](unsigned t) {
        Finding found = {0, 0};
        for (uint64 i = t; i < a.inner; i += threads()) {
          int64 at[2] = {};
          locate<2>(a, i, a.outerAxes, a.innerAxes, at);
          Index x = loadIndex(type, indices, at[1]);
          bool nowhere = mode == modeNowhere && x.negative && x.bits == ~(uint64)0;
          if (placeOf(x, length, mode) < 0 && !nowhere) found = earlier(found, Finding{i + 1, x.bits});
        }
        return found;
      },
      earlier);
  together([&](unsigned t) {
    if (t == 0) {
      to[0] = first.number;
      to[1] = first.bits;
    }
  });
}
