// Package paralleltest holds what every threading layer must do, as properties that the pools of any layer can be run against:
// RunAll makes each one a subtest. Many are tests of Numba's threading layers, whose names their comments give.
//
// Nothing here depends on who runs what when, beyond what package parallel promises, and nothing sleeps. Numba's tests of
// fork, spawn and semaphores have no counterpart, since a Go program does not fork, nor have those of argument types, which
// the compiler checks.
//
// The package says nothing about speed, nor about the sources that the workers of a pool serve.
package paralleltest
