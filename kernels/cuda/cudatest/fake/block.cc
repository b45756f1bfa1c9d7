// Blocks whose threads meet at barriers: contexts that one thread of the host runs by turns, up to the next barrier each. In which order
// changes from turn to turn, so that results depend on it where a barrier is missing.
#include "fake.h"
#include <cstdio>
#include <setjmp.h>
#include <sys/mman.h>
#include <ucontext.h>

thread_local Place place;
thread_local const char *kernel;

namespace {
const size_t stackBytes = 64 << 10;

[[noreturn]] void fail(const char *problem) {
  fprintf(stderr, "fake CUDA driver: kernel %s: %s\n", kernel, problem);
  abort();
}

// newStack returns a stack, of which the host gives the pages that are used: no large ones, of which each would hold many stacks. It grows
// down towards guard bytes, which tell of an overflow.
uint8 *newStack() {
  void *stack = mmap(nullptr, stackBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
  if (stack == MAP_FAILED) fail("no memory for the stack of a thread");
  madvise(stack, stackBytes, MADV_NOHUGEPAGE); // fails where there are none
  memset(stack, poison, guard);
  return (uint8 *)stack;
}

struct Thread {
  ucontext_t first;
  jmp_buf at;
  uint8 *stack = newStack();
  void *barrier = nullptr; // where it waits
  bool entered = false;

  ~Thread() { munmap(stack, stackBytes); }
  bool intact() const { return std::all_of(stack, stack + guard, [](uint8 v) { return v == poison; }); }
};

// Crew is the threads of the blocks that a thread of the host runs, one block after the other.
struct Crew {
  std::vector<std::unique_ptr<Thread>> threads;
  const std::function<void()> *body;
  Thread *running = nullptr;
  jmp_buf leader;
  std::vector<void *> memory; // that the block has used
  uint32 order = 1;
};
thread_local Crew crew;

void leave() {
  if (!_setjmp(crew.running->at)) _longjmp(crew.leader, 1);
}

void work() {
  for (;;) {
    (*crew.body)();
    crew.running->barrier = nullptr;
    leave();
  }
}

void resume(Thread *t) {
  crew.running = t;
  if (_setjmp(crew.leader)) return;
  if (t->entered) _longjmp(t->at, 1);
  t->entered = true;
  getcontext(&t->first);
  t->first.uc_stack.ss_sp = t->stack;
  t->first.uc_stack.ss_size = stackBytes;
  t->first.uc_link = nullptr;
  makecontext(&t->first, work, 0);
  setcontext(&t->first);
}
}

void __syncthreads() {
  if (!crew.running) fail("a barrier in a kernel of a form that has none");
  crew.running->barrier = __builtin_return_address(0);
  leave();
}

void *sharedMemory(void *memory, uint64 bytes) {
  auto &used = crew.memory;
  if (std::find(used.begin(), used.end(), memory) == used.end()) {
    memset(memory, poison, bytes);
    used.push_back(memory);
  }
  return memory;
}

uint8 *stackEnd() { return crew.running->stack; }

// runBlock reports whether all threads have met at the same barriers, and none has used more than its stack.
bool runBlock(Place of, const std::function<void()> &body) {
  while (crew.threads.size() < of.threads) crew.threads.push_back(std::make_unique<Thread>());
  crew.body = &body;
  crew.memory.clear();
  void *barrier;
  do {
    crew.order = crew.order * 1664525 + 1013904223;
    bool backward = crew.order >> 31, together = true;
    for (unsigned i = 0; i < of.threads; i++) {
      place = of;
      place.thread = backward ? of.threads - 1 - i : i;
      Thread *t = crew.threads[place.thread].get();
      resume(t);
      if (i == 0) barrier = t->barrier;
      together = together && t->barrier == barrier;
    }
    crew.running = nullptr;
    if (!together) {
      crew.threads.clear();
      return false;
    }
  } while (barrier);
  for (unsigned i = 0; i < of.threads; i++) {
    if (crew.threads[i]->intact()) continue;
    fprintf(stderr, "fake CUDA driver: kernel %s: the stack of a thread has overflowed\n", kernel);
    crew.threads.clear();
    return false;
  }
  return true;
}
