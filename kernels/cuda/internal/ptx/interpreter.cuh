#pragma once
#define INTERPRETER
#include "arithmetic.cuh"
#include "chain.cuh"
#include "comparison.cuh"
#include "functions.h"

// Interpreters of chains: see chain.cuh. The results are those of the kernels of single operators, in every bit, NaN too: what they
// move stays as it is, and what they compute in float32 and round is rounded here after each step.

// The numbers of package dtype.
enum { typeBool = 1, typeInt8, typeInt16, typeInt32, typeInt64, typeUint8, typeUint16, typeUint32, typeHalf = 10, typeBrain };

// The numbers of 16 bits that are in registers as float32, signalling NaN among them.
DEVICE float exact(float16 h) {
  uint32 magnitude = h.bits & 0x7fff;
  if (magnitude > 0x7c00) return singleOf((uint32)(h.bits & 0x8000) << 16 | 0x7f800000 | (magnitude & 0x3ff) << 13);
  return widen(h);
}
DEVICE float exact(bfloat16 b) { return widen(b); }

DEVICE float fetch(int64 type, const uint8 *p, int64 at, float) {
  if (type == typeBool) return p[at];
  if (type == typeHalf) return exact(((const float16 *)p)[at]);
  if (type == typeBrain) return exact(((const bfloat16 *)p)[at]);
  return ((const float *)p)[at];
}
DEVICE double fetch(int64 type, const uint8 *p, int64 at, double) { return type == typeBool ? (double)p[at] : ((const double *)p)[at]; }

DEVICE int64 fetch(int64 type, const uint8 *p, int64 at, int64) {
  switch (type) {
  case typeInt8: return ((const int8 *)p)[at];
  case typeInt16: return ((const int16 *)p)[at];
  case typeInt32: return ((const int32 *)p)[at];
  case typeInt64: return ((const int64 *)p)[at];
  case typeUint16: return ((const uint16 *)p)[at];
  case typeUint32: return ((const uint32 *)p)[at];
  default: return p[at];
  }
}

DEVICE void put(int64 type, uint8 *p, int64 at, float v) {
  if (type == typeBool) {
    p[at] = v != 0;
  } else if (type == typeHalf) {
    uint32 bits = bitsOf(v);
    float16 h = toHalf(v);
    if ((bits & 0x7fffffff) > 0x7f800000) h.bits = (bits >> 16 & 0x8000) | 0x7c00 | (bits >> 13 & 0x3ff);
    ((float16 *)p)[at] = h;
  } else if (type == typeBrain) {
    ((uint16 *)p)[at] = bitsOf(v) >> 16;
  } else {
    ((float *)p)[at] = v;
  }
}
DEVICE void put(int64 type, uint8 *p, int64 at, double v) {
  if (type == typeBool)
    p[at] = v != 0;
  else
    ((double *)p)[at] = v;
}

DEVICE void put(int64 type, uint8 *p, int64 at, int64 v) {
  switch (type) {
  case typeInt16: case typeUint16: ((int16 *)p)[at] = v; break;
  case typeInt32: case typeUint32: ((int32 *)p)[at] = v; break;
  case typeInt64: ((int64 *)p)[at] = v; break;
  default: p[at] = v;
  }
}

DEVICE float rounded(unsigned how, float v) { return how == roundHalf ? exact(toHalf(v)) : how == roundBrain ? exact(toBrain(v)) : v; }
DEVICE double rounded(unsigned, double v) { return v; }
DEVICE int64 rounded(unsigned type, int64 v) {
  switch (type) {
  case typeInt8: return (int8)v;
  case typeInt16: return (int16)v;
  case typeInt32: return (int32)v;
  case typeUint8: return (uint8)v;
  case typeUint16: return (uint16)v;
  case typeUint32: return (uint32)v;
  default: return v;
  }
}

// A conversion makes NaN quiet.
DEVICE float cast_(float x) { return x != x ? singleOf(bitsOf(x) | 0x400000) : x; }
DEVICE double cast_(double x) { return x != x ? doubleOf(bitsOf(x) | 0x8000000000000) : x; }
DEVICE int64 cast_(int64 x) { return x; }
DEVICE float copysign_(float x, float y) { return singleOf((bitsOf(x) & 0x7fffffff) | (bitsOf(y) & 0x80000000)); }
DEVICE double copysign_(double x, double y) { return doubleOf((bitsOf(x) & 0x7fffffffffffffff) | (bitsOf(y) & 0x8000000000000000)); }
DEVICE bool signbit_(float x) { return bitsOf(x) >> 31; }
DEVICE bool signbit_(double x) { return bitsOf(x) >> 63; }

#define EACH_LANE for (int l = 0; l < lanes; l++)
#define STEP1(op) case code_##op: EACH_LANE x[l] = op##_(x[l]); break;
#define STEP2(op) case code_##op: EACH_LANE x[l] = op##_(x[l], y[l]); break;
#define STEP3(op) case code_##op: EACH_LANE x[l] = op##_(x[l], y[l], z[l]); break;
#define TRUTH1(op) case code_##op: EACH_LANE x[l] = op##_(x[l] != 0); break;
#define TRUTH2(op) case code_##op: EACH_LANE x[l] = op##_(x[l] != 0, y[l] != 0); break;

