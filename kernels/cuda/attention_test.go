package cuda

import (
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/weft-nd/weft/device"
)

func TestBlocksOfAttentionAreAllRowsOfAllHeadsOnce(t *testing.T) {
	for _, shape := range [][]int{{2, 5, 6, 2}, {70, 700, 6, 1}, {3, 1500, 48, 16}, {1, 10_000, 6, 2}} {
		for causal := range int64(2) {
			g := attentionOf(&device.Arguments{Inputs: []device.View{{Shape: shape[:3]}}, Integers: []int64{int64(shape[3]), causal}})
			rows, last := 0, map[[2]int]int{}
			require.NoError(t, g.blocks(func(b *attentionBlock) error {
				for sample := range b.samples {
					for head := range b.heads {
						key := [2]int{b.sample + sample, b.head + head}
						before, found := last[key]
						if !found {
							before = g.times
						}
						require.Equal(t, before, b.first+b.rows, "the rows before those of the last block")
						last[key] = b.first
					}
				}
				rows += b.samples * b.heads * b.rows
				return nil
			}))
			require.Equal(t, shape[0]*shape[1]*shape[3], rows)
			require.LessOrEqual(t, g.someSamples*g.someHeads*g.someRows*g.times, max(attentionScores, g.times))
		}
	}
}
