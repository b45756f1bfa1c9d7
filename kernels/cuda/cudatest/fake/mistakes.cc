// Kernels with mistakes, which the fake driver has to find, and one without.
#include "fake.h"

// rotated stores the number of the next thread, which that has left in the memory of the block.
template <class F> static void rotated(const Arguments &a, F meet) {
  SHARED(float, numbers, maxThreads);
  numbers[thread()] = thread();
  meet();
  start<float>(a, 0)[thread()] = numbers[(thread() + 1) % threads()];
}

KERNEL(tile_rotating) {
  rotated(a, __syncthreads);
}
KERNEL(tile_rotating_early) {
  rotated(a, [] {});
}
KERNEL(tile_parting) {
  if (thread() % 2) __syncthreads();
}
KERNEL(tile_overflowing) {
  *stackEnd() = 0;
}
