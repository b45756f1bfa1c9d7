// Package profile tells what the operations of an engine did and when.
//
// An engine hands a [Record] of every operation, when that is done, to its [Observer]s. Two are here. A [Log] keeps the
// newest records in memory, from which come a table by operator ([Log.WriteTable]), a page to look at in a browser
// ([Log.WriteTimeline]), a trace for Perfetto or Chrome ([Log.WriteTrace]) and the chain of operations that the end of the
// program waited for ([Log.CriticalPath]). A [Trace] writes such a trace to a file while the program runs, so that it is
// there even after a crash. Package profile/vars shows statistics under /debug/vars.
//
// # Concurrency
//
// Every function and method may be called from any goroutine. A Log is read while it is written: readers see the records
// that were there when they began, less those that newer ones replaced meanwhile, and hold an Observe up for no longer than
// it takes to copy a few hundred records. Records that readers receive are copies. Numbers are those of one engine: each
// engine needs a Log or Trace of its own.
//
// # What it does not do
//
// It takes no samples and reads no hardware counters: bytes and floating-point operations are what operators declare. It
// does not know which memory a variable stands for.
package profile
