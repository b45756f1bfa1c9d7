package autograd_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/weft-nd/weft/autograd"
	"github.com/weft-nd/weft/dtype"
	nd "github.com/weft-nd/weft/ndarray"
	"github.com/weft-nd/weft/storage"
)

func TestGradientsOfAttentionPassWhatIsSeen(t *testing.T) {
	drawn := rand.New(rand.NewPCG(6, 7))
	normal := func(shape ...int) *nd.Array {
		values := make([]float64, storage.Count(shape))
		for i := range values {
			values[i] = drawn.NormFloat64()
		}
		return nd.FromSlice(values, shape...)
	}
	q, k, v := normal(2, 3, 4), normal(2, 5, 4), normal(2, 5, 2)
	mask := nd.FromSlice([]bool{true, false, true, true, false, false, false, false, false, false, false, true, true, false, true}, 3, 5)
	weights := normal(2, 3, 2)
	loss := func(q, k, v *nd.Array) *nd.Array { return nd.Attention(q, k, v, mask).Mul(weights).Sum() }
	tape := autograd.NewTape()
	watched := []*nd.Array{tape.Watch(q), tape.Watch(k), tape.Watch(v)}
	gradients := tape.Gradient(loss(watched[0], watched[1], watched[2]), watched...)
	for operand, g := range gradients {
		got, err := nd.Values[float64](g)
		require.NoError(t, err)
		for i := range got {
			const step = 1e-5
			at := func(by float64) float64 {
				moved := []*nd.Array{q.Copy(), k.Copy(), v.Copy()}
				flat := moved[operand].Reshape(len(got))
				nd.AddInto(flat.Index(i), flat.Index(i), nd.Full(by))
				value, err := nd.Values[float64](loss(moved[0], moved[1], moved[2]))
				require.NoError(t, err)
				return value[0]
			}
			require.InDelta(t, (at(step)-at(-step))/(2*step), got[i], 1e-8, "operand %d, element %d", operand, i)
		}
	}
	queries, err := nd.Values[float64](gradients[0].Index(nd.Whole, 1))
	require.NoError(t, err)
	require.Equal(t, make([]float64, 8), queries) // which see nothing
}

func TestGradientsOfAttentionIn16BitsAreNearThoseOfFloat64(t *testing.T) {
	drawn := rand.New(rand.NewPCG(8, 9))
	normal := func(scale float64, shape ...int) *nd.Array {
		values := make([]float64, storage.Count(shape))
		for i := range values {
			values[i] = drawn.NormFloat64() * scale
		}
		return nd.FromSlice(values, shape...)
	}
	operands := []*nd.Array{normal(5, 20, 16), normal(5, 30, 16), normal(1, 30, 8), normal(1, 20, 30), normal(1, 20, 8)}
	for d, tolerance := range map[dtype.DType]float64{dtype.Float16: 0.01, dtype.BFloat16: 0.05} {
		gradients := func(in dtype.DType) (all []*nd.Array) {
			tape := autograd.NewTape()
			for _, a := range operands {
				all = append(all, tape.Watch(a.Cast(d).Cast(in)))
			}
			return tape.Gradient(nd.Attention(all[0], all[1], all[2], all[3]).Mul(all[4]).Sum(), all[:4]...)
		}
		wanted := gradients(dtype.Float64)
		for operand, g := range gradients(d) {
			require.Equal(t, d, g.DType())
			got, err := nd.ValuesAs[float64](g)
			require.NoError(t, err)
			want, err := nd.Values[float64](wanted[operand])
			require.NoError(t, err)
			largest := 0.0
			for _, v := range want {
				largest = max(largest, math.Abs(v))
			}
			require.InDeltaSlice(t, want, got, tolerance*largest, "%v, operand %d", d, operand)
		}
	}
}

func TestLogarithmsOfSumsAloneHaveGradients(t *testing.T) {
	x := nd.Arange(0.0, 72, 1).Sin().Reshape(2, 3, 12)
	for _, causal := range []bool{false, true} {
		logs := func(x *nd.Array) *nd.Array {
			_, logs := x.SelfAttention(2, causal)
			return logs.Mul(logs).Sum()
		}
		tape := autograd.NewTape()
		watched := tape.Watch(x)
		got, err := nd.Values[float64](tape.Gradient(logs(watched), watched)[0])
		require.NoError(t, err)
		for i := range got {
			const step = 1e-5
			at := func(by float64) float64 {
				moved := x.Copy()
				part := moved.Reshape(-1).Index(i)
				nd.AddInto(part, part, nd.Full(by))
				value, err := nd.Item[float64](logs(moved))
				require.NoError(t, err)
				return value
			}
			require.InDelta(t, (at(step)-at(-step))/(2*step), got[i], 1e-8, "element %d", i)
		}
	}
}
