package ndarray_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/weft-nd/weft/dtype"
	nd "github.com/weft-nd/weft/ndarray"
)

// reductions are what each one makes of what is there and a value.
var reductions = map[nd.Reduction]func(there, value float64) float64{
	nd.ReduceAdd: func(there, value float64) float64 { return there + value },
	nd.ReduceMul: func(there, value float64) float64 { return there * value },
	nd.ReduceMax: math.Max,
	nd.ReduceMin: math.Min,
}

// TestReductionsAtIndicesEqualALoop has the rows and columns of views named again and again, in no order.
func TestReductionsAtIndicesEqualALoop(t *testing.T) {
	numbers := []float64{2, -1, 0.5, math.NaN(), 3, math.Copysign(0, -1), 0, math.Inf(1), -4, 1, 7, -2}
	indices := []int64{2, 0, -1, 2, 0, 2}
	grid := func(first int) *nd.Array { // (3,4), not in the order of memory
		values := make([]float64, 12)
		for i := range values {
			values[i] = numbers[(i*5+first)%12]
		}
		return nd.FromSlice(values, 4, 3).T()
	}
	picked := nd.FromSlice(indices)
	for reduction, join := range reductions {
		for name, c := range map[string]struct {
			of    func(x, values *nd.Array) *nd.Array
			shape []int                              // of the values
			place func(number int) (row, column int) // where each of the values goes
		}{
			"ScatterReduce rows": {func(x, v *nd.Array) *nd.Array { return x.ScatterReduce(reduction, picked, v, 0) }, []int{6, 4}, func(i int) (int, int) {
				return int(indices[i/4]+3) % 3, i % 4
			}},
			"ScatterReduce columns": {func(x, v *nd.Array) *nd.Array { return x.T().ScatterReduce(reduction, picked, v, -1).T() }, []int{4, 6}, func(i int) (int, int) {
				return int(indices[i%6]+3) % 3, i / 6
			}},
			"ReduceAlongAxis": {func(x, v *nd.Array) *nd.Array {
				return x.ReduceAlongAxis(reduction, picked.Reshape(6, 1), v, 0)
			}, []int{6, 4}, func(i int) (int, int) { return int(indices[i/4]+3) % 3, i % 4 }},
			"ScatterNDReduce": {func(x, v *nd.Array) *nd.Array {
				return x.ScatterNDReduce(reduction, nd.Stack(-1, picked, picked), v)
			}, []int{6}, func(i int) (int, int) { return int(indices[i]+3) % 3, []int{2, 0, 3, 2, 0, 2}[i] }},
			"WithSliceReduced by indices": {func(x, v *nd.Array) *nd.Array {
				return x.WithSliceReduced(reduction, v, picked, []int{1, 1, 0, 1, 1, 3})
			}, []int{6}, func(i int) (int, int) { return int(indices[i]+3) % 3, []int{1, 1, 0, 1, 1, 3}[i] }},
			"ReduceSlice of a range": {func(x, v *nd.Array) *nd.Array {
				x.ReduceSlice(reduction, v, nd.Span(1, 3), nd.SpanBy(3, nd.Open, -2))
				return x
			}, []int{2, 2}, func(i int) (int, int) { return 1 + i/2, 3 - 2*(i%2) }},
			"ReduceSlice of a mask": {func(x, v *nd.Array) *nd.Array {
				x.ReduceSlice(reduction, v, nd.Whole, nd.FromSlice([]bool{true, false, true, true}))
				return x
			}, []int{3, 3}, func(i int) (int, int) { return i / 3, []int{0, 2, 3}[i%3] }},
		} {
			count := 1
			for _, n := range c.shape {
				count *= n
			}
			given := make([]float64, count)
			for i := range given {
				given[i] = numbers[(i*7+3)%12]
			}
			x := grid(1)
			want, err := nd.Values[float64](x)
			require.NoError(t, err)
			for i, v := range given {
				row, column := c.place(i)
				want[row*4+column] = join(want[row*4+column], v)
			}
			got, err := nd.Values[float64](c.of(grid(1), nd.FromSlice(given, c.shape...)))
			require.NoError(t, err)
			requireSameNumbers(t, want, got, "%s %s", reduction, name)
			got, err = nd.Values[float64](c.of(grid(1), nd.FromSlice(given, c.shape...).T().Copy().T()))
			require.NoError(t, err)
			requireSameNumbers(t, want, got, "%s %s of a view", reduction, name)
		}
	}
}

