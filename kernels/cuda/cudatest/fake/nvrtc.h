// What a program for the fake NVRTC is compiled with: CUDA's words, and grids of threads, which are contexts that one thread of the host runs by
// turns, up to the next barrier each. It stands before the source, in which line numbers are those of its author.
#pragma once
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <ucontext.h>
#include <utility>
#include <vector>

struct uint3 { unsigned x, y, z; };
static thread_local uint3 threadIdx, blockIdx, blockDim, gridDim;
static thread_local std::vector<double> weftDynamic; // shared memory of the block

#define __global__
#define __device__
#define __host__
#define __forceinline__ inline
#define __constant__
#define __shared__ static thread_local
#define __launch_bounds__(...)

namespace weft {
struct Thread {
  ucontext_t context;
  std::unique_ptr<char[]> stack;
  uint3 index;
  bool done;
};
static thread_local ucontext_t block;
static thread_local Thread *running;
static thread_local void (*body)(void *f, void **values);
static thread_local void *function, **values;
enum { stackBytes = 128 << 10 };

static void enter() {
  body(function, values);
  running->done = true;
  swapcontext(&running->context, &block);
}

// runBlock runs each thread up to its next barrier, again and again, until all have ended.
static void runBlock(std::vector<Thread> &threads) {
  for (bool left = true; left;) {
    left = false;
    for (auto &t : threads) {
      if (t.done) continue;
      running = &t;
      threadIdx = t.index;
      swapcontext(&block, &t.context);
      left = left || !t.done;
    }
  }
}

static void run(void (*b)(void *, void **), void *f, void **v, const unsigned *blocks, const unsigned *threads, size_t shared) {
  body = b, function = f, values = v;
  gridDim = {blocks[0], blocks[1], blocks[2]};
  blockDim = {threads[0], threads[1], threads[2]};
  std::vector<Thread> all(threads[0] * threads[1] * threads[2]);
  for (unsigned z = 0; z < blocks[2]; z++)
    for (unsigned y = 0; y < blocks[1]; y++)
      for (unsigned x = 0; x < blocks[0]; x++) {
        blockIdx = {x, y, z};
        weftDynamic.assign(shared / 8 + 2, 0);
        for (unsigned i = 0; i < all.size(); i++) {
          auto &t = all[i];
          if (!t.stack) t.stack.reset(new char[stackBytes]);
          t.index = {i % threads[0], i / threads[0] % threads[1], i / threads[0] / threads[1]};
          t.done = false;
          getcontext(&t.context);
          t.context.uc_stack.ss_sp = t.stack.get();
          t.context.uc_stack.ss_size = stackBytes;
          t.context.uc_link = nullptr;
          makecontext(&t.context, enter, 0);
        }
        runBlock(all);
      }
}

// Add makes a kernel known: its name, and the bytes of its parameters and whether they are pointers.
typedef void (*Add)(void *to, const char *name, int count, const int *bytes, const bool *pointers, void *function, void (*body)(void *, void **));

template <class... A, size_t... I> static void callWith(void *f, void **values, std::index_sequence<I...>) { ((void (*)(A...))f)(*(A *)values[I]...); }
template <class... A> static void call(void *f, void **values) { callWith<A...>(f, values, std::index_sequence_for<A...>()); }
template <class... A> static void add(Add to, void *all, const char *name, void (*f)(A...)) {
  int bytes[] = {(int)sizeof(A)..., 0};
  bool pointers[] = {std::is_pointer<A>::value..., false};
  to(all, name, sizeof...(A), bytes, pointers, (void *)f, call<A...>);
}
}

static void __syncthreads() { swapcontext(&weft::running->context, &weft::block); }
template <class T> static T atomicAdd(T *p, T v) {
  T old = *p;
  *p += v;
  return old;
}
extern "C" void weftRun(void (*body)(void *, void **), void *f, void **values, const unsigned *blocks, const unsigned *threads, size_t shared) {
  weft::run(body, f, values, blocks, threads, shared);
}
