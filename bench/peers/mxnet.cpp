// The engine of MXNet's shape in mxnet.hpp, pushed to as MXNet's PushAsync does: an operation is made for each push.
#include "mxnet.hpp"

#include "peer.hpp"

static long run(const peer::Case& c, peer::Stopwatch& watch) {
  std::vector<peer::Cell> cells(c.variables());
  mxnet::Engine engine(c.workers);
  std::vector<mxnet::Variable*> v;
  for (size_t i = 0; i < cells.size(); i++) v.push_back(engine.new_variable());

  watch.start();
  peer::with_pattern(c, [&](auto pattern) {
    for (long i = 0; i < c.operations; i++) {
      peer::Access t = pattern.at(i);
      auto perform = [cell = &cells[t.c]] { cell->writes++; };
      if (t.reading)
        engine.push(perform, {v[t.a], v[t.b]}, {v[t.c]});
      else
        engine.push(perform, {}, {v[t.c]});
    }
  });
  engine.wait_for_all();
  watch.stop();
  return peer::writes(cells);
}

int main(int argc, char** argv) { return peer::main(argc, argv, run); }
