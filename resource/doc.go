// Package resource holds what operators borrow: random numbers and scratch memory.
//
// A Generator hands out Tickets, one for each operator that draws random numbers. The numbers themselves are a pure function of
// the ticket and the index of the element (package kernels/cpu/philox), so nothing is locked or ordered while they are made,
// and a ticket, or the state of a generator, is all that it takes to make them again. Scratch is memory for the duration of one
// operation, kept warm by the manager of its device.
//
// # Concurrency
//
// Generators may be used from any goroutine. If several goroutines draw from one, which of them gets which ticket is a race;
// for a run that repeats bit for bit each uses a Generator of its own, made by Split or SplitN. A State that is read while
// others draw holds numbers that were each current at some moment of the call, not necessarily the same one. A Scratch is used
// by one goroutine at a time.
//
// # What it does not do
//
// No variable of the engine stands for a resource: operators that borrow scratch memory of one device never wait for one
// another, and a failed operator cannot spoil what it borrowed. Nothing is saved automatically: it is for the program to put
// the states of its generators into a checkpoint.
package resource
