package cpu

import (
	"math"
	"sync"

	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/kernels/cpu/internal/elementary"
)

// law computes elements of a continuous distribution in float64: x, at most lawBatch of them, whose first has the even
// number first. Element e is a function of the 64-bit values of e alone, or of e and its neighbour in the same Philox
// block, at draws that its comment tells. Products that meet a sum are rounded by a conversion, so that no compiler fuses
// them; everything else comes from package elementary.
type law func(b *lawBuffers, x []float64, s source, first uint64, scalars []float64)

// lawBatch is how many elements a law computes at a time.
const lawBatch = 256

// lawBuffers is memory that laws use as they like.
type lawBuffers struct {
	words            [2][lawBatch]uint64
	result           [lawBatch]float64
	x, power, powers [lawBatch]float64
}

var lawPool = sync.Pool{New: func() any { return new(lawBuffers) }}

// following registers an operator whose elements are those of a law, rounded to the element type.
func following(operator string, rule law, nanoseconds float64) struct{} {
	return register(operator, generating(lawful[float32](rule), nanoseconds), generating(lawful[float64](rule), nanoseconds))
}

func lawful[T dtype.Float](rule law) generator[T] {
	return func(dst []T, s source, first uint64, scalars []float64) {
		b := lawPool.Get().(*lawBuffers)
		defer lawPool.Put(b)
		for start := 0; start < len(dst); start += lawBatch {
			part := dst[start:min(start+lawBatch, len(dst))]
			result := b.result[:len(part)]
			rule(b, result, s, first+uint64(start), scalars)
			for i, v := range result {
				part[i] = T(v)
			}
		}
	}
}

// draw fills one of the buffers with the 64-bit values of count elements, and with that of the neighbour of the last.
func (b *lawBuffers) draw(which, count int, s source, first uint64, draw uint16) []uint64 {
	words := b.words[which][:(count+1)&^1]
	s.wide(words, first, draw)
	return words
}

// value returns the 64-bit value of an element.
func (s source) value(element uint64, draw uint16) uint64 { return s.pair(element/2, draw)[element%2] }

// gaussians fills x with standard normal numbers: those of a draw, of the elements from first on.
func (b *lawBuffers) gaussians(x []float64, s source, first uint64, draw uint16) {
	words := b.draw(0, len(x), s, first, draw)
	even := len(x) &^ 1
	for i := 0; i < even; i += 2 {
		x[i], x[i+1] = gaussianPair(words[i], words[i+1])
	}
	if even < len(x) {
		x[even], _ = gaussianPair(words[even], words[even+1])
	}
}

// gaussian returns the standard normal number of an element at a draw.
func (s source) gaussian(element uint64, draw uint16) float64 {
	values := s.pair(element/2, draw)
	first, second := gaussianPair(values[0], values[1])
	if element%2 == 0 {
		return first
	}
	return second
}

// gaussianPair turns the values of a Philox block into standard normal numbers by the method of Box and Muller ("A note on
// the generation of random normal deviates", Annals of Mathematical Statistics 29(2), 1958): the radius from the first, a
// turn from the second; the first element takes the cosine, the second the sine.
func gaussianPair(first, second uint64) (x, y float64) {
	radius := math.Sqrt(-2 * elementary.LogUnit(first))
	sine, cosine := elementary.SineCosine(second)
	return float64(radius * cosine), float64(radius * sine)
}

// logNormal is exp(mean + deviation·z), with z the normal number of the element at draw 0.
func logNormal(b *lawBuffers, x []float64, s source, first uint64, scalars []float64) {
	mean, deviation := scalars[0], scalars[1]
	b.gaussians(x, s, first, 0)
	for i, z := range x {
		x[i] = elementary.Exp(mean + float64(deviation*z))
	}
}

var _ = following("log_normal", logNormal, 18)
