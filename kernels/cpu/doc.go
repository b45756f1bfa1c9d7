// Package cpu computes on host memory: one Kernel for each operator and element type, found by the name that
// device.KernelName gives, such as "add/float32".
//
// # Adding a kernel
//
// An element-wise operator is one function on contiguous slices and the lines that register it, beside each other; halves adds
// float16 and bfloat16, which compute in float32:
//
//	func relu[T dtype.Real](dst, x []T) {
//		dst = dst[:len(x)]
//		for i, v := range x {
//			dst[i] = max(v, 0)
//		}
//	}
//
//	var (
//		_ = registerLoops("relu", unaryLoop(relu[float32], light), unaryLoop(relu[float64], light))
//		_ = halves(1, "relu")
//	)
//
// The driver (elementwise.go) brings any strided operands into that form and shares the work among the threads, so the function
// may be replaced by assembly with the same signature. Such a function computes each element from the elements at the same
// position alone, in a way that does not depend on the position: so results do not depend on where the driver cuts.
//
// # Assembly
//
// A program in internal/gen writes the assembly, which is checked in; make generate runs it. Assembly is called only by a Go
// function that chooses by features.Best, and has a portable twin for other processors and the build tag noasm; tests compare
// the two by features.Each.
//
// The functions of calculus, such as exp, are described there once, step by step; assembly and Go are both written from
// the description, into package calculus, and a line in transcendental.go registers the function.
//
// # Where things are
//
// The packages in this folder know nothing of views: functions of calculus, random numbers (distribution) and their words
// (philox), products of matrices (gemm), factors of matrices (factor), eigenvalues of tridiagonal ones (tridiagonal), singular
// values of bidiagonal ones (bidiagonal), what both need (conquer), convolution, sorting, and Fourier transforms of lines (fourier).
//
// In this package, the first word of a file's name tells what it holds:
//   - registry finds kernels, assembly is what other processors have none of, scratch is temporary memory;
//   - walk, nest, layout, along, lines and stretches go over strided memory;
//   - loops, elementwise and loop_* are element-wise operators, and those of one kind are in activation, arithmetic, clamp, compare, complex,
//     division, logical, pairs, power, rounding, signs, transcendental and where;
//   - cast, half and widening convert, stream and streaming write past the caches;
//   - reduce, total, sum, extreme, argmax, truth, nonzero, logsumexp, norm, moments and columns are reductions;
//   - row_*, softmax, layer_norm, channel_norm and batch_inference are what is normalised, bundles the sums in their gradients;
//   - matmul_*, linear_*, attention and self_attention are products of matrices, convolution and pool_*, max_pool and average_pool windows;
//   - matrices, decomposition, triangle and the names of factors and of what is made of them, as in cholesky, qr, svd, eigen, determinant, inverse,
//     equations, least_squares and covariance, are linear algebra;
//   - gather, fetch, scatter, mask, selection (of which compress is the assembly), indices, tuples, one_hot and bincount index, sort, argsort, search and unique order;
//   - copy, move, transpose, join, shuffle and fill write what they read, or one value;
//   - cumulative, scan and recurrence go along an axis, recurrent, lstm, gru and rnn are recurrent layers;
//   - random_* are random numbers, fourier the axes of Fourier transforms, and blob, update and clip_norm change their operands.
//
// # Contract
//
// A kernel receives views that the operator layer has checked: shapes that fit, element-wise inputs broadcast by strides of
// zero, outputs that do not overlap themselves. An output may be the same memory as an input with the same strides where
// the kernel is element-wise, or that input the first of one that changes a copy of it; otherwise outputs overlap nothing. Any
// strides, negative ones included, zero-size shapes and 0-d shapes are accepted everywhere. A kernel returns an error only for what
// depends on the data, such as an index out of range: outputs that are made may have been written in part by then, those that are
// changed have not.
//
// Results never depend on the number of threads: chunks, blocks and trees depend on the shapes alone. Arithmetic, sums, matrix
// products and factors (but those of gonum), casts, random numbers and the functions of calculus are the same on every
// processor architecture, but for the bits of NaN. The exception is products of bfloat16 matrices (not of a matrix and a
// vector), which are those of the instructions of AMX or AVX512_BF16 where a processor has them (see package gemm), and those
// of float32, rounded once, where it has neither; with WEFT_CPU_KERNELS=nobfloat16 they are the latter everywhere.
//
// Kernels may run at the same time on different arguments. A kernel shares its work by the Thread it is given; it never waits
// for anything else, takes no lock that users can hold, and starts no operator. The package allocates only small temporary
// memory, and knows nothing of arrays, gradients or scheduling.
package cpu
