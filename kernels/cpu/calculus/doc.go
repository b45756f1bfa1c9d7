// Package calculus computes functions of calculus, such as the exponential function, of elements of float32 and float64.
//
// A function of slices is a variable, [Unary] or [Binary] by its operands, with a form for each element type:
// Exp.Float32(dst, x). A function of one element has the type in its name, as [ExpFloat64] has, and gives the same
// bits. Both are written by kernels/cpu/internal/gen from one description of the steps, as assembly for AVX2 and
// AVX-512 and as Go; what the steps of vectors leave out, numbers beyond the range in which they hold, is in Go alone
// (hard*.go). Infinities, NaN and signed zeros give what the array API standard asks for, and subnormal numbers are
// numbers.
//
// Errors, in units in the last place, are at most 2.5 for float32, but 3.1 for [Gelu] and 3.2 for [Tan], and 0.51 for [Hypot] and [Pow];
// for float64 they are at most 2 where tests have exact values, and elsewhere, too, but for what package math errs by itself. Those of
// [Logaddexp] are in units of the larger of its terms, and those of [Pow] at most 0.54 for float64, too. Results have the same bits on
// every processor, but for those of NaN: every product that a sum takes in is rounded first, or fused with it on purpose.
//
// All functions may be called from any goroutine, on different memory. The variables are never changed.
package calculus
