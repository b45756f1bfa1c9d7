// OpenMP tasks with dependences, as GCC's libgomp runs them.
#include "peer.hpp"

// The time that libgomp takes for an operation grows with how many wait for others, and it sets no limit to that: a million
// of add64 take minutes. TASKWAIT is after how many operations to wait for all of them; zero means never.
#ifndef TASKWAIT
#define TASKWAIT 0
#endif

static long run(const peer::Case& c, peer::Stopwatch& watch) {
  std::vector<peer::Cell> cells(c.variables());
  peer::Cell* v = cells.data();
#pragma omp parallel num_threads(c.workers)
#pragma omp single
  {
    watch.start();
    peer::with_pattern(c, [&](auto pattern) {
      for (long i = 0; i < c.operations; i++) {
        peer::Access t = pattern.at(i);
#if TASKWAIT
        if (i % TASKWAIT == 0) {
#pragma omp taskwait
        }
#endif
        if (t.reading) {
#pragma omp task depend(in : v[t.a], v[t.b]) depend(out : v[t.c]) firstprivate(v, t)
          v[t.c].writes++;
        } else {
#pragma omp task depend(inout : v[t.c]) firstprivate(v, t)
          v[t.c].writes++;
        }
      }
    });
#pragma omp taskwait
    watch.stop();
  }
  return peer::writes(cells);
}

int main(int argc, char** argv) { return peer::main(argc, argv, run); }
