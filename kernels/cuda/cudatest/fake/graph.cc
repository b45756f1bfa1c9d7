// Graphs of the fake driver: what a stream is given while it captures, to be given again.
#include "fake.h"

#define CHECK                                              \
  if (controls.killed) return deinitialized;               \
  if (!current) return invalidContext;                     \
  if (int r = current->lost) return r;

typedef std::shared_ptr<Graph> Handle;

extern "C" {
int cuStreamBeginCapture_v2(void *stream, int mode) {
  CHECK
  auto s = streamOf(stream);
  if (!s || mode != 2) return invalidValue;
  if (controls.noGraphs) return notSupported;
  std::lock_guard<std::mutex> lock(s->mutex);
  if (s->capture) return invalidValue;
  s->capture = std::make_shared<Graph>();
  s->invalidated = false;
  return success;
}

int cuStreamEndCapture(void *stream, Handle **graph) {
  CHECK
  auto s = streamOf(stream);
  if (!s || !s->capture) return invalidValue;
  std::lock_guard<std::mutex> lock(s->mutex);
  *graph = s->invalidated ? nullptr : new Handle(s->capture);
  s->capture = nullptr;
  return s->invalidated ? captureInvalidated : success;
}

int cuGraphInstantiateWithFlags(Handle **ready, Handle *graph, uint64) {
  CHECK
  if (countdown(controls.graphFails)) return outOfMemory;
  *ready = new Handle(*graph);
  controls.graphs++;
  return success;
}

int cuGraphDestroy(Handle *graph) {
  delete graph;
  return success;
}

int cuGraphLaunch(Handle *graph, void *stream) {
  CHECK
  auto s = streamOf(stream);
  if (!s) return invalidHandle;
  controls.replays++;
  for (auto &work : **graph) s->push(work);
  return success;
}

int cuGraphExecDestroy(Handle *graph) {
  delete graph;
  controls.graphs--;
  return success;
}
}
