// What every peer shares: the cases, the work of an operation, and how its time is told.
//
// A peer is a program: PEER CASE OPERATIONS WORKERS. It runs the operations of the case on its workers, checks that each
// ran once, and prints one line, "ns/op" and the nanoseconds of an operation from the first push to the end of the last.
#pragma once

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <vector>

namespace peer {

// The variables that an operation touches: two that are read, or none, and one that is written.
struct Access {
  bool reading;
  int a, b, c;
};

struct Case {
  std::string name;
  long operations;
  int workers;

  int variables() const { return name == "chain" ? 1 : name == "add64" ? 64 : 8192; }
};

// The access patterns, types so that no peer pays for telling them apart in its loop.
struct Chain {
  static Access at(long) { return {false, 0, 0, 0}; }
};

struct Independent {
  static Access at(long i) { return {false, 0, 0, int(i % 8192)}; }
};

// Three different variables, pseudo-random; add64At in stream_test.go has the same.
struct Add64 {
  static Access at(long i) {
    uint64_t x = uint64_t(i) + 0x9e3779b97f4a7c15;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
    x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
    x ^= x >> 31;
    int a = x % 64;
    return {true, a, int(a + 1 + (x >> 8) % 31) % 64, int(a + 32 + (x >> 16) % 32) % 64};
  }
};

// What stands behind a variable; the smallest work that betrays a lost operation counts writes.
struct alignas(64) Cell {
  long writes = 0;
};

class Stopwatch {
 public:
  void start() { from_ = std::chrono::steady_clock::now(); }
  void stop() { nanoseconds_ = std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - from_).count(); }
  double nanoseconds() const { return nanoseconds_; }

 private:
  std::chrono::steady_clock::time_point from_;
  double nanoseconds_ = 0;
};

// Calls push with the access pattern of the case.
template <class Push>
void with_pattern(const Case& c, Push push) {
  if (c.name == "chain") return push(Chain{});
  if (c.name == "independent") return push(Independent{});
  if (c.name == "add64") return push(Add64{});
  throw std::invalid_argument("unknown case " + c.name);
}

template <class Cells>
long writes(const Cells& cells) {
  long sum = 0;
  for (const Cell& cell : cells) sum += cell.writes;
  return sum;
}

// Runs a peer: run(case, stopwatch) returns how many operations it counted.
template <class Run>
int main(int argc, char** argv, Run run) {
  if (argc != 4) {
    std::fprintf(stderr, "usage: %s CASE OPERATIONS WORKERS\n", argv[0]);
    return 2;
  }
  Case c{argv[1], std::atol(argv[2]), std::atoi(argv[3])};
  Stopwatch watch;
  long ran = run(c, watch);
  if (ran != c.operations) {
    std::fprintf(stderr, "%s: %ld of %ld operations ran\n", argv[0], ran, c.operations);
    return 1;
  }
  std::printf("ns/op %.2f\n", watch.nanoseconds() / c.operations);
  return 0;
}

}  // namespace peer
