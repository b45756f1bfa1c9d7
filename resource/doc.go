// Package resource holds what operators borrow: random numbers and scratch memory.
//
// A Generator hands out Tickets, one for each operator that draws random numbers. The numbers themselves are a pure
// function of the ticket and the element (package kernels/cpu/philox), so nothing is locked or ordered while they are
// made, and a ticket, or the state of a generator, is all that it takes to make them again. Scratch is memory for the time
// of one operation, kept warm by the manager of its device.
//
// # Concurrency
//
// Generators may be used from any goroutine. Which of several goroutines gets which ticket is their race; for a run that
// repeats bit for bit each of them uses a Generator of its own, made by Split or SplitN. What is saved while others draw is
// where the generator stood at some moment meanwhile, each number on its own. A Scratch belongs to whoever borrows with it.
//
// # What it does not do
//
// No variable of the engine stands for a resource: operators that borrow scratch memory of one device never wait for one
// another, and a failed operator cannot spoil what it borrowed. Nothing is saved by itself: a checkpoint has the states of
// the generators that its program uses.
package resource
