#pragma once
#include "weft.h"

// Comparisons and tests: NaN equals nothing, and is neither less nor greater.

template <class T> DEVICE bool greater_(T x, T y) { return x > y; }
template <class T> DEVICE bool greater_equal_(T x, T y) { return x >= y; }
template <class T> DEVICE bool less_(T x, T y) { return x < y; }
template <class T> DEVICE bool less_equal_(T x, T y) { return x <= y; }
template <class T> DEVICE bool equal_(T x, T y) { return x == y; }
template <class T> DEVICE bool not_equal_(T x, T y) { return x != y; }
template <class T> DEVICE bool isnan_(T x) { return x != x; }
template <class T> DEVICE bool isinf_(T x) { return x == x && x - x != 0; }
template <class T> DEVICE bool isfinite_(T x) { return x - x == 0; }

// Bits of integers, and bools, which are 0 or 1.

template <class T> DEVICE T bitwise_and_(T x, T y) { return x & y; }
template <class T> DEVICE T bitwise_or_(T x, T y) { return x | y; }
template <class T> DEVICE T bitwise_xor_(T x, T y) { return x ^ y; }
template <class T> DEVICE T bitwise_invert_(T x) { return ~x; }
DEVICE bool bitwise_invert_(bool x) { return !x; }
DEVICE bool logical_and_(bool x, bool y) { return x & y; }
DEVICE bool logical_or_(bool x, bool y) { return x | y; }
DEVICE bool logical_xor_(bool x, bool y) { return x ^ y; }
DEVICE bool logical_not_(bool x) { return !x; }
