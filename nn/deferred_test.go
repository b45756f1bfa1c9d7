package nn_test

import (
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/weft-nd/weft/fault"
	nd "github.com/weft-nd/weft/ndarray"
	"github.com/weft-nd/weft/nn"
)

// digitModel is a small network; sizes that follow from others are as told, or nn.Unknown.
func digitModel(env *nd.Env, channels, filters, inputs, hidden int) *nn.Sequential {
	return nn.NewSequential(nn.NewConv2D(env, channels, 4, 3), nn.NewBatchNorm(env, filters), nn.Relu, nn.NewMaxPool2D(2),
		nn.NewSequential(nn.Flatten, nn.NewDense(env, inputs, 10)), nn.Tanh, nn.NewDense(env, hidden, 3))
}

func unknownModel(seed uint64) *nn.Sequential {
	return digitModel(nd.DefaultEnv().WithSeed(seed), nn.Unknown, nn.Unknown, nn.Unknown, nn.Unknown)
}

func stateBits(t *testing.T, l nn.Layer) map[string][]byte {
	all := map[string][]byte{}
	for name, a := range nn.State(l) {
		content, err := a.MarshalBinary()
		require.NoError(t, err)
		all[name] = content
	}
	return all
}

func TestParametersOfUnknownSizesHaveTheBitsOfKnownOnes(t *testing.T) {
	want := stateBits(t, digitModel(nd.DefaultEnv().WithSeed(5), 2, 4, 36, 10))
	for name, build := range map[string]func(l nn.Layer){
		"call":       func(l nn.Layer) { l.Forward(nn.Infer(), nd.Ones[float32](5, 2, 8, 8)) },
		"no samples": func(l nn.Layer) { nn.Build(l, nd.Ones[float32](0, 2, 8, 8)) },
		"summary":    func(l nn.Layer) { nn.Summarise(l, nd.Ones[float32](1, 2, 8, 8)) },
		"goroutines": func(l nn.Layer) {
			var all sync.WaitGroup
			for range 8 {
				all.Go(func() { l.Forward(nn.Infer(), nd.Ones[float32](1, 2, 8, 8)) })
			}
			all.Wait()
		},
	} {
		model := unknownModel(5)
		build(model)
		require.Equal(t, want, stateBits(t, model), name)
	}
}

func TestWhatNeedsParametersTellsThatTheyAreNotMade(t *testing.T) {
	model := unknownModel(1)
	for name, call := range map[string]func(){
		"params":     func() { model.Params() },
		"state":      func() { nn.State(model) },
		"initialise": func() { nn.Initialise(model, nd.DefaultEnv(), nn.HeNormal) },
	} {
		err := nd.Try(call)
		require.ErrorIs(t, err, fault.ErrMisuse, name)
		require.ErrorContains(t, err, "call Build before", name)
		require.ErrorContains(t, err, "deferred_test.go", name)
	}
	require.ErrorContains(t, nn.SetState(model, map[string]*nd.Array{}), "call Build before")
	for text, call := range map[string]func(){
		"which (3,) does not have": func() { nn.NewConv2D(nd.DefaultEnv(), nn.Unknown, 2, 3).Forward(nn.Infer(), nd.Ones[float32](3)) },
		"which () does not have":   func() { nn.NewDense(nd.DefaultEnv(), nn.Unknown, 2).Forward(nn.Infer(), nd.Ones[float32]()) },
		"in 2 groups": func() {
			nn.NewConv2D(nd.DefaultEnv(), nn.Unknown, 2, 1, nn.Groups(2)).Forward(nn.Infer(), nd.Ones[float32](1, 3, 2, 2))
		},
		"3 filters":        func() { nn.NewConv2D(nd.DefaultEnv(), nn.Unknown, 3, 1, nn.Groups(2)) },
		"the Env":          func() { nn.NewBatchNorm(nil, nn.Unknown) },
		"the layer is nil": func() { nn.Build(nil, nd.Ones[float32](1)) },
	} {
		require.ErrorContains(t, nd.Try(call), text)
	}
}

func TestSummaryTellsLayersShapesParametersAndMemory(t *testing.T) {
	s := nn.Summarise(unknownModel(1), nd.Ones[float32](2, 2, 8, 8))
	require.Equal(t, `layer  kind       output     dtype    parameters
       input      (2,2,8,8)
0      Conv       (2,4,6,6)  float32  76
1      BatchNorm  (2,4,6,6)  float32  8
2      Relu       (2,4,6,6)  float32  0
3      Pool       (2,4,3,3)  float32  0
4.0    Flatten    (2,36)     float32  0
4.1    Dense      (2,10)     float32  370
5      Tanh       (2,10)     float32  0
6      Dense      (2,3)      float32  33
487 parameters in 1,980 bytes; outputs take 4,216 bytes
`, s.String())
	shared := nn.NewDense(nd.DefaultEnv(), 3, 3)
	require.Equal(t, 12, nn.Summarise(nn.NewSequential(shared, nn.Func(func(x *nd.Array) *nd.Array { return x }), shared), nd.Ones[float32](1, 3)).Parameters)
	require.Equal(t, 1234*1000+1234, nn.Summarise(nn.NewDense(nd.DefaultEnv(), 1000, 1234), nd.Ones[float32](1, 1000)).Parameters)
}
