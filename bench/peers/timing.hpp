// What peers share that measure themselves: PEER ARGUMENT... SECONDS, which prints one line, "ns/op" and the mean of a call.
#pragma once

#include "peer.hpp"

namespace peer {

// The mean time in nanoseconds of the calls that fit into the seconds, at least five batches of them, as peer.py measures:
// a processor that is lost for a while meets all alike. The first call is never counted.
template <class Call>
double mean_nanoseconds(double seconds, Call call) {
  Stopwatch watch;
  auto duration = [&](long batch) {
    watch.start();
    for (long i = 0; i < batch; i++) call();
    watch.stop();
    return watch.nanoseconds();
  };
  long batch = 1;
  duration(batch);
  while (duration(batch) < 1e6 && batch < 1 << 20) batch *= 2;
  double total = 0;
  long batches = 0;
  for (; total < seconds * 1e9 || batches < 5; batches++) total += duration(batch);
  return total / (double(batches) * batch);
}

}  // namespace peer
