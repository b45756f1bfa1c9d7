package convolution

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-nd/weft/kernels/cpu/gemm"
)

// Images of all lengths, of which whole panels, some pixels, or both are multiplied.
func TestPointwiseConvolutionsEqualTheDefinitionWhereImagesEndWithinPanels(t *testing.T) {
	before := restProducts
	restProducts = 0
	defer func() { restProducts = before }()
	r := rand.New(rand.NewPCG(41, 42))
	rounds := 60
	if testing.Short() {
		rounds = 6
	}
	for range rounds {
		s := Shape{r.IntN(41), 1 + r.IntN(2), 1 + r.IntN(5), 1 + r.IntN(18), [3]Axis{NoAxis, axis(1+r.IntN(9), 1, 1, 1, 0, 0), axis(1+r.IntN(9), 1, 1, 1, 0, 0)}}
		how := [4]layout{}
		if r.IntN(2) == 0 {
			how = anyLayouts(r)
		}
		newTrial(s, how, uniform[float32](r)).check(t)
		newTrial(s, how, uniform[float64](r)).check(t)
	}
}

func TestRestsOfSeveralBlocksOfChannelsEqualTheDefinition(t *testing.T) {
	r := rand.New(rand.NewPCG(43, 44))
	s := Shape{2, 1, 520, 74, [3]Axis{NoAxis, NoAxis, axis(17, 1, 1, 1, 0, 0)}}
	require.NotZero(t, restsOf[float32](&s, s.Filters, s.Channels, true).pixels)
	newTrial(s, [4]layout{}, uniform[float32](r)).check(t)
}

func TestRestsOfManyChannelsFillPanels(t *testing.T) {
	panel := gemm.PanelColumns[float32](256)
	for pixels := 1; pixels < panel; pixels++ {
		s := Shape{64, 1, 256, 256, [3]Axis{NoAxis, NoAxis, axis(3*panel+pixels, 1, 1, 1, 0, 0)}}
		r := restsOf[float32](&s, s.Filters, s.Channels, true)
		if 4*pixels > 3*panel {
			require.Zero(t, r.pixels, "so many are nearly a panel")
			continue
		}
		require.Equal(t, pixels, r.pixels)
		require.Zero(t, r.images*pixels%panel, "so many images fill panels")
		require.Zero(t, restsOf[float32](&s, 8, 8, true).pixels, "copies would take longer")
		s.Batch = 1
		require.Zero(t, restsOf[float32](&s, s.Filters, s.Channels, true).pixels, "there is nothing beside")
	}
}
