// Package ptx holds the kernels for NVIDIA's processors: the sources, and what internal/gen compiles them to, which a driver
// compiles further for its processor.
//
// The package has no state but the list of kernels, made when first asked for. Its functions may be called from any goroutine.
package ptx
