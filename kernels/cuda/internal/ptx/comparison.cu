#include "comparison.cuh"

#define ALL(M, op) NUMBERS(M, op) M(op, bool)

ALL(TELL2, greater)
ALL(TELL2, greater_equal)
ALL(TELL2, less)
ALL(TELL2, less_equal)
ALL(TELL2, equal)
ALL(TELL2, not_equal)
ALL(TELL1, isnan)
ALL(TELL1, isinf)
ALL(TELL1, isfinite)

// An int64 beside a uint64, by the numbers that they are.

DEVICE int compared(int64 x, uint64 y) { return x < 0 || (uint64)x < y ? -1 : (uint64)x > y; }
DEVICE int compared(uint64 x, int64 y) { return -compared(y, x); }

#define MIXED(op)                                                                                                      \
  KERNEL(each_##op##_int64_uint64) {                                                                                   \
    eachElement<3>(a, [&](uint64, const int64(&at)[3]) {                                                               \
      start<bool>(a, 0)[at[0]] = op##_(compared(start<int64>(a, 1)[at[1]], start<uint64>(a, 2)[at[2]]), 0);            \
    });                                                                                                                \
  }                                                                                                                    \
  KERNEL(each_##op##_uint64_int64) {                                                                                   \
    eachElement<3>(a, [&](uint64, const int64(&at)[3]) {                                                               \
      start<bool>(a, 0)[at[0]] = op##_(compared(start<uint64>(a, 1)[at[1]], start<int64>(a, 2)[at[2]]), 0);            \
    });                                                                                                                \
  }
MIXED(greater) MIXED(greater_equal) MIXED(less) MIXED(less_equal) MIXED(equal) MIXED(not_equal)

#define DISCRETE(M, op) INTEGERS(M, op) M(op, bool)

// A number is shifted by the other as an unsigned one: by as many places as it has, or more, it becomes 0, or −1 if it is negative and
// shifted to the right.
template <class T> DEVICE T bitwise_left_shift_(T x, T y) {
  uint64 places = (uint64)y;
  return places < 8 * sizeof(T) ? (T)((uint64)x << places) : (T)0;
}
template <class T> DEVICE T bitwise_right_shift_(T x, T y) {
  uint64 places = (uint64)y, most = 8 * sizeof(T) - 1;
  return places <= most ? (T)(x >> places) : x < 0 ? (T)-1 : (T)0;
}

INTEGERS(SAME2, bitwise_left_shift)
INTEGERS(SAME2, bitwise_right_shift)
DISCRETE(SAME2, bitwise_and)
DISCRETE(SAME2, bitwise_or)
DISCRETE(SAME2, bitwise_xor)
DISCRETE(SAME1, bitwise_invert)
SAME2(logical_and, bool)
SAME2(logical_or, bool)
SAME2(logical_xor, bool)
SAME1(logical_not, bool)

// Logic of other elements: what is not zero is true, a complex number if one of its parts is not. The numbers are those of package dtype.

DEVICE bool isTrue(int64, bits8 x) { return x != 0; }
DEVICE bool isTrue(int64 dtype, bits16 x) { return (dtype >= 10 ? x & 0x7fff : x) != 0; }
DEVICE bool isTrue(int64 dtype, bits32 x) { return (dtype >= 12 ? x & 0x7fffffff : x) != 0; }
DEVICE bool isTrue(int64 dtype, bits64 x) {
  return (dtype == 13 ? x & 0x7fffffffffffffff : dtype == 14 ? x & 0x7fffffff7fffffff : x) != 0;
}
DEVICE bool isTrue(int64, bits128 x) { return ((x.low | x.high) & 0x7fffffffffffffff) != 0; }

#define LOGIC2(op, T)                                                                                                  \
  KERNEL(each_##op##_##T) {                                                                                            \
    int64 type = a.operands[1].dtype;                                                                                  \
    eachElement<3>(a, [&](uint64, const int64(&at)[3]) {                                                               \
      start<bool>(a, 0)[at[0]] = op##_(isTrue(type, start<T>(a, 1)[at[1]]), isTrue(type, start<T>(a, 2)[at[2]]));      \
    });                                                                                                                \
  }
#define LOGIC1(op, T)                                                                                                  \
  KERNEL(each_##op##_##T) {                                                                                            \
    int64 type = a.operands[1].dtype;                                                                                  \
    eachElement<2>(a, [&](uint64, const int64(&at)[2]) {                                                               \
      start<bool>(a, 0)[at[0]] = op##_(isTrue(type, start<T>(a, 1)[at[1]]));                                           \
    });                                                                                                                \
  }
#define SIZES(M, op) M(op, bits8) M(op, bits16) M(op, bits32) M(op, bits64) M(op, bits128)
SIZES(LOGIC2, logical_and)
SIZES(LOGIC2, logical_or)
SIZES(LOGIC2, logical_xor)
SIZES(LOGIC1, logical_not)
