// Package driver is what weft asks of a CUDA driver: devices, memory, copies, kernels, streams, events and matrix products.
//
// A Driver is one binding of the libraries; kernels/cuda has one that loads them at run time, and kernels/cuda/gorgonia one that is
// linked with them. The interfaces are small, so that one binding can take the place of another: cuda.Bind puts it there, and
// cudatest.RunDriver is the suite that all pass. Refused calls are *Error, with the names that NVIDIA gives to the reasons.
//
// All methods may be called from any goroutine: a binding makes the context current on the thread that calls. Handles are
// numbers with a meaning to their binding alone. Nothing is freed by the garbage collector.
package driver
