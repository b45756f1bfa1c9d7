#pragma once
#include "weft.h"

// Indices, of any integer type, and what is done with those out of range.

enum {
  modeRaise,   // an index out of range is an error; negative ones count from the end
  modeWrap,    // it is taken modulo the length
  modeClip,    // the nearest legal one is taken; negative ones are out of range
  modeExact,   // it is an error, and so are negative ones
  modeNowhere, // it is an error, but −1 selects nothing
};

// Index is an integer of any type; of a negative one the bits are those of an int64.
struct Index {
  uint64 bits;
  bool negative;
};

DEVICE Index signedIndex(int64 v) { return Index{(uint64)v, v < 0}; }
DEVICE Index unsignedIndex(uint64 v) { return Index{v, false}; }

// The numbers are those of package dtype.
DEVICE Index loadIndex(int64 dtype, const uint8 *p, int64 i) {
  switch (dtype) {
  case 2: return signedIndex(((const int8 *)p)[i]);
  case 3: return signedIndex(((const int16 *)p)[i]);
  case 4: return signedIndex(((const int32 *)p)[i]);
  case 5: return signedIndex(((const int64 *)p)[i]);
  case 6: return unsignedIndex(p[i]);
  case 7: return unsignedIndex(((const uint16 *)p)[i]);
  case 8: return unsignedIndex(((const uint32 *)p)[i]);
  default: return unsignedIndex(((const uint64 *)p)[i]);
  }
}

// placeOf returns what an index stands for, −1 where it is out of range or nowhere.
DEVICE int64 placeOf(Index x, uint64 length, int64 mode) {
  if (!x.negative && x.bits < length) return x.bits;
  if (length == 0 || mode == modeExact || mode == modeNowhere) return -1;
  if (mode == modeWrap) return x.negative ? ((int64)x.bits % (int64)length + (int64)length) % (int64)length : x.bits % length;
  if (mode == modeClip) return x.negative ? 0 : length - 1;
  int64 place = (int64)(x.bits + length);
  return x.negative && place >= 0 ? place : -1;
}