// requireSameNumbers compares with zeros of both signs apart.
func requireSameNumbers(t *testing.T, want, got []float64, name string, arguments ...any) {
	t.Helper()
	require.Len(t, got, len(want))
	for i, w := range want {
		same := math.IsNaN(w) && math.IsNaN(got[i]) || math.Float64bits(w) == math.Float64bits(got[i])
		require.True(t, same, "%s, element %d: want %v, got %v", fmt.Sprintf(name, arguments...), i, w, got[i])
	}
}

// TestReductionsOfOtherDtypesEqualTheOperatorsOnPairs has single elements, and rows of many.
func TestReductionsOfOtherDtypesEqualTheOperatorsOnPairs(t *testing.T) {
	twice := []int{1, 1}
	for name, x := range map[string]*nd.Array{
		"bool": nd.FromSlice([]bool{false, true}), "uint8": nd.FromSlice([]uint8{3, 200}), "int16": nd.FromSlice([]int16{-3, 5}),
		"float32": nd.FromSlice([]float32{1.5, -2}), "float16": nd.FromSlice([]float64{1.5, -2.25}).Cast(dtype.Float16), "bfloat16": nd.FromSlice([]float64{1.5, -2.25}).Cast(dtype.BFloat16),
		"int8": nd.FromSlice([]int8{-100, 7}), "int64": nd.FromSlice([]int64{-3, 1 << 40}), "uint64": nd.FromSlice([]uint64{3, 1 << 63}), "complex64": nd.FromSlice([]complex64{1, 2 - 1i}), "complex128": nd.FromSlice([]complex128{1, 2 - 1i}),
	} {
		wide := x.ExpandDims(1).BroadcastTo(2, 100).Copy()
		for reduction, join := range map[nd.Reduction]func(a, b *nd.Array) *nd.Array{
			nd.ReduceMul: (*nd.Array).Mul, nd.ReduceMax: (*nd.Array).Maximum, nd.ReduceMin: (*nd.Array).Minimum,
		} {
			if x.DType().IsComplex() && reduction != nd.ReduceMul {
				continue
			}
			for _, x := range []*nd.Array{x, wide, wide.T().Copy().T()} {
				first, second := x.Index(0), x.Index(1)
				want := nd.Stack(0, first, join(join(second, first), second))
				got := x.WithSliceReduced(reduction, x, twice)
				require.Equal(t, x.DType(), got.DType())
				equal, err := nd.Item[bool](want.Equal(got).AllTrue())
				require.NoError(t, err)
				require.True(t, equal, "%s of %s: want %v, got %v", reduction, name, want, got)
			}
		}
	}
}

func TestReducingWithNothingLeavesAllAsItIs(t *testing.T) {
	none := nd.Zeros[int64](0)
	x := nd.FromSlice([]float32{1, 2, 3})
	for reduction := range reductions {
		for name, got := range map[string]*nd.Array{
			"ScatterReduce":    x.ScatterReduce(reduction, none, nd.Zeros[float32](0), 0),
			"ReduceAlongAxis":  x.ReduceAlongAxis(reduction, none, nd.Zeros[float32](0), 0),
			"ScatterNDReduce":  x.ScatterNDReduce(reduction, none.Reshape(0, 1), nd.Zeros[float32](0)),
			"WithSliceReduced": x.WithSliceReduced(reduction, nd.Zeros[float32](0), none),
		} {
			values, err := nd.Values[float32](got)
			require.NoError(t, err)
			require.Equal(t, []float32{1, 2, 3}, values, "%s %s", reduction, name)
		}
		require.Equal(t, []int{0, 2}, nd.Zeros[float32](0, 2).ScatterReduce(reduction, none, nd.Zeros[float32](0, 2), 0).Shape())
		whole := nd.Full(2.0)
		whole.ReduceSlice(reduction, nd.Weak(3.0))
		value, err := nd.Item[float64](whole)
		require.NoError(t, err)
		require.Equal(t, reductions[reduction](2, 3), value, string(reduction))
	}
}
