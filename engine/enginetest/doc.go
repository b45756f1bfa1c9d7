// Package enginetest holds what every engine must do, as properties that any implementation of engine.Engine can be run
// against: RunAll makes each one a subtest.
//
// The oracles are serial programs. Nothing here depends on when an engine runs something, beyond what the interface
// promises, and nothing sleeps: where two functions must be shown to run together they meet, and where one must not have
// run yet the thing that it waits for has not happened. A property that makes no progress for a minute ends the process
// with the stacks of all goroutines.
//
// The package says nothing about speed, nor about the queues that only some engines have.
package enginetest
