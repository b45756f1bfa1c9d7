package ndarray_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/fault"
	nd "github.com/weft-nd/weft/ndarray"
	"github.com/weft-nd/weft/storage"
)

// attention is the definition, of one sample: what a time may see has addends above −Inf.
func attention(q, k, v [][]float64, addend func(time, other int) float64) [][]float64 {
	y := make([][]float64, len(q))
	for t := range q {
		y[t] = make([]float64, len(v[0]))
		weights, sum := make([]float64, len(k)), 0.0
		for o := range k {
			product := 0.0
			for i := range q[t] {
				product += float64(q[t][i] * k[o][i])
			}
			weights[o] = math.Exp(product/math.Sqrt(float64(max(1, len(q[t])))) + addend(t, o))
			sum += weights[o]
		}
		for o, weight := range weights {
			for i := range y[t] {
				if sum > 0 {
					y[t][i] += float64(weight / sum * v[o][i])
				}
			}
		}
	}
	return y
}

func rows(t *testing.T, a *nd.Array) [][]float64 {
	values, err := nd.ValuesAs[float64](a)
	require.NoError(t, err)
	matrix := make([][]float64, a.Shape()[0])
	for i := range matrix {
		matrix[i] = values[i*a.Shape()[1]:][:a.Shape()[1]]
	}
	return matrix
}

func TestAttentionIsItsDefinition(t *testing.T) {
	drawn := rand.New(rand.NewPCG(5, 6))
	normal := func(d dtype.DType, shape ...int) *nd.Array {
		values := make([]float64, storage.Count(shape))
		for i := range values {
			values[i] = drawn.NormFloat64()
		}
		return nd.FromSlice(values, shape...).Cast(d)
	}
	for d, tolerance := range map[dtype.DType]float64{dtype.Float64: 1e-12, dtype.Float32: 1e-5, dtype.BFloat16: 0.05} {
		for _, size := range []struct{ times, others, size, width int }{{4, 6, 3, 5}, {1, 1, 1, 1}, {70, 33, 16, 8}, {3, 2, 0, 4}} {
			q, k, v := normal(d, 2, 3, size.times, size.size), normal(d, 3, size.others, size.size), normal(d, 2, 1, size.others, size.width)
			bools := normal(dtype.Float64, 3, size.times, size.others).LessScalar(0.3)
			hidesAll := nd.Zeros[bool](size.times, size.others)
			floats := normal(d, size.times, size.others)
			for name, mask := range map[string]*nd.Array{"none": nil, "bools": bools, "hides all": hidesAll, "floats": floats} {
				y := nd.Attention(q, k, v, mask)
				require.Equal(t, d, y.DType())
				require.Equal(t, []int{2, 3, size.times, size.width}, y.Shape())
				for sample := range 2 {
					for head := range 3 {
						addend := func(int, int) float64 { return 0 }
						if mask != nil {
							seen := rows(t, mask.BroadcastTo(3, size.times, size.others).Index(head).Cast(dtype.Float64))
							addend = func(time, other int) float64 {
								if mask.DType() == dtype.Bool {
									return math.Log(seen[time][other])
								}
								return seen[time][other]
							}
						}
						want := attention(rows(t, q.Index(sample, head)), rows(t, k.Index(head)), rows(t, v.Index(sample, 0)), addend)
						for i, row := range rows(t, y.Index(sample, head)) {
							require.InDeltaSlice(t, want[i], row, tolerance, "%v %v %s", d, size, name)
						}
					}
				}
			}
		}
	}
	require.Equal(t, []int{2, 0, 4}, nd.Attention(normal(dtype.Float32, 2, 0, 3), normal(dtype.Float32, 5, 3), normal(dtype.Float32, 5, 4), nil).Shape())
}

func TestAttentionOnADeviceIsThatOfTheHost(t *testing.T) {
	wave := func(shape ...int) *nd.Array {
		return nd.Arange(0.0, float64(storage.Count(shape)), 1).Sin().Reshape(shape...)
	}
	for _, masked := range [][]int{nil, {5}, {4, 1}, {3, 4, 5}, {2, 1, 1, 5}} {
		for _, others := range []int{5, 1, 0} {
			q, k, v := wave(4, 6), wave(3, others, 6), wave(2, 1, others, 2) // the values alone have the first axis of heads
			masks := []*nd.Array{nil}
			if masked != nil {
				shape := slices.Clone(masked)
				if last := len(shape) - 1; shape[last] == 5 {
					shape[last] = others
				}
				masks = []*nd.Array{wave(shape...), wave(shape...).GreaterScalar(0), nd.Zeros[bool](shape...), nd.Full(-math.MaxFloat64, shape...), nd.Full(math.Inf(-1), shape...)}
			}
			for _, mask := range masks {
				there := func(a *nd.Array) *nd.Array {
					if a == nil {
						return nil
					}
					return a.To(device.Sim(0))
				}
				want, got := nd.Attention(q, k, v, mask), nd.Attention(there(q), there(k), there(v), there(mask))
				require.Equal(t, want.Shape(), got.Shape())
				require.InDeltaSlice(t, values[float64](t, want), values[float64](t, got), 1e-12, "%v %d", masked, others)
			}
		}
	}
	x := wave(2, 3).To(device.Sim(0))
	require.ErrorIs(t, nd.Try(func() { nd.Attention(x, x, x, wave(3, 2, 2).To(device.Sim(0))) }), fault.ErrShape)
}

func TestMistakesWithQueriesKeysAndMasks(t *testing.T) {
	x := nd.Ones[float32](2, 3)
	for want, call := range map[string]func(){
		"array 1 of 3 is nil":                             func() { nd.Attention(x, nil, x, nil) },
		"array 0 of 3 is int64, want floats":              func() { nd.Attention(nd.Ones[int64](2, 3), x, x, nil) },
		"array 2 of 3 has shape (3,), want two axes":      func() { nd.Attention(x, x, nd.Ones[float32](3), nil) },
		"array 3 of 4 is int64, want floats, or bools as": func() { nd.Attention(x, x, x, nd.Ones[int64](2, 2)) },
		"Attention": func() { nd.Attention(x, nd.Ones[float32](2, 4), x, nil) },
	} {
		require.ErrorContains(t, nd.Try(call), want)
	}
	for _, mask := range []*nd.Array{nd.Ones[bool](2, 5), nd.Ones[bool](3, 2, 2), nd.Ones[float32](3, 2, 2)} {
		err := nd.Try(func() { nd.Attention(x, x, x, mask) })
		require.ErrorIs(t, err, fault.ErrShape)
		require.ErrorContains(t, err, "the mask ")
	}
}
