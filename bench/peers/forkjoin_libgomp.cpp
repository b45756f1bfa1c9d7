// OpenMP's parallel for, as GCC's libgomp runs it.
#include "forkjoin.hpp"

int main(int argc, char** argv) {
  return peer::main(argc, argv, [](const peer::Case& c, peer::Stopwatch& watch) {
    return forkjoin::run(c, watch, [&](int parts, auto body) {
#pragma omp parallel for num_threads(c.workers) schedule(static)
      for (int part = 0; part < parts; part++) body(part);
    });
  });
}
