package distribution

import "sync"

// law computes elements of a continuous distribution in float64: x, at most lawBatch of them, whose first has the even
// number first. Element e is a function of the 64-bit values of e alone, or of e and its neighbour in the same Philox
// block, at draws that its comment tells. Products that meet a sum are rounded by a conversion, so that no compiler fuses
// them; everything else comes from package elementary.
type law func(b *lawBuffers, x []float64, s Source, first uint64, parameters []float64)

// lawBatch is how many elements a law computes at a time.
const lawBatch = 256

// lawBuffers is memory that laws use as they like.
type lawBuffers struct {
	words            [2][lawBatch]uint64
	result           [lawBatch]float64
	x, power, powers [lawBatch]float64
}

var lawPool = sync.Pool{New: func() any { return new(lawBuffers) }}

// draw fills one of the buffers with the 64-bit values of count elements, and with that of the neighbour of the last.
func (b *lawBuffers) draw(which, count int, s Source, first uint64, draw uint16) []uint64 {
	words := b.words[which][:(count+1)&^1]
	s.wide(words, first, draw)
	return words
}
