// Package elementary has the elementary functions that distributions are made of, with the same bits on every processor.
//
// Package math has assembly for some functions on some processors, and a compiler may fuse a product with a sum where the
// processor can. Here every product that is added to something is rounded first by a conversion, which the Go
// specification keeps from being fused, and nothing is used but + − · /, square roots and conversions, which IEEE 754
// defines to the last bit. Methods and constants are those of FreeBSD's msun; errors are below one unit in the last place.
//
// Uniform numbers are given as 64-bit words: the word w stands for (⌊w/2⌋ + ½)·2⁻⁶³, which is between 0 and 1 and makes no
// result infinite.
//
// All functions are pure and may be called from any goroutine. There are no vectors and no float32 here.
package elementary
