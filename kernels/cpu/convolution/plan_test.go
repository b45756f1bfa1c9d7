package convolution

import (
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestConvolutionsOfOneShapeShareAPlanAndNothingElse lets goroutines convolve different numbers of the same shape at once.
func TestConvolutionsOfOneShapeShareAPlanAndNothingElse(t *testing.T) {
	const goroutines, rounds = 4, 5
	r := rand.New(rand.NewPCG(9, 1))
	s := Shape{2, 1, 3, 5, [3]Axis{NoAxis, axis(9, 3, 1, 1, 1, 1), axis(11, 3, 1, 1, 1, 0)}}
	for _, d := range directions[float32]() {
		var trials [goroutines]*trial[float32]
		var alone [goroutines][]float32
		for i := range trials {
			trials[i] = newTrial(s, [4]layout{}, uniform[float32](r))
			alone[i] = trials[i].run(t, d, 1)
		}
		require.False(t, sameBits(alone[0], alone[1]), d.name)
		var all sync.WaitGroup
		for i := range trials {
			all.Go(func() {
				for range rounds {
					if !sameBits(alone[i], trials[i].run(t, d, 2)) {
						t.Errorf("%s: goroutine %d has other bits than alone", d.name, i)
					}
				}
			})
		}
		all.Wait()
	}
}
