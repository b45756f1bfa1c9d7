package cpu

import (
	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/parallel"
)

// dropout sets the elements that bernoulli with the probability Scalars[0] hits to zero and multiplies the others by the
// inverse of the probability of staying.
func dropout[T dtype.Float](t *parallel.Thread, a *device.Arguments) error {
	probability := a.Scalars[0]
	if probability >= 1 {
		clearView(t, a.Outputs[0])
		return nil
	}
	drop, scale := newChance(probability), T(1/(1-probability))
	drawing(t, a, 1, func(s source, first uint64, count int, p pointers) {
		var words [blockSize]uint32
		s.narrow(words[:count], first, 0)
		dst, x := slice[T](p[0], count), slice[T](p[1], count)
		for i, word := range words[:count] {
			outcomes := [2]T{x[i] * scale, 0} // chosen by index: no processor predicts the branch
			if word != drop.digits {
				dst[i] = outcomes[(uint64(word)-uint64(drop.digits))>>63]
			} else if dst[i] = outcomes[0]; drop.undecided(s, first+uint64(i)) {
				dst[i] = 0
			}
		}
	})
	return nil
}

var (
	_ = registerFloats("dropout", entry{dtype.Float32.String(), dropout[float32]}, entry{dtype.Float64.String(), dropout[float64]})
	_ = registerFloats("dropout_replay", entry{dtype.Float32.String(), dropout[float32]}, entry{dtype.Float64.String(), dropout[float64]})
)
