package nn_test

import (
	"maps"
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/weft-nd/weft/autograd"
	"github.com/weft-nd/weft/dtype"
	nd "github.com/weft-nd/weft/ndarray"
	"github.com/weft-nd/weft/nn"
	"github.com/weft-nd/weft/random"
)

// attended computes the layer by operators that are tested by themselves, head by head.
func attended(t *testing.T, layer *nn.MultiHeadAttention, x *nd.Array, heads int, causal bool) []float32 {
	p := maps.Collect(layer.Named())
	shape := x.Shape()
	times, features := shape[1], shape[2]
	all := x.MatMul(p["project.weight"]).Add(p["project.bias"])
	size, joined := features/heads, []*nd.Array{}
	for h := range heads {
		of := func(part int) *nd.Array {
			first := part*features + h*size
			return all.Index(nd.Whole, nd.Whole, nd.Span(first, first+size))
		}
		scores := of(0).MatMul(of(1).Transpose(0, 2, 1)).MulScalar(1 / math.Sqrt(float64(size)))
		if causal {
			scores = scores.Add(nd.Full(float32(math.Inf(-1)), times, times).Triu(1))
		}
		joined = append(joined, scores.Softmax(-1).MatMul(of(2)))
	}
	y, err := nd.Values[float32](nd.Concat(2, joined...).MatMul(p["join.weight"]).Add(p["join.bias"]))
	require.NoError(t, err)
	return y
}

func TestAttentionIsSoftmaxOfProductsInEachHead(t *testing.T) {
	env := nd.DefaultEnv().WithSeed(1)
	for _, times := range []int{1, 7, 40} {
		for _, causal := range []bool{false, true} {
			options := []nn.AttentionOption{}
			if causal {
				options = append(options, nn.Causal())
			}
			layer := nn.NewMultiHeadAttention(env, 12, 3, options...)
			x := random.Normal(env, dtype.Float32, 0, 1, 2, times, 12)
			y := layer.Forward(nn.Infer(), x)
			require.Equal(t, x.Shape(), y.Shape())
			got, err := nd.Values[float32](y)
			require.NoError(t, err)
			require.InDeltaSlice(t, attended(t, layer, x, 3, causal), got, 1e-5)
		}
	}
}

func TestCausalAttentionSeesNothingThatComesLater(t *testing.T) {
	env := nd.DefaultEnv().WithSeed(2)
	layer := nn.NewMultiHeadAttention(env, 8, 2, nn.Causal())
	x := random.Normal(env, dtype.Float32, 0, 1, 1, 50, 8)
	before, err := nd.Values[float32](layer.Forward(nn.Infer(), x))
	require.NoError(t, err)
	changed := x.Copy()
	nd.CopyInto(changed.Index(0, nd.Span(37, 50)), nd.Full[float32](1e6, 13, 8))
	after, err := nd.Values[float32](layer.Forward(nn.Infer(), changed))
	require.NoError(t, err)
	require.Equal(t, before[:37*8], after[:37*8])
	require.NotEqual(t, before[37*8], after[37*8])
}

func TestAttentionToOneselfIsForward(t *testing.T) {
	env := nd.DefaultEnv().WithSeed(3)
	for _, options := range [][]nn.AttentionOption{nil, {nn.Causal()}} {
		layer, x := nn.NewMultiHeadAttention(env, 12, 3, options...), random.Normal(env, dtype.Float32, 0, 1, 2, 9, 12)
		gradients := func(forward func(c *nn.Ctx) *nd.Array) (all [][]float64) {
			tape := autograd.NewTape()
			y := forward(nn.Train(tape, env.Generator()))
			all = append(all, elements(t, y))
			for _, g := range tape.Gradient(y.Square().Sum(), nn.Params(layer)...) {
				all = append(all, elements(t, g))
			}
			return all
		}
		want := gradients(func(c *nn.Ctx) *nd.Array { return layer.Forward(c, x) })
		got := gradients(func(c *nn.Ctx) *nd.Array { return layer.Attend(c, x, x, nil) })
		for i := range want {
			require.InDeltaSlice(t, want[i], got[i], 1e-4)
		}
	}
}

