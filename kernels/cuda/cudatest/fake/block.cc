// Blocks whose threads meet at barriers: contexts that one thread of the host runs by turns, up to the next barrier each. In which order
// changes from turn to turn, so that results depend on it where a barrier is missing.
#include "fake.h"
#include <setjmp.h>
#include <sys/mman.h>
#include <ucontext.h>

thread_local Place place;

namespace {
const size_t stackBytes = 256 << 10; // of which the host gives what is used

struct Thread {
  ucontext_t first;
  jmp_buf at;
  void *stack, *barrier = nullptr; // where it waits
  bool entered = false;

  Thread() : stack(mmap(nullptr, stackBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)) {}
  ~Thread() { munmap(stack, stackBytes); }
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
  if (!crew.running) abort(); // a kernel that is run as if it had no barriers
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

// runBlock reports whether all threads have met at the same barriers.
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
  return true;
}
