package distribution

import (
	"math"

	"github.com/weft-nd/weft/kernels/cpu/internal/elementary"
)

// gaussians fills x with standard normal numbers: those of a draw, of the elements from first on.
func (b *lawBuffers) gaussians(x []float64, s Source, first uint64, draw uint16) {
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
func (s Source) gaussian(element uint64, draw uint16) float64 {
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

// standardNormals fills z with the normal numbers at draw 0 of elements from any first on.
func standardNormals(z []float64, s Source, first uint64) {
	b := lawPool.Get().(*lawBuffers)
	defer lawPool.Put(b)
	batches(first, first+uint64(len(z)), func(at uint64, count, skip int) {
		b.gaussians(b.x[:count], s, at, 0)
		z = z[copy(z, b.x[skip:count]):]
	})
}

// batches calls body for parts of the elements [first, end) of at most lawBatch, with the number of the first, which is
// even, of how many there are, and of how many of them are before the element first.
func batches(first, end uint64, body func(at uint64, count, skip int)) {
	for at := first &^ 1; at < end; at += lawBatch {
		skip := 0
		if at < first {
			skip = 1
		}
		body(at, int(min(lawBatch, end-at)), skip)
	}
}
