// Package bind loads the libraries of CUDA when they are first wanted, and calls them without cgo. It implements the interfaces of
// kernels/cuda/driver on linux, amd64 and arm64; elsewhere Open tells that there is none.
//
// Calls lock their goroutine to its thread and make the context current there, because CUDA keeps the current context per thread.
// What a call takes by pointer lives on Go's heap, which does not move. A Driver, its contexts and events may be used from any
// goroutine, a BLAS by one at a time. Libraries are never unloaded.
package bind
