// Package philox is the counter-based generator Philox4x32-10 of Salmon, Moraes, Dror and Shaw, "Parallel random numbers:
// as easy as 1, 2, 3" (SC 2011), equal in every bit to Random123.
//
// Every value is a pure function of a key and a counter, so that any element of a random array can be computed by any
// worker of any device in any order. The layout of the counter is frozen; every device kernel follows it:
//
//	counter = sequence of the operator (64 bits) | element block (48 bits) | draw (16 bits)
//
//	word 0   the low 32 bits of the element block
//	word 1   draw << 16 | the high 16 bits of the element block
//	word 2   the low 32 bits of the sequence
//	word 3   the high 32 bits of the sequence
//
// A block is four words, the lanes 0 to 3. Elements are numbered in the row-major order of the shape of the array,
// whatever its strides:
//
//   - 32-bit values: element e is lane e%4 of block e/4.
//   - 64-bit values: element e is lanes 2(e%2) and 2(e%2)+1 of block e/2; the first of the two is the high word.
//
// The draw is 0 for the first value of an element; methods that reject a value go on to the next draw of the same element.
//
// All functions are pure and may be called from any goroutine. The package holds no state and no distributions.
package philox
