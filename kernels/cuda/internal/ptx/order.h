#pragma once
#include "weft.h"

// The order of elements by the bits of words of their size: NaN is above all, positive ones before negative ones and each by their
// payload, and −0 is below 0. It is kernels/cpu/sorting/order.go in C++; keys have 64 bits, and are unsigned.

struct Order {
  uint64 mask, shift; // of the magnitude of floats, and of their significand
  int64 nan;          // the smallest key of a NaN
  int64 bits;         // of a word
  bool isUnsigned, isFloat, equals, descending;
};

// orderOf reads integers[i], the bits of the significand of floats, [i + 1], whether integers are unsigned, [i + 2], whether what compares
// equal has one key, as −0 and 0 and all NaN, and [i + 3], whether the largest has the smallest key.
template <class W> DEVICE Order orderOf(const Arguments &a, int i) {
  Order o = {0, 0, 0, 8 * sizeof(W), a.integers[i + 1] != 0, a.integers[i] != 0, a.integers[i + 2] != 0, a.integers[i + 3] != 0};
  if (o.isFloat) {
    o.mask = ((uint64)1 << (o.bits - 1)) - 1;
    o.shift = ((uint64)1 << a.integers[i]) - 1;
    o.nan = (int64)(o.mask - o.shift) + 1 - (int64)o.shift;
  }
  return o;
}

// extended returns the low bits of x with their sign.
DEVICE int64 extended(uint64 x, int64 bits) { return (int64)(x << (64 - bits)) >> (64 - bits); }

DEVICE int64 turned(int64 x, const Order &o) { return x < 0 ? (int64)((uint64)x ^ o.mask) : x; }

const uint64 highest = (uint64)1 << 63;

// keyOf returns the key of the element with the given bits.
DEVICE uint64 keyOf(uint64 word, const Order &o) {
  uint64 key = word;
  if (!o.isUnsigned) {
    int64 k = extended((uint64)turned(extended(word, o.bits), o) - o.shift, o.bits);
    if (o.equals && o.isFloat) {
      if (k == -1 - (int64)o.shift) k++;
      if (k > o.nan) k = o.nan;
    }
    key = (uint64)k ^ highest;
  }
  return o.descending ? ~key : key;
}

// wordOf returns the bits of the element with the given key, where different ones have different keys.
DEVICE uint64 wordOf(uint64 key, const Order &o) {
  if (o.descending) key = ~key;
  if (o.isUnsigned) return key;
  return (uint64)turned(extended((key ^ highest) + o.shift, o.bits), o);
}
