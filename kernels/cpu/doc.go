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
//	var _ = registerLoops("square", unaryLoop(square[float32], light), unaryLoop(square[float64], light))
//
// The driver (elementwise.go) brings any strided operands into that form and shares the work over the threads, so the
// function may be replaced by assembly with the same signature. Such a function computes each element from the elements at
// the same position alone, in a way that does not depend on the position: where the driver cuts is not part of a result.
//
// # Assembly
//
// A program in internal/gen writes the assembly, which is checked in: make generate. A Go function that chooses by
// features.Best is its only caller, and has a portable twin for other processors and the build tag noasm; tests hold the
// two against each other by features.Each.
//
// The functions of calculus, such as exp, are described there once, step by step; assembly and Go are both written from the description, into
// package calculus, and a line in transcendental.go registers the function.
//
// # Where things are
//
// Packages below hold what knows nothing of views: functions of calculus, random numbers (distribution) and their words (philox), products of
// matrices (gemm), factors of matrices (factor), convolution, sorting, and Fourier transforms of lines (fourier).
//
// Here, files tell what they hold by their first word: registry finds kernels; walk, nest, layout, along, lines and stretches go over strided
// memory; loops, elementwise and loop_* are element-wise operators, and those of one kind are in arithmetic, compare, logical, rounding,
// transcendental, activation, power, pairs, division and complex_*; cast, half, widening and stream conversions and writing past the caches;
// reduce, total, sum, extreme, argmax, norm, moments and columns reductions; row_*, softmax, layer_norm, channel_norm and norm_channels what is
// normalised; matmul_*, linear_* and attention products; matrices, decomposition and the names of factors linear algebra; pool, max_pool and
// average_pool pooling; gather, scatter, mask, selection and tuples indexing; copy, move, transpose, join and shuffle copies; cumulative,
// scan and recurrence what goes along an axis, lstm, gru and rnn recurrent layers; sort, argsort, search and unique order; random_* random
// numbers; fourier the axes of Fourier transforms; update and clip_norm the steps of optimisers.
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
// Results never depend on the number of threads: chunks, blocks and trees follow from the shapes alone. Arithmetic, sums,
// matrix products and factors (but those of gonum), casts, random numbers and the functions of calculus are the same on every processor
// architecture, but for the bits of NaN. The exception is products of bfloat16 matrices (not of a matrix and a vector), which are those of the
// instructions of AMX or AVX512_BF16 where a processor has them (see package gemm), and those of float32, rounded once, where it has
// neither; with WEFT_CPU_KERNELS=nobfloat16 they are the latter everywhere.
//
// Kernels may run at the same time on different arguments. A kernel shares its work by the Thread it is given; it never
// waits for anything else, takes no user lock and starts no operator. The package allocates only small temporary memory,
// and knows nothing of arrays, gradients or scheduling.
package cpu
