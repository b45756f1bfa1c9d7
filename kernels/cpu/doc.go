// Package cpu computes on host memory: one Kernel for each operator and element type, found by the name that
// device.KernelName gives, such as "add/float32".
//
// # Adding a kernel
//
// An element-wise operator is one function on contiguous slices and the line that registers it, beside each other:
//
//	func square[T dtype.Real](dst, x []T) {
//		for i, v := range x {
//			dst[i] = v * v
//		}
//	}
//
//	var _ = register("square", unary(square[float32], light), unary(square[float64], light))
//
// The driver (elementwise.go) brings any strided operands into that form and shares the work over the threads, so the
// function may be replaced by assembly with the same signature. Such a function computes each element from the elements at
// the same position alone, in a way that does not depend on the position: where the driver cuts is not part of a result.
//
// # Contract
//
// A kernel receives views that the operator layer has checked: shapes that fit, element-wise inputs broadcast by strides of
// zero, outputs that do not overlap themselves. An output may be the same memory as an input with the same strides where
// the kernel is element-wise; otherwise outputs overlap nothing. Any strides, negative ones included, zero-size shapes and
// 0-d shapes are accepted everywhere. A kernel returns an error only for what depends on the data, such as an index out of
// range, and has then written nothing to its outputs.
//
// Results never depend on the number of threads: chunks, blocks and trees follow from the shapes alone. Arithmetic, sums,
// casts and random numbers are the same on every processor architecture; exp, log, tanh, sigmoid, softmax and matmul go
// through package math and gonum, whose last bits may differ between architectures.
//
// Kernels may run at the same time on different arguments. A kernel shares its work by the Thread it is given; it never
// waits for anything else, takes no user lock and starts no operator. The package allocates only small temporary memory,
// and knows nothing of arrays, gradients or scheduling.
package cpu
