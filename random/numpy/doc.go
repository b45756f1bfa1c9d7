// Package numpy holds the bit streams of NumPy's random number generators: programs that move from NumPy draw the same
// bits from the same seeds. Philox and MT19937 are sources for math/rand/v2:
//
//	r := rand.New(numpy.NewPhilox(42)) // the bits of numpy.random.Philox(42)
//
// Uint64, Uint32 and Float64 are NumPy's next_uint64, next_uint32 and next_double, so Float64 is Generator.random, and of a
// legacy MT19937 RandomState.random_sample. State goes to NumPy and back as JSON: the dictionary of bit_generator.state.
//
// # Concurrency
//
// As with all sources of math/rand/v2, each value is used by one goroutine at a time. Goroutines get streams of their own
// by SeedSequence.Spawn or by Jumped.
//
// # What it does not do
//
// The distributions of math/rand/v2 are not those of NumPy's Generator. Arrays of random numbers come from package random,
// whose Philox4x32-10 is another stream than this Philox4x64-10.
package numpy
