package data

import (
	"fmt"
	"math"
	"math/bits"

	"github.com/weft-nd/weft/fault"
	"github.com/weft-nd/weft/kernels/cpu/philox"
	"github.com/weft-nd/weft/resource"
)

// Draws are random numbers for the samples of a batch. Those of a sample are Philox4x32-10 (Salmon et al., 2011) at a counter of the
// iteration's ticket, the number of the sample in the data set, and how many were drawn before: they do not depend on the batch
// that the sample is in, nor on who prepares it. A Draws is used by one goroutine at a time.
type Draws struct {
	ticket  resource.Ticket
	samples []int
	drawn   int
}

// Uniform returns a number for each sample, uniform from 0 to below 1.
func (d *Draws) Uniform() []float64 {
	numbers := make([]float64, len(d.samples))
	for i, word := range d.words() {
		numbers[i] = float64(word>>11) / (1 << 53)
	}
	return numbers
}

// Integers returns a number for each sample, from low to high, both included, uniform but for one part in 2⁶⁴ divided by their
// number. It panics with *nd.Error if high is less than low.
func (d *Draws) Integers(low, high int) []int {
	if high < low {
		mistake("data.Draws.Integers", fault.ErrParameter, fmt.Sprintf("integers from %d to %d", low, high))
	}
	numbers := make([]int, len(d.samples))
	for i, word := range d.words() {
		above, _ := bits.Mul64(word, uint64(high-low)+1)
		numbers[i] = low + int(above)
	}
	return numbers
}

// words returns 64 random bits for each sample.
func (d *Draws) words() []uint64 {
	if d.drawn > math.MaxUint16 {
		mistake("data.Draws", fault.ErrParameter, "more than 65536 numbers for a sample")
	}
	words := make([]uint64, len(d.samples))
	for i, sample := range d.samples {
		block := philox.Block(d.ticket.Key, philox.Counter(d.ticket.Sequence, uint64(sample), uint16(d.drawn)))
		words[i] = uint64(block[0])<<32 | uint64(block[1])
	}
	d.drawn++
	return words
}
