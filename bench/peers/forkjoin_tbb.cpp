// oneTBB's parallel_for.
#include <tbb/global_control.h>
#include <tbb/parallel_for.h>

#include "forkjoin.hpp"

int main(int argc, char** argv) {
  return peer::main(argc, argv, [](const peer::Case& c, peer::Stopwatch& watch) {
    tbb::global_control limit(tbb::global_control::max_allowed_parallelism, c.workers);
    return forkjoin::run(c, watch, [&](int parts, auto body) {
      tbb::parallel_for(0, parts, [&](int part) { body(part); }, tbb::simple_partitioner());
    });
  });
}
