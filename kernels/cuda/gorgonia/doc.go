// Package gorgonia runs weft's GPUs through gorgonia.org/cu and gorgonia.org/cu/blas: importing it makes gpu(0), gpu(1) and so on the
// devices of that driver.
//
//	import _ "github.com/weft-nd/weft/kernels/cuda/gorgonia"
//
// It is for programs that use gorgonia.org/cu besides, and so share its contexts, or that are linked with CUDA on purpose. Others
// do better with kernels/cuda, which needs neither a C compiler nor the headers of CUDA, and runs where there is no GPU: a program with
// this package ends at its start where the CUDA driver does not start, as gorgonia.org/cu has it. README.md tells how it is built.
//
// Memory, modules, streams and events are those of gorgonia.org/cu, handles and single products of floats those of its package blas.
// What they lack is called by cgo: launches with an argument of more than 8 bytes, copies of host memory inside objects of Go that have
// pointers, page-locked memory, CUDA graphs, streams of cuBLAS, products in batches and of 16 bits.
//
// The driver may be used from any goroutine: each call is made on a thread on which the primary context of the device is current.
package gorgonia
