// The argument of a look at, or a scaling of, many arrays together. Package cuda fills it.
#pragma once
#include "weft.h"

enum { maxClipped = 160, clipChunk = 16384, clipThreads = 256 };

struct Clipped {
  uint8 *start;  // elements in row-major order
  uint64 count;
  uint64 first;  // of its blocks, each of which has clipChunk elements
};

// Clip is no larger than the arguments of a kernel may be on any device, 4096 bytes.
struct Clip {
  uint64 arrays;
  double most;
  double *norms; // of the parts of blocks, or of all
  Clipped array[maxClipped];
};

#ifdef HOST
#define GROUP_KERNEL(name)                                                                  \
  static void name(const Clip &c);                                                          \
  static const Registered registered_##name(#name, (void (*)(const Arguments &))name);      \
  static void name(const Clip &c)
#else
#define GROUP_KERNEL(name) extern "C" __attribute__((global)) void name(const Clip c)
#endif
