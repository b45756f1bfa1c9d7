// Package cudatest has a driver of CUDA in host memory, for tests without a GPU: the sources of the kernels and of the driver are
// compiled by a C++ compiler into a library that kernels/cuda loads like the real one. It has devices, streams that run on threads of
// their own, memory with bounds that are checked, and faults on demand. Tests are skipped where there is no compiler.
//
// RunDriver is the suite of drivers: it runs on the fake driver, and on real ones.
//
// A Fake may be used from any goroutine. The library is compiled once for the same sources, and kept in the system's folder of
// temporary files.
package cudatest
