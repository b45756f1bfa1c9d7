// StarPU: tasks on data handles, which order them as they were submitted.
#include <starpu.h>

#include "peer.hpp"

static void perform(void* buffers[], void*) {
  auto* cell = reinterpret_cast<peer::Cell*>(STARPU_VARIABLE_GET_PTR(buffers[0]));
  cell->writes++;
}

static starpu_codelet codelet(int buffers, starpu_data_access_mode written) {
  starpu_codelet c;
  starpu_codelet_init(&c);
  c.cpu_funcs[0] = perform;
  c.nbuffers = buffers;
  c.modes[0] = written;
  c.modes[1] = c.modes[2] = STARPU_R;
  return c;
}

static void check(int result, const char* call) {
  if (result != 0) throw std::runtime_error(std::string(call) + " failed with " + std::to_string(result));
}

static long run(const peer::Case& c, peer::Stopwatch& watch) {
  // A task takes more than a kilobyte: as many may pend as in weft's engines.
  setenv("STARPU_LIMIT_MAX_SUBMITTED_TASKS", "16384", 1);
  setenv("STARPU_LIMIT_MIN_SUBMITTED_TASKS", "8192", 1);
  setenv("STARPU_SILENT", "1", 1);
  starpu_conf conf;
  starpu_conf_init(&conf);
  conf.ncpus = c.workers;
  conf.ncuda = conf.nopencl = 0;
  check(starpu_init(&conf), "starpu_init");

  std::vector<peer::Cell> cells(c.variables());
  std::vector<starpu_data_handle_t> handles(c.variables());
  for (size_t i = 0; i < cells.size(); i++)
    starpu_variable_data_register(&handles[i], STARPU_MAIN_RAM, reinterpret_cast<uintptr_t>(&cells[i]), sizeof cells[i]);
  starpu_codelet writing = codelet(1, STARPU_RW), adding = codelet(3, STARPU_W);

  watch.start();
  peer::with_pattern(c, [&](auto pattern) {
    for (long i = 0; i < c.operations; i++) {
      peer::Access t = pattern.at(i);
      starpu_task* task = starpu_task_create();
      task->cl = t.reading ? &adding : &writing;
      task->handles[0] = handles[t.c];
      if (t.reading) {
        task->handles[1] = handles[t.a];
        task->handles[2] = handles[t.b];
      }
      check(starpu_task_submit(task), "starpu_task_submit");
    }
  });
  check(starpu_task_wait_for_all(), "starpu_task_wait_for_all");
  watch.stop();

  for (starpu_data_handle_t handle : handles) starpu_data_unregister(handle);
  starpu_shutdown();
  return peer::writes(cells);
}

int main(int argc, char** argv) { return peer::main(argc, argv, run); }
