// Package engine runs operators as soon as what they read and write is free.
//
// Memory is represented by variables (Var). An Operation names the variables it touches and how (Access); the engine
// orders operations on one variable as they were pushed, lets readers of a variable run together, and runs everything
// else in parallel. It is the dependency engine of MXNet (Chen et al., 2015), with errors as values that stick to
// variables, registration in one atomic step, and completion in two moments: an operation on a stream is issued when its
// work is enqueued, and done when the device has finished it.
//
// # Concurrency
//
// Every method may be called from any goroutine, host functions included. Operations pushed by one goroutine are
// ordered as pushed; those of several goroutines in the order in which the engine registers them. The end of an
// operation synchronizes before the start of every operation that waits for it, and before the return of Wait.
//
// There are two classes of functions. A leaf never waits, never takes a lock that user code takes, and never pushes: it runs on
// a worker of the process, on a goroutine that waits, on one that pushes while it is over the engine's limit, or, if it is
// Brief, on the goroutine that pushes it. A host function may do all of that, and runs on a goroutine of its own. Between
// TryAlone and EndAlone a caller does the work of an operation itself.
//
// An operation whose function finds no memory is parked, which occupies no worker, and tried again when memory may have been
// freed; see Starved.
//
// # What it does not do
//
// The engine knows nothing of memory and arrays: package storage decides which bytes a variable stands for, where they are, and
// whether two variables share them.
//
// # Where things are
//
//   - engine, operation, variable, alone and options are what users of an engine see.
//   - intake, arrivals, bulk, recording and operator take what is pushed, and order it.
//   - core, task, queue, slab, runner, bulk_run, async and completion lead it from registration to its end.
//   - naive, threaded, lanes, layout, shuffled and demand run it; stream_lane, concluder and kept_work do so on streams.
//   - wait, scope, help, brief, throttle, patience and closing are about goroutines that push and wait.
//   - poison has errors; starved, parking, retry, relief and dissolve are for want of memory.
//   - observe, decorate and tracing tell observers; snapshot, inspect, holders, dump, rows, dot and watchdog show what is pending.
//   - sanitizer, guard, intrusion and memory_fault find functions that touch what they must not.
package engine
