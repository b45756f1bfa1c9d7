package cpu

import (
	"math"

	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/parallel"
)

// blockState is what is known of the blocks of a normalisation by channels.
type blockState struct {
	*channels
	parts    []rowMoment // of segments
	totals   []rowMoment // of blocks
	inverses []float64
	epsilon  float64
}

// newBlockState reads Integers: the number of axes that count blocks, and channels.groups.
func newBlockState(a *device.Arguments, x device.View) *blockState {
	n := newChannels(x.Shape, int(a.Integers[0]), int(a.Integers[1]))
	return &blockState{n, make([]rowMoment, n.blocks*n.segments), make([]rowMoment, n.blocks), make([]float64, n.blocks), a.Scalars[0]}
}

// join finishes a block.
func (s *blockState) join(block int) {
	var whole rowMoment
	for _, m := range s.parts[block*s.segments : (block+1)*s.segments] {
		whole = whole.join(m)
	}
	s.totals[block], s.inverses[block] = whole, whole.inverse(s.epsilon)
}

// segmentMoment returns the moment of a segment of x.
func segmentMoment[T dtype.Float](w *rowWork[T], x *pieces[T], block, segment int) rowMoment {
	from, to := x.piecesOf(segment)
	first, _ := x.piece(from)
	last, count := x.piece(to - 1)
	return w.momentOf(x.read(block, from)[0], last+count-first, func(shift float64) {
		for i := from; i < to; i++ {
			row := x.read(block, i)
			w.shiftedMoments(&row[0], len(row), shift, &w.sums)
		}
	})
}

// channelNorm normalises the blocks of Inputs[0], then multiplies by the channel's element of Inputs[1], and adds that of
// Inputs[2]: (x − mean) / √(variance + Scalars[0]) · scale + bias. Mean and variance of the blocks are Outputs[1] and [2], if
// those are there; NaN of blocks without elements.
func channelNorm[T dtype.Float](t *parallel.Thread, a *device.Arguments) error {
	scale, bias := contiguous[T](a.Inputs[1]), contiguous[T](a.Inputs[2])
	s := newBlockState(a, a.Inputs[0])
	s.run(t, simpleRow, s.join, func() (measure, compute func(block, segment int)) {
		w, axes := &rowWork[T]{rowLoops: rowLoopsOf[T]()}, int(a.Integers[0])
		x, y := newPieces[T](s.channels, a.Inputs[0], axes), newPieces[T](s.channels, a.Outputs[0], axes)
		y.inner.pastCaches(a.Outputs[0], a.Inputs[0])
		return func(block, segment int) {
				s.parts[block*s.segments+segment] = segmentMoment(w, x, block, segment)
			}, func(block, segment int) {
				centre(&w.p, s.totals[block].mean)
				from, to := s.piecesOf(segment)
				for i := to - 1; i >= from; i-- { // those measured last are still in the cache
					channel := s.channel(block, i)
					w.p[2], w.p[3] = T(s.inverses[block]*float64(scale[channel])), bias[channel]
					dst, row := y.room(block, i), x.read(block, i)
					w.affine(&dst[0], &row[0], len(row), &w.p)
					y.put(block, i)
				}
				y.inner.finish()
			}
	})
	if len(a.Outputs) > 1 {
		means, variances := make([]T, s.blocks), make([]T, s.blocks)
		for block, m := range s.totals {
			means[block], variances[block] = T(m.mean), T(m.squares/m.count)
			if m.count == 0 {
				means[block] = T(math.NaN())
			}
		}
		assignAll(a.Outputs[1], means)
		assignAll(a.Outputs[2], variances)
	}
	return nil
}

func channelNorms(operator string) struct{} {
	return registerFloats(operator, entry{"float32", channelNorm[float32]}, entry{"float64", channelNorm[float64]})
}

var (
	_ = channelNorms("batch_norm")
	_ = channelNorms("group_norm")
)

// slopeState is what is known of the pieces and blocks of the gradient.
type slopeState struct {
	*blockState
	pieces []slope // products are with the distance from the mean of the segment, when finished of the block
	blocks []slope // sums over channels, each times its scale
}

// finishSlopes joins what is known of a block. Conversions keep products from being fused with sums.
func finishSlopes[T dtype.Float](s *slopeState, scale []T, block int) {
	s.join(block)
	for i := range s.channels.pieces {
		p := &s.pieces[block*s.channels.pieces+i]
		p.products += float64((s.parts[block*s.segments+i/s.segment].mean - s.totals[block].mean) * p.sum)
		factor := float64(scale[s.channel(block, i)])
		s.blocks[block].sum += float64(factor * p.sum)
		s.blocks[block].products += float64(factor * p.products)
	}
}

