package cpu

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/parallel"
)

func TestBlocksOfSequencesAreLargeWhereTheWeightIsAndThreadsHaveEnough(t *testing.T) {
	const large = secondCache + 1
	for _, c := range []struct{ sequences, threads, weight, want int }{
		{64, 2, large, 16}, {64, 4, large, 16}, {64, 5, large, 8}, {64, 2, secondCache, 8}, {31, 2, large, 8}, {32, 2, large, 16}, {33, 2, large, 8}, {41, 1, large, 8}, {1, 1, large, 8},
	} {
		g := recurrent{sequences: c.sequences}
		require.Equal(t, c.want, g.rowsOf(c.threads, c.weight), "%+v", c)
	}
}

// One thread has larger blocks than many have.
func TestStatesDoNotDependOnBlocksOfSequences(t *testing.T) {
	const hidden, times = 424, 2
	for _, sequences := range []int{16, 25, 26, 40} {
		r := random()
		fill := func(shape ...int) device.View {
			return newFilled(r, shape, rowMajor, func(r *rand.Rand) float32 { return float32(r.NormFloat64() / 20) })
		}
		x, weight, bias, h := fill(sequences, times, 3*hidden), fill(3*hidden, hidden), fill(3*hidden), fill(sequences, hidden)
		require.Greater(t, weight.Count()*4, secondCache)
		lengths := newFilled(r, []int{sequences}, rowMajor, func(r *rand.Rand) int64 { return int64(r.IntN(times + 1)) })
		y, gates := fill(sequences, times, hidden), fill(sequences, times, 4*hidden)
		sameBits[float32](t, func(thread *parallel.Thread) device.View {
			a := &device.Arguments{Outputs: views(y, fill(sequences, hidden), gates), Inputs: views(x, weight, bias, h, lengths), Integers: []int64{0}}
			require.NoError(t, call(t, thread, "gru/float32", a))
			return y
		})
		upstream := views(fill(sequences, times, hidden), fill(sequences, hidden), fill(sequences, times, 4*hidden))
		sameBits[float32](t, func(thread *parallel.Thread) device.View {
			before := newView(r, dtype.Float32, []int{sequences, hidden}, rowMajor)
			a := &device.Arguments{
				Outputs: views(fill(sequences, times, 3*hidden), fill(3*hidden, hidden), fill(3*hidden), before),
				Inputs:  append(views(weight, h, lengths, y, gates), upstream...), Integers: []int64{0},
			}
			require.NoError(t, call(t, thread, "gru_gradient/float32", a))
			return before
		})
	}
}
