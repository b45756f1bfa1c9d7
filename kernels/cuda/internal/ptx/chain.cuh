#pragma once
#include "weft.h"

// What a chain kernel gets in place of Arguments: a program that it interprets for each element of arrays of one shape. All threads take the
// same way through it. A step computes a number of up to three others, and writes it where a later step or anybody else reads it. Elements
// of other threads are never looked at.

enum { chainAxes = 4, chainOperands = 36, chainSteps = 256, chainSlots = 8 };

struct ChainOperand {
  uint8 *start;
  int64 dtype; // and behind its eight bits where elements are, if that is simple
  int64 strides[chainAxes]; // in elements
};

// Where the elements of an operand are: at strides, all at one place, or one behind the other.
enum { chainStrided, chainRepeated, chainLinear };

// A step is eight bytes, the first of them the lowest: what is computed; where its numbers come from; how the result is rounded; the slot
// and the operand that it is written to, plus one, or 0 for none.
//
// Numbers come from the step before (0), from slots (from 1 on), and from operands (from chainSlots + 1 on).
struct Chain {
  uint64 count; // elements
  uint64 steps;
  int64 shape[chainAxes]; // 1 behind the last axis
  ChainOperand operands[chainOperands];
  uint64 program[chainSteps];
};

// How a number of 32 bits is rounded; an integer of 64 bits has the number of its element type.
enum { roundNot, roundHalf, roundBrain };

// The codes of steps, in the order of chainCodes in package cuda: those that move, those that compute, on all numbers, on floats, on bits and
// on bools, and functions of one and of two numbers.
#define CHAIN_MOVES(M) M(move) M(cast) M(truth) M(where) M(copysign) M(signbit)
#define CHAIN_NUMBERS1(M) M(neg) M(square) M(abs) M(sign) M(positive) M(relu) M(isnan) M(isinf) M(isfinite)
#define CHAIN_NUMBERS2(M)                                                                                              \
  M(add) M(sub) M(mul) M(maximum) M(minimum) M(greater) M(greater_equal) M(less) M(less_equal) M(equal) M(not_equal)
#define CHAIN_NUMBERS3(M) M(clamp)
#define CHAIN_BITS1(M) M(bitwise_invert)
#define CHAIN_BITS2(M) M(bitwise_and) M(bitwise_or) M(bitwise_xor)
#define CHAIN_LOGIC1(M) M(logical_not)
#define CHAIN_LOGIC2(M) M(logical_and) M(logical_or) M(logical_xor)
#define CHAIN_FLOATS1(M) M(reciprocal) M(floor) M(ceil) M(trunc) M(round) M(sqrt)
#define CHAIN_FLOATS2(M) M(div) M(relu_gradient)
#define CHAIN_FUNCTIONS1(M)                                                                                            \
  M(exp) M(exp2) M(expm1) M(sinh) M(cosh) M(tanh) M(sigmoid) M(silu) M(log) M(log2) M(log10) M(log1p) M(softplus) M(asinh) M(acosh) M(atanh) \
  M(sin) M(cos) M(tan) M(asin) M(acos) M(atan) M(rsqrt) M(cbrt) M(erf) M(gelu)
#define CHAIN_FUNCTIONS2(M) M(hypot) M(atan2) M(logaddexp) M(nextafter) M(pow) M(gelu_gradient)

#define CHAIN_CODE(op) code_##op,
enum {
  CHAIN_MOVES(CHAIN_CODE) CHAIN_NUMBERS1(CHAIN_CODE) CHAIN_NUMBERS2(CHAIN_CODE) CHAIN_NUMBERS3(CHAIN_CODE) CHAIN_BITS1(CHAIN_CODE)
  CHAIN_BITS2(CHAIN_CODE) CHAIN_LOGIC1(CHAIN_CODE) CHAIN_LOGIC2(CHAIN_CODE) CHAIN_FLOATS1(CHAIN_CODE) CHAIN_FLOATS2(CHAIN_CODE)
  CHAIN_FUNCTIONS1(CHAIN_CODE) CHAIN_FUNCTIONS2(CHAIN_CODE)
};

#ifdef HOST
extern thread_local uint64 *dynamicMemory; // of a block, as much as the launch gives
#define DYNAMIC(name) uint64 *name = dynamicMemory
#define CHAIN(name)                                                                                   \
  static void name(const Chain &c);                                                                   \
  static const Registered registered_##name(#name, (void (*)(const Arguments &))name);                \
  static void name(const Chain &c)
#else
#define DYNAMIC(name) extern __attribute__((shared)) uint64 name[]
#define CHAIN(name) extern "C" __attribute__((global)) void name(const Chain c)
#endif
