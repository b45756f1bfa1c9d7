package nn_test

import (
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-nd/weft/autograd"
	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/fault"
	nd "github.com/weft-nd/weft/ndarray"
	"github.com/weft-nd/weft/nn"
	"github.com/weft-nd/weft/resource"
)

func elements(t *testing.T, a *nd.Array) []float64 {
	t.Helper()
	v, err := nd.ValuesAs[float64](a)
	require.NoError(t, err)
	return v
}

func TestDropoutDropsAndScalesInTraining(t *testing.T) {
	const n = 200_000
	for _, d := range []dtype.DType{dtype.Float32, dtype.Float64} {
		for _, p := range []float64{0, 0.1, 0.5, 0.9, 1} {
			tape := autograd.NewTape()
			c := nn.Train(tape, resource.NewGenerator(1))
			x := tape.Watch(nd.FullIn(nd.DefaultEnv(), d, 3, n/100, 100))
			y := nn.NewDropout(p).Forward(c, x)
			require.Same(t, x.Env(), y.Env())
			c.Generator.Next() // what is drawn between does not count
			g := elements(t, tape.Gradient(y.Sum(), x)[0])
			scale, dropped := 1/(1-p), 0.0
			if d == dtype.Float32 {
				scale = float64(float32(scale))
			}
			for i, v := range elements(t, y) {
				slope := scale
				if v == 0 {
					dropped++
					slope = 0
				}
				if math.Abs(v-3*slope) > 1e-6*v || g[i] != slope {
					require.Failf(t, "not dropped and scaled", "%v with the slope %v, want %v and %v", v, g[i], 3*slope, slope)
				}
			}
			require.LessOrEqual(t, math.Abs(dropped-p*n), 5*math.Sqrt(n*p*(1-p)), "probability %v", p)
		}
	}
}

func TestDroppedElementsAreZeroWhateverTheyWere(t *testing.T) {
	special := []float64{math.NaN(), math.Inf(1), math.Inf(-1), math.MaxFloat64, -1}
	x := nd.FromSlice(special)
	c := nn.Train(nil, resource.NewGenerator(2))
	require.Equal(t, make([]float64, 5), elements(t, nn.NewDropout(1).Forward(c, x)))
	kept := elements(t, nn.NewDropout(0).Forward(c, x))
	require.True(t, math.IsNaN(kept[0]))
	require.Equal(t, special[1:], kept[1:])
	zeros := 0
	for _, v := range elements(t, nn.NewDropout(0.5).Forward(c, nd.Full(math.NaN(), 1000))) {
		if v == 0 {
			zeros++
		} else {
			require.True(t, math.IsNaN(v))
		}
	}
	require.InDelta(t, 500, zeros, 80)
}

func TestDropoutDrawsFromTheGeneratorOfTheContext(t *testing.T) {
	layer, x := nn.NewDropout(0.5), nd.Ones[float32](1000)
	draw := func(c *nn.Ctx) []float64 { return elements(t, layer.Forward(c, x)) }
	c := nn.Train(nil, resource.NewGenerator(3))
	first := draw(c)
	require.NotEqual(t, first, draw(c))
	require.Equal(t, first, draw(nn.Train(nil, resource.NewGenerator(3))))

	own := x.In(nd.DefaultEnv().WithSeed(4))
	require.Equal(t, elements(t, layer.Forward(&nn.Ctx{Train: true}, own)),
		elements(t, layer.Forward(nn.Train(nil, resource.NewGenerator(4)), x)))
}

func TestDropoutDoesNothingInInference(t *testing.T) {
	x := nd.Ones[float32](3)
	require.Same(t, x, nn.NewDropout(0.5).Forward(nn.Infer(), x))
	require.Empty(t, nn.Params(nn.NewDropout(0.5)))
}

func TestDropoutRefusesWhatIsNoProbability(t *testing.T) {
	for _, p := range []float64{-0.1, 1.1, math.NaN(), math.Inf(1)} {
		err := nd.Try(func() { nn.NewDropout(p) })
		require.ErrorIs(t, err, fault.ErrParameter)
		require.Contains(t, err.Error(), "dropout_test.go")
	}
}

// TestDropoutFollowsTheContextOfItsCall has one tape, under which calls are in training and in inference in turn.
func TestDropoutFollowsTheContextOfItsCall(t *testing.T) {
	ones := nd.Ones[float64](10, 10)
	generator := ones.Env().WithSeed(1).Generator()
	layer := nn.NewDropout(0.5)
	tape := autograd.NewTape(autograd.Persistent())
	defer tape.Close()
	for _, training := range []bool{true, false, true, false, false} {
		c := nn.Train(tape, generator)
		c.Train = training
		x := tape.Watch(ones)
		y := layer.Forward(c, x)
		if !training {
			require.Equal(t, elements(t, ones), elements(t, y))
		} else {
			require.Equal(t, 2.0, slices.Max(elements(t, y)))
			require.Equal(t, 0.0, slices.Min(elements(t, y)))
		}
		require.Equal(t, elements(t, y), elements(t, tape.Gradient(y.Sum(), x)[0]), "what is kept has the slope of its scale")
	}
	require.Equal(t, elements(t, ones), elements(t, layer.Forward(nn.Infer(), ones)))
	require.NotEqual(t, elements(t, ones), elements(t, layer.Forward(nn.Train(nil, generator), ones)), "training without a tape")
}