func TestAttentionIgnoresPaddingOfTheMemory(t *testing.T) {
	env := nd.DefaultEnv().WithSeed(4)
	layer := nn.NewMultiHeadAttention(env, 8, 2)
	x, memory := random.Normal(env, dtype.Float32, 0, 1, 2, 3, 8), random.Normal(env, dtype.Float32, 0, 1, 2, 5, 8)
	padded := nd.Concat(1, memory, nd.Full[float32](1e4, 2, 4, 8))
	bools := nd.Arange(0, 9, 1).Less(nd.Weak(5)).Reshape(1, 1, 9)
	floats := nd.Where(bools, nd.Weak(0.0), nd.Weak(math.Inf(-1))).Cast(dtype.Float32)
	want := elements(t, layer.Attend(nn.Infer(), x, memory, nil))
	for _, mask := range []*nd.Array{bools, floats, bools.BroadcastTo(2, 3, 9), bools.Reshape(9), bools.BroadcastTo(2, 2, 3, 9)} {
		require.InDeltaSlice(t, want, elements(t, layer.Attend(nn.Infer(), x, padded, mask)), 1e-5)
	}
	causal := nn.NewMultiHeadAttention(env, 8, 2, nn.Causal())
	first := elements(t, causal.Attend(nn.Infer(), x, memory, nil).Index(nd.Whole, 0))
	only := elements(t, causal.Attend(nn.Infer(), x, memory.Index(nd.Whole, nd.Span(0, 1)), nil).Index(nd.Whole, 0))
	require.InDeltaSlice(t, only, first, 1e-5)
	for _, mask := range []*nd.Array{bools, floats} {
		both := elements(t, causal.Attend(nn.Infer(), x, padded, mask))
		require.InDeltaSlice(t, elements(t, causal.Attend(nn.Infer(), x, memory, nil)), both, 1e-5)
	}
	nowhere := layer.Attend(nn.Infer(), x, memory, nd.Zeros[bool](5))
	require.Equal(t, elements(t, nd.Zeros[float32](2, 3, 8)), elements(t, nowhere)) // the bias is zero
}

func TestAttentionNamesItsParameters(t *testing.T) {
	layer := nn.NewMultiHeadAttention(nd.DefaultEnv(), 6, 2)
	names := slices.Sorted(maps.Keys(maps.Collect(layer.Named())))
	require.Equal(t, []string{"join.bias", "join.weight", "project.bias", "project.weight"}, names)
}

func TestMistakesWithAttention(t *testing.T) {
	env := nd.DefaultEnv()
	for want, call := range map[string]func(){
		"4 heads do not divide 6 features": func() { nn.NewMultiHeadAttention(env, 6, 4) },
		"the size 0 is too small":          func() { nn.NewMultiHeadAttention(env, 6, 0) },
		"option 0 is nil":                  func() { nn.NewMultiHeadAttention(env, 6, 2, nil) },
		"the Env is nil":                   func() { nn.NewMultiHeadAttention(nil, 6, 2) },
		"x has shape (3,18), want (samples,times,3·features)": func() {
			nn.NewMultiHeadAttention(env, 6, 2).Forward(nn.Infer(), nd.Full[float32](1, 3, 6))
		},
		"x has shape (1,2,6) and the memory (2,2,6), want (samples,times,6) and (samples,others,6)": func() {
			nn.NewMultiHeadAttention(env, 6, 2).Attend(nn.Infer(), nd.Ones[float32](1, 2, 6), nd.Ones[float32](2, 2, 6), nil)
		},
		"the array is nil": func() { nn.NewMultiHeadAttention(env, 6, 2).Attend(nn.Infer(), nd.Ones[float32](1, 2, 6), nil, nil) },
	} {
		require.ErrorContains(t, nd.Try(call), want)
	}
}
