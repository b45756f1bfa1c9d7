package autograd_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-nd/weft/autograd"
	"github.com/weft-nd/weft/dtype"
	nd "github.com/weft-nd/weft/ndarray"
)

// TestMaximaOverConvolutionsOfHalvesAreChosenBeforeRounding has sums of two channels, of which the second is larger by what rounding removes.
func TestMaximaOverConvolutionsOfHalvesAreChosenBeforeRounding(t *testing.T) {
	for _, c := range []struct {
		dtype dtype.DType
		large float64 // from where on integers have no odd neighbours
	}{{dtype.BFloat16, 256}, {dtype.Float16, 2048}} {
		t.Run(c.dtype.String(), func(t *testing.T) {
			x := nd.FromSlice([]float64{c.large, c.large, 0, 1}, 1, 2, 1, 2).Cast(c.dtype)
			weights := nd.OnesIn(nd.DefaultEnv(), c.dtype, 1, 2, 1, 1)
			tape := autograd.NewTape()
			watched := tape.Watch(x)
			y := watched.ConvMaxPool(weights, nd.ZerosIn(nd.DefaultEnv(), c.dtype, 1), nd.ConvMaxPoolParams{Window: []int{1, 2}})
			largest, err := nd.ValuesAs[float64](y)
			require.NoError(t, err)
			require.Equal(t, []float64{c.large}, largest)
			gradient, err := nd.ValuesAs[float64](tape.Gradient(y, watched)[0])
			require.NoError(t, err)
			require.Equal(t, []float64{0, 1, 0, 1}, gradient)
		})
	}
}
