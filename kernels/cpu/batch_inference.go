package cpu

import (
	"math"

	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/parallel"
)

// channelAffine is channelNorm with means Inputs[3] and variances Inputs[4] that are known.
func channelAffine[T dtype.Float](t *parallel.Thread, a *device.Arguments) error {
	scale, bias := contiguous[T](a.Inputs[1]), contiguous[T](a.Inputs[2])
	means, variances := contiguous[T](a.Inputs[3]), contiguous[T](a.Inputs[4])
	axes := int(a.Integers[0])
	n := newChannels(a.Inputs[0].Shape, axes, int(a.Integers[1]))
	units := n.blocks * n.segments
	t.ForCost(units, simpleRow*float64(n.samples*n.length/max(n.segments, 1)), func(_ *parallel.Thread, lo, hi int) {
		w := &rowWork[T]{rowLoops: rowLoopsOf[T]()}
		x, y := newPieces[T](n, a.Inputs[0], axes), newPieces[T](n, a.Outputs[0], axes)
		y.inner.pastCaches(a.Outputs[0], a.Inputs[0])
		for unit := lo; unit < hi; unit++ {
			block := unit / n.segments
			w.p = [6]T{means[block], 0, T(float64(scale[block]) / math.Sqrt(float64(variances[block])+a.Scalars[0])), bias[block]}
			for i, to := n.piecesOf(unit % n.segments); i < to; i++ {
				dst, row := y.room(block, i), x.read(block, i)
				w.affine(&dst[0], &row[0], len(row), &w.p)
				y.put(block, i)
			}
		}
		y.inner.finish()
	})
	return nil
}

var _ = registerFloats("batch_norm_inference", entry{"float32", channelAffine[float32]}, entry{"float64", channelAffine[float64]})

// runningAverage moves Outputs[0] toward Inputs[0] · Scalars[1] by the part Scalars[0] of their distance.
func runningAverage[T dtype.Float]() entry {
	return inPlace[T](func(a *device.Arguments) loop {
		momentum, factor := a.Scalars[0], a.Scalars[1]
		return func(count int, p pointers) {
			average, value := slice[T](p[0], count), slice[T](p[1], count)
			for i, v := range value {
				average[i] = T(float64((1-momentum)*float64(average[i])) + float64(momentum*float64(factor*float64(v))))
			}
		}
	})
}

var _ = registerUpdates("running_average", runningAverage[float32](), runningAverage[float64]())