// Arithmetic is what is computed of numbers R.
template <class R> struct Arithmetic {
  template <int lanes> static MEMBER void compute(unsigned code, R (&x)[lanes], const R (&y)[lanes]) {
    switch (code) { STEP1(signbit) STEP2(copysign) CHAIN_FLOATS1(STEP1) CHAIN_FLOATS2(STEP2) }
  }
};
template <> struct Arithmetic<int64> {
  template <int lanes> static MEMBER void compute(unsigned code, int64 (&x)[lanes], const int64 (&y)[lanes]) {
    switch (code) { CHAIN_BITS1(STEP1) CHAIN_BITS2(STEP2) }
  }
};

// Functions is what kernels with functions of functions.h compute, and others do not: these have fewer registers.
template <bool has> struct Functions {
  template <class R, int lanes> static MEMBER void compute(unsigned code, R (&x)[lanes], const R (&y)[lanes]) {}
};
template <> struct Functions<true> {
  template <class R, int lanes> static MEMBER void compute(unsigned code, R (&x)[lanes], const R (&y)[lanes]) {
    switch (code) { CHAIN_FUNCTIONS1(STEP1) CHAIN_FUNCTIONS2(STEP2) }
  }
};

// Run is a thread's part of a chain that computes in R: as many elements as there are lanes at a time.
template <class R, int lanes, bool functions> struct Run {
  const Chain &c;
  R *slots;
  unsigned numbers[lanes], index[chainAxes][lanes];

  // places gives where the elements of an operand are.
  MEMBER void places(int operand, int64 (&at)[lanes]) const {
    int64 where = c.operands[operand].dtype >> 8;
    if (where == chainLinear) {
      EACH_LANE at[l] = numbers[l];
      return;
    }
    EACH_LANE at[l] = 0;
    if (where == chainRepeated) return;
    for (int axis = 0; axis < chainAxes; axis++)
      if (c.shape[axis] != 1) EACH_LANE at[l] += index[axis][l] * c.operands[operand].strides[axis];
  }

  MEMBER void read(unsigned from, const R (&before)[lanes], R (&to)[lanes]) const {
    if (from == 0) {
      EACH_LANE to[l] = before[l];
    } else if (from <= chainSlots) {
      EACH_LANE to[l] = slots[((from - 1) * lanes + l) * threads() + thread()];
    } else {
      int operand = from - chainSlots - 1;
      const uint8 *p = c.operands[operand].start;
      int64 type = c.operands[operand].dtype & 255, at[lanes];
      places(operand, at);
      EACH_LANE to[l] = fetch(type, p, at[l], R());
    }
  }

  MEMBER void run() {
    for (uint64 base = (uint64)block() * threads() * lanes; base < c.count; base += (uint64)blocks() * threads() * lanes) {
      bool live[lanes];
      EACH_LANE {
        uint64 number = base + l * threads() + thread();
        live[l] = number < c.count;
        unsigned rest = numbers[l] = live[l] ? number : 0;
        for (int axis = chainAxes - 1; axis >= 0; axis--) {
          unsigned size = c.shape[axis];
          index[axis][l] = axis == 0 ? rest : size == 1 ? 0 : rest % size;
          if (size != 1) rest /= size;
        }
      }
      R x[lanes] = {}, y[lanes], z[lanes];
      for (unsigned step = 0; step < (unsigned)c.steps; step++) {
        uint64 word = c.program[step];
        unsigned code = word & 255, ofX = word >> 8 & 255, ofY = word >> 16 & 255, ofZ = word >> 24 & 255;
        unsigned how = word >> 32 & 255, slot = word >> 40 & 255, to = word >> 48 & 255;
        read(ofY, x, y);
        read(ofZ, x, z);
        read(ofX, x, x);
        switch (code) {
        case code_move: break;
        case code_truth: EACH_LANE x[l] = x[l] != 0; break;
        case code_where: EACH_LANE x[l] = x[l] != 0 ? y[l] : z[l]; break;
        STEP1(cast) CHAIN_NUMBERS1(STEP1) CHAIN_NUMBERS2(STEP2) CHAIN_NUMBERS3(STEP3) CHAIN_LOGIC1(TRUTH1) CHAIN_LOGIC2(TRUTH2)
        default:
          if (functions && code >= code_exp)
            Functions<functions>::compute(code, x, y);
          else
            Arithmetic<R>::compute(code, x, y);
        }
        if (how) EACH_LANE x[l] = rounded(how, x[l]);
        if (slot) EACH_LANE slots[((slot - 1) * lanes + l) * threads() + thread()] = x[l];
        if (to) {
          uint8 *p = c.operands[to - 1].start;
          int64 type = c.operands[to - 1].dtype & 255, at[lanes];
          places(to - 1, at);
          EACH_LANE if (live[l]) put(type, p, at[l], x[l]);
        }
      }
    }
  }
};

// The memory of slots is what the launch gives a block: for those that the chain uses, as blocks with more of it are fewer at a time.
#define CHAIN_KERNEL(name, R, lanes, functions)                                                                        \
  CHAIN(chain_##name##_##R) {                                                                                          \
    DYNAMIC(slots);                                                                                                    \
    Run<R, lanes, functions> run{c, (R *)slots};                                                                       \
    run.run();                                                                                                         \
  }
