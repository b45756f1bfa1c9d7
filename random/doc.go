// Package random makes arrays of random numbers.
//
// Every function draws one ticket from the generator of the Env it is given; the numbers follow from the ticket, the shape
// and the dtype alone, so they are the same for every number of workers. An Env made by WithSeed repeats its numbers,
// that of nd.DefaultEnv is seeded by chance.
//
// # Concurrency
//
// Every function may be called from any goroutine. Goroutines that share an Env draw their tickets in the order in which
// they come; give each its own generator where results must repeat.
//
// # What it does not do
//
// The numbers themselves come from Philox4x32-10 in package kernels/cpu and its twins on devices; there is no global
// generator here.
package random
