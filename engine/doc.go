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
// Two classes of functions exist. A leaf never waits, never locks what user code locks and never pushes: it runs on a
// worker of the process, or on a goroutine that waits, that pushes and is over the engine's limit, or whose push is Brief. A host function
// may do all that: it runs on a goroutine of its own. Between TryAlone and EndAlone a caller does what an operation would do, without one.
//
// An operation whose function finds no memory is parked, which holds up no worker, and tried again when memory may have been
// freed; see Starved.
//
// # What it does not do
//
// The engine knows nothing of memory and arrays: which bytes a variable stands for, where they are and whether two variables share
// them is decided by package storage.
package engine
