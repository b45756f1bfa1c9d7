// The argument of a step of an optimiser on many arrays. Package cuda fills it.
#pragma once
#include "weft.h"

// An array has the elements of its weights, of its states, and of its gradient behind one another, each in row-major order.
enum { maxUpdated = 64, maxNumberSets = 14, maxNumbers = 9, updateChunk = 2048 };

struct Updated {
  uint8 *operands[4]; // weights, states, gradient
  uint64 count;       // elements
  uint32 first;       // of its blocks, each of which has updateChunk elements
  uint16 numbers;     // of the sets of numbers
  uint16 wide;        // has a bit for each operand that is float32 though the weights have 16 bits
};

// Updates is as large as the arguments of a kernel may be on any device, 4096 bytes.
struct Updates {
  uint64 arrays;
  bool *done; // becomes true, if there is one
  Updated array[maxUpdated];
  double numbers[maxNumberSets][maxNumbers];
};

#ifdef HOST
#define MANY_KERNEL(name)                                                                   \
  static void name(const Updates &u);                                                       \
  static const Registered registered_##name(#name, (void (*)(const Arguments &))name);      \
  static void name(const Updates &u)
#else
#define MANY_KERNEL(name) extern "C" __attribute__((global)) void name(const Updates u)
#endif
