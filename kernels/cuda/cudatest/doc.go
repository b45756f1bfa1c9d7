// Package cudatest has a driver of CUDA in host memory, for tests without a GPU: the sources of the kernels and of the driver are
// compiled by a C++ compiler into a library that kernels/cuda loads like the real one. It has devices, streams that run on threads of
// their own, memory with bounds that are checked, and faults on demand. Tests are skipped where there is no compiler.
//
// Blocks of the kernels run thread by thread, up to the next barrier each, in orders that change: results depend on the
// order where a barrier is missing, and a device is lost where threads of a block do not meet at one. Programs that the
// fake NVRTC has compiled are checked less: their threads run in one order, forward, and need not meet at the same
// barriers.
//
// RunDriver is the suite of drivers: it runs on the fake driver, and on real ones.
//
// A Fake may be used from any goroutine. The library is compiled once for the same sources, and kept in the system's folder of
// temporary files.
package cudatest
