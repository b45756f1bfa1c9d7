// oneTBB's task_group: it knows no dependences, so the independent case is the only one.
#include <tbb/global_control.h>
#include <tbb/task_group.h>

#include <deque>
#include <mutex>

#include "peer.hpp"

// Nothing orders two tasks that would write one cell, so each thread counts in a cell of its own.
static std::deque<peer::Cell> cells;
static std::mutex adding_cell;
static thread_local peer::Cell* mine = nullptr;

static void perform() {
  if (mine == nullptr) {
    std::lock_guard<std::mutex> lock(adding_cell);
    mine = &cells.emplace_back();
  }
  mine->writes++;
}

static long run(const peer::Case& c, peer::Stopwatch& watch) {
  if (c.name != "independent") throw std::invalid_argument("oneTBB has no case " + c.name);
  tbb::global_control limit(tbb::global_control::max_allowed_parallelism, c.workers);
  tbb::task_group group;
  watch.start();
  for (long i = 0; i < c.operations; i++) group.run(perform);
  group.wait();
  watch.stop();
  return peer::writes(cells);
}

int main(int argc, char** argv) { return peer::main(argc, argv, run); }
