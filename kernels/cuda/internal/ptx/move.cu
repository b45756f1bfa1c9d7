#include "weft.h"

// What moves elements whatever they are.

template <class T> DEVICE T choose(bool first, T x, T y) { return first ? x : y; }
DEVICE Quad choose(bool first, Quad x, Quad y) { return Quad{first ? x.low : y.low, first ? x.high : y.high}; }

#define COPY(T) \
  KERNEL(pack_copy_##T) { unary<false, T, T>(a, [](T x) { return x; }); }
#define WHERE(T) \
  KERNEL(pack_where_##T) { ternary<false, T, bool, T, T>(a, [](bool first, T x, T y) { return choose(first, x, y); }); }

// The triangle of matrices up to the diagonal integers[0], or from there on if integers[3] is not zero; zeros elsewhere. Rows and columns
// are integers[1] and [2].
#define TRIANGLE(T)                                                                                                    \
  KERNEL(each_triangle_##T) {                                                                                          \
    int64 diagonal = a.integers[0], rows = a.integers[1], columns = a.integers[2];                                     \
    bool upper = a.integers[3];                                                                                        \
    eachElement<2>(a, [&](uint64 i, const int64(&at)[2]) {                                                             \
      int64 above = (int64)(i % columns) - (int64)(i / columns % rows) - diagonal;                                     \
      start<T>(a, 0)[at[0]] = choose(upper ? above >= 0 : above <= 0, start<T>(a, 1)[at[1]], T{});                     \
    });                                                                                                                \
  }
#define CLEAR(T)                                                                                                       \
  KERNEL(each_clear_##T) {                                                                                             \
    eachElement<1>(a, [&](uint64, const int64(&at)[1]) { start<T>(a, 0)[at[0]] = T{}; });                              \
  }

COPY(bits8) COPY(bits16) COPY(bits32) COPY(bits64) COPY(bits128)
WHERE(bits8) WHERE(bits16) WHERE(bits32) WHERE(bits64) WHERE(bits128)
TRIANGLE(bits8) TRIANGLE(bits16) TRIANGLE(bits32) TRIANGLE(bits64) TRIANGLE(bits128)
CLEAR(bits8) CLEAR(bits16) CLEAR(bits32) CLEAR(bits64) CLEAR(bits128)

// The casts follow one rule on every device: to an integer, floats are truncated toward zero, those out of range become the
// nearest integer of the type and NaN becomes 0; integers wrap round between each other; to a float, the nearest one with ties
// to even, in one rounding; to bool, whether the element is not zero.

// The numbers of package dtype.
enum {
  dtypeBool = 1, dtypeInt8, dtypeInt16, dtypeInt32, dtypeInt64, dtypeUint8, dtypeUint16, dtypeUint32, dtypeUint64,
  dtypeFloat16, dtypeBFloat16, dtypeFloat32, dtypeFloat64, dtypeComplex64, dtypeComplex128,
};

// Number is an element of any type: an integer in 64 bits, or a float, which is the real part of a complex number.
struct Number {
  bool isFloat, isUnsigned;
  uint64 integer;
  double number, imaginary;
};

DEVICE Number fromFloat(double v, double imaginary = 0) { return Number{true, false, 0, v, imaginary}; }
DEVICE Number fromSigned(int64 v) { return Number{false, false, (uint64)v, 0, 0}; }
DEVICE Number fromUnsigned(uint64 v) { return Number{false, true, v, 0, 0}; }

DEVICE Number loadNumber(int64 dtype, const uint8 *p, int64 i) {
  switch (dtype) {
  case dtypeBool: case dtypeUint8: return fromUnsigned(p[i]);
  case dtypeUint16: return fromUnsigned(((const uint16 *)p)[i]);
  case dtypeUint32: return fromUnsigned(((const uint32 *)p)[i]);
  case dtypeUint64: return fromUnsigned(((const uint64 *)p)[i]);
  case dtypeInt8: return fromSigned(((const int8 *)p)[i]);
  case dtypeInt16: return fromSigned(((const int16 *)p)[i]);
  case dtypeInt32: return fromSigned(((const int32 *)p)[i]);
  case dtypeInt64: return fromSigned(((const int64 *)p)[i]);
  case dtypeFloat16: return fromFloat(load((const float16 *)p + i));
  case dtypeBFloat16: return fromFloat(load((const bfloat16 *)p + i));
  case dtypeFloat32: return fromFloat(((const float *)p)[i]);
  case dtypeFloat64: return fromFloat(((const double *)p)[i]);
  case dtypeComplex64: return fromFloat(((const float *)p)[2 * i], ((const float *)p)[2 * i + 1]);
  default: return fromFloat(((const double *)p)[2 * i], ((const double *)p)[2 * i + 1]);
  }
}

// toInteger converts to an integer from low to high, the limits of its type; wide is a power of two above high if it is no double.
DEVICE uint64 toInteger(Number v, int64 low, uint64 high) {
  if (!v.isFloat) return v.integer;
  if (v.number >= (double)high) return high;
  if (v.number > (double)low) return v.number < 0 ? (uint64)(int64)v.number : (uint64)v.number;
  return v.number <= (double)low ? (uint64)low : 0;
}

// oddSingle rounds to odd, so that a rounding to fewer bits is as good as one of v: Boldo and Melquiond, "Emulation of FMA and
// correctly rounded sums", IEEE Transactions on Computers 57(4), 2008.
DEVICE float oddSingle(double v) {
  float nearest = (float)v;
  if ((double)nearest == v || v != v) return nearest;
  uint32 bits = bitsOf(nearest);
  if (__builtin_fabs((double)nearest) > __builtin_fabs(v)) bits--;
  return singleOf(bits | 1);
}

// toSingle converts to float32 in one rounding, to odd where that is to be rounded again.
DEVICE float toSingle(Number v, bool odd) {
  if (v.isFloat) return odd ? oddSingle(v.number) : (float)v.number;
  bool negative = !v.isUnsigned && (int64)v.integer < 0;
  uint64 magnitude = negative ? 0 - v.integer : v.integer;
  if (!odd) return negative ? -(float)magnitude : (float)magnitude;
  if (magnitude >> 53) { // keep in the last bit that a double holds whether there were others
    uint64 lost = magnitude & 2047;
    magnitude = (magnitude & ~(uint64)2047) | (lost ? 2048 : 0);
  }
  float f = oddSingle((double)magnitude);
  return negative ? -f : f;
}

DEVICE double toDouble(Number v) {
  return v.isFloat ? v.number : v.isUnsigned ? (double)v.integer : (double)(int64)v.integer;
}

DEVICE void storeNumber(int64 dtype, uint8 *p, int64 i, Number v) {
  switch (dtype) {
  case dtypeBool: p[i] = v.isFloat ? v.number != 0 || v.imaginary != 0 : v.integer != 0; break;
  case dtypeInt8: ((int8 *)p)[i] = (int8)toInteger(v, -128, 127); break;
  case dtypeInt16: ((int16 *)p)[i] = (int16)toInteger(v, -32768, 32767); break;
  case dtypeInt32: ((int32 *)p)[i] = (int32)toInteger(v, -2147483648LL, 2147483647); break;
  case dtypeInt64: ((int64 *)p)[i] = (int64)toInteger(v, -9223372036854775807LL - 1, 9223372036854775807ULL); break;
  case dtypeUint8: p[i] = (uint8)toInteger(v, 0, 255); break;
  case dtypeUint16: ((uint16 *)p)[i] = (uint16)toInteger(v, 0, 65535); break;
  case dtypeUint32: ((uint32 *)p)[i] = (uint32)toInteger(v, 0, 4294967295U); break;
  case dtypeUint64: ((uint64 *)p)[i] = toInteger(v, 0, ~0ULL); break;
  case dtypeFloat16: store((float16 *)p + i, toSingle(v, true)); break;
  case dtypeBFloat16: store((bfloat16 *)p + i, toSingle(v, true)); break;
  case dtypeFloat32: ((float *)p)[i] = toSingle(v, false); break;
  case dtypeFloat64: ((double *)p)[i] = toDouble(v); break;
  case dtypeComplex64:
    ((float *)p)[2 * i] = toSingle(v, false);
    ((float *)p)[2 * i + 1] = (float)v.imaginary;
    break;
  default:
    ((double *)p)[2 * i] = toDouble(v);
    ((double *)p)[2 * i + 1] = v.imaginary;
  }
}

KERNEL(each_cast_any) {
  uint8 *to = a.operands[0].start, *from = a.operands[1].start;
  int64 toType = a.operands[0].dtype, fromType = a.operands[1].dtype;
  eachElement<2>(a, [&](uint64, const int64(&at)[2]) { storeNumber(toType, to, at[0], loadNumber(fromType, from, at[1])); });
}

// Integers are given as integers, which wrap round, floats as scalars.
KERNEL(each_fill_any) {
  uint8 *to = a.operands[0].start;
  int64 dtype = a.operands[0].dtype;
  Number v = dtype >= dtypeFloat16 ? fromFloat(a.scalars[0]) : fromSigned(a.integers[0]);
  eachElement<1>(a, [&](uint64, const int64(&at)[1]) { storeNumber(dtype, to, at[0], v); });
}
