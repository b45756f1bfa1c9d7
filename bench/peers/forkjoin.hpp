// What the peers of BenchmarkForkJoin share: the cases, and their bodies.
//
// A peer is a program: PEER CASE OPERATIONS WORKERS, as in peer.hpp. A case is "empty", regions without work; "steps/N", regions of
// N steps of a chain of dependent multiplications and additions; or "axpy/N", y += a*x of N float32 numbers. A region has as many
// parts as workers; the operations are regions, one after another.
#pragma once

#include "peer.hpp"

namespace forkjoin {

inline float chain(long steps) {
  float x = 1;
  for (long i = 0; i < steps; i++) x = x * 1.0000001f + 1e-9f;
  return x;
}

// The loop is as Go compiles it, without vectors, so that the same number of elements is the same work.
__attribute__((optimize("no-tree-vectorize"))) inline void axpy(float a, const float* x, float* y, long count) {
  for (long i = 0; i < count; i++) y[i] += a * x[i];
}

// Runs regions by region(parts, body), which calls body(part) for every part; returns how many it ran.
template <class Region>
long run(const peer::Case& c, peer::Stopwatch& watch, Region region) {
  const size_t slash = c.name.find('/');
  const std::string kind = c.name.substr(0, slash);
  const long size = slash == std::string::npos ? 0 : std::atol(c.name.c_str() + slash + 1);
  const int parts = c.workers;
  struct alignas(64) Result {
    float value;
  };
  std::vector<Result> results(parts);
  std::vector<float> x(size), y(size);
  auto measure = [&](auto body) {
    for (int i = 0; i < 100; i++) region(parts, body);
    watch.start();
    for (long i = 0; i < c.operations; i++) region(parts, body);
    watch.stop();
  };
  if (kind == "empty")
    measure([](int) {});
  else if (kind == "steps")
    measure([&](int part) { results[part].value = chain(size / parts); });
  else if (kind == "axpy")
    measure([&](int part) {
      const long lo = size * part / parts, hi = size * (part + 1) / parts;
      axpy(1e-9f, x.data() + lo, y.data() + lo, hi - lo);
    });
  else
    throw std::invalid_argument("unknown case " + c.name);
  return c.operations;
}

}  // namespace forkjoin