// measureSlopes measures a segment.
func measureSlopes[T dtype.Float](s *slopeState, w *rowWork[T], x, u *pieces[T], block, segment int) {
	from, to := s.piecesOf(segment)
	all := s.pieces[block*s.channels.pieces:]
	take := func(i int) {
		all[i].sum, all[i].products = w.totals(&w.more)
	}
	measure := func(i int, shift float64) {
		row, up := x.read(block, i), u.read(block, i)
		w.products(&row[0], &up[0], len(row), shift, &w.more)
		take(i)
	}
	m := &s.parts[block*s.segments+segment]
	if rowLanes[T]() < 16 {
		*m = segmentMoment(w, x, block, segment)
		for i := from; i < to; i++ {
			measure(i, m.mean)
		}
		return
	}
	count := 0
	for i := from; i < to; i++ { // without a shift, both in one pass
		row := x.read(block, i)
		if w.jointProducts != nil {
			w.jointProducts(&row[0], &u.read(block, i)[0], len(row), &w.sums, &w.more)
			take(i)
		} else {
			w.shiftedMoments(&row[0], len(row), 0, &w.sums)
			measure(i, 0)
		}
		count += len(row)
	}
	*m = w.momentOf(0, count, func(float64) {})
	for i := from; i < to; i++ {
		all[i].products -= float64(m.mean * all[i].sum)
	}
}

// channelNormGradient computes the gradients of channelNorm's operands, Outputs, from x Inputs[0], scale Inputs[1] and the
// upstream gradient Inputs[2]; see layerNormGradient.
func channelNormGradient[T dtype.Float](t *parallel.Thread, a *device.Arguments) error {
	scale := contiguous[T](a.Inputs[1])
	known := newBlockState(a, a.Inputs[0])
	s := &slopeState{known, make([]slope, known.channels.blocks*known.pieces), make([]slope, known.channels.blocks)}
	s.run(t, 2*simpleRow, func(block int) { finishSlopes(s, scale, block) }, func() (measure, compute func(block, segment int)) {
		w, axes := &rowWork[T]{rowLoops: rowLoopsOf[T]()}, int(a.Integers[0])
		x, u, dx := newPieces[T](s.channels, a.Inputs[0], axes), newPieces[T](s.channels, a.Inputs[2], axes), newPieces[T](s.channels, a.Outputs[0], axes)
		dx.inner.pastCaches(a.Outputs[0], a.Inputs[0], a.Inputs[2])
		return func(block, segment int) {
				measureSlopes(s, w, x, u, block, segment)
			}, func(block, segment int) {
				m, inverse, of := s.totals[block], s.inverses[block], s.blocks[block]
				centre(&w.p, m.mean)
				w.p[3], w.p[4] = T(-inverse*inverse*inverse*of.products/m.count), T(-inverse*of.sum/m.count)
				from, to := s.piecesOf(segment)
				for i := to - 1; i >= from; i-- { // those measured last are still in the cache
					w.p[2] = T(inverse * float64(scale[s.channel(block, i)]))
					dst, row, up := dx.room(block, i), x.read(block, i), u.read(block, i)
					w.affineSlope(&dst[0], &row[0], &up[0], len(row), &w.p)
					dx.put(block, i)
				}
				dx.inner.finish()
			}
	})
	scales, biases := make([]float64, len(scale)), make([]float64, len(scale))
	for i, p := range s.pieces {
		block := i / s.channels.pieces
		channel := s.channel(block, i%s.channels.pieces)
		scales[channel] += float64(s.inverses[block] * p.products)
		biases[channel] += p.sum
	}
	assignAll(a.Outputs[1], roundedRow[T](scales))
	assignAll(a.Outputs[2], roundedRow[T](biases))
	return nil
}

// rounded returns x in T.
func roundedRow[T dtype.Float](x []float64) []T {
	all := make([]T, len(x))
	for i, v := range x {
		all[i] = T(v)
	}
	return all
}

func channelNormGradients(operator string) struct{} {
	return registerFloats(operator, entry{"float32", channelNormGradient[float32]}, entry{"float64", channelNormGradient[float64]})
}

var (
	_ = channelNormGradients("batch_norm_gradient")
	_ = channelNormGradients("group_norm_gradient")
)
