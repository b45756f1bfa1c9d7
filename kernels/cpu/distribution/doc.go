// Package distribution makes random numbers of the words of Philox: uniform, normal and many other ones, in slices.
//
// Every element is a pure function of a [Source] and of its number in row-major order, or of those and of its neighbour in the same block
// of Philox, so that any worker may make any part; package philox tells which words it has. Comments of types and functions tell which
// draws of an element are used.
//
// A [Continuous] distribution is a variable, which fills slices of float32 or float64 of any length: Gamma.Float64(dst, s, first,
// parameters). Uniform and normal numbers have assembly. The others are computed in float64 and rounded once, by package elementary,
// whose errors are below one unit in the last place; those of float32 normal numbers are a few units in the last place of the radius of
// Box and Muller. Functions of integers and bools take at most [BlockSize] elements at a time. Rejection methods go on to the next draws
// of the same element, and are exact but for roundings.
//
// Parameters are those that operators have checked. Results have the same bits on every processor: every product that
// meets a sum is rounded first.
//
// All functions may be called from any goroutine, on different memory; a value with memory of its own, such as a
// [Multinomial], is for one goroutine at a time. The variables are never changed.
package distribution
