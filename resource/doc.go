// Package resource holds what operators borrow: random numbers and temporary memory.
//
// # Concurrency
//
// Everything may be used from any goroutine. Borrowers never wait for one another.
//
// # What it does not do
//
// Random numbers themselves are made by kernels; a Generator only says which ones. Temporary memory is the pool of package
// storage, borrowed and returned.
package resource
