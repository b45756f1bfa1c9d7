package autograd_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/weft-nd/weft/autograd"
	nd "github.com/weft-nd/weft/ndarray"
)

// Manipulations are linear in x but for what does not depend on it, so differences give their gradients exactly.
func TestGradientsOfManipulationsEqualDifferences(t *testing.T) {
	whole := func(values ...int64) *nd.Array { return nd.FromSlice(values) }
	for name, of := range map[string]func(x *nd.Array) *nd.Array{ // x is (2,3)
		"flip":            func(x *nd.Array) *nd.Array { return x.Flip(1) },
		"roll":            func(x *nd.Array) *nd.Array { return x.Roll(-1, 0, 1) },
		"roll flat":       func(x *nd.Array) *nd.Array { return x.Roll(2) },
		"repeat":          func(x *nd.Array) *nd.Array { return x.Repeat(2, 1) },
		"repeat each":     func(x *nd.Array) *nd.Array { return x.RepeatEach([]int{2, 0, 1}, -1) },
		"tile":            func(x *nd.Array) *nd.Array { return x.Tile(2, 1, 3) },
		"pad":             func(x *nd.Array) *nd.Array { return x.Pad(9, []int{0, 1}, []int{1, 0}) },
		"pad edge":        func(x *nd.Array) *nd.Array { return x.PadWith(nd.PadEdge, []int{0, 2}, []int{1, 1}) },
		"pad reflect":     func(x *nd.Array) *nd.Array { return x.PadWith(nd.PadReflect, []int{0, 3}, []int{0, 2}) },
		"stack":           func(x *nd.Array) *nd.Array { return nd.Stack(-1, x, x.AddScalar(10)) },
		"split":           func(x *nd.Array) *nd.Array { return x.Split(3, 1)[1] },
		"unstack":         func(x *nd.Array) *nd.Array { return x.Unstack(1)[2] },
		"embedding":       func(x *nd.Array) *nd.Array { return nd.Embedding(x, whole(1, -1, 0).Reshape(3, 1)) },
		"take along axis": func(x *nd.Array) *nd.Array { return x.TakeAlongAxis(whole(2, -3, 2, 2).Reshape(2, 2), 1) },
		"put along axis": func(x *nd.Array) *nd.Array {
			return x.PutAlongAxis(whole(2, 2, 0, 2).Reshape(2, 2), x.Index(nd.Whole, nd.Span(0, 2)), 1)
		},
		"add along axis": func(x *nd.Array) *nd.Array {
			return x.AddAlongAxis(whole(2, 2, 0, 2).Reshape(2, 2), x.Index(nd.Whole, nd.Span(0, 2)), 1)
		},
		"reduce along axis": func(x *nd.Array) *nd.Array {
			return x.ReduceAlongAxis(nd.ReduceMax, whole(2, 2, 0, 2).Reshape(2, 2), x.AddScalar(4).Index(nd.Whole, nd.Span(0, 2)), 1)
		},
		"sliding windows": func(x *nd.Array) *nd.Array { return x.SlidingWindows(2, 1, 1) },
		"one window":      func(x *nd.Array) *nd.Array { return x.SlidingWindows(2, math.MaxInt, 1) },
		"with slice reduced": func(x *nd.Array) *nd.Array {
			return x.WithSliceReduced(nd.ReduceMin, x.SubScalar(9), nd.Whole, []int{2, 1, 2})
		},
		"gather nd":        func(x *nd.Array) *nd.Array { return x.GatherND(whole(1, 2, 1, 2).Reshape(2, 2)) },
		"scatter":          func(x *nd.Array) *nd.Array { return x.Scatter(whole(2, 0, 2), x.MulScalar(2), 1) },
		"scatter add":      func(x *nd.Array) *nd.Array { return x.ScatterAdd(whole(1, 1), x.MulScalar(2), 0) },
		"scatter nd of it": func(x *nd.Array) *nd.Array { return nd.Zeros[float32](4, 3).ScatterND(whole(3, 3).Reshape(2, 1), x) },
	} {
		x := nd.Arange[float32](0, 6, 1).Reshape(2, 3)
		loss := func(x *nd.Array) *nd.Array {
			y := of(x)
			return y.Mul(nd.Arange(1, float32(y.Count())+1, 1).Reshape(y.Shape()...)).Sum()
		}
		tape := autograd.NewTape()
		watched := tape.Watch(x)
		gradient, err := nd.Values[float32](tape.Gradient(loss(watched), watched)[0])
		require.NoError(t, err, name)
		base, err := nd.Item[float32](loss(x))
		require.NoError(t, err)
		for i := range gradient {
			moved := x.Copy()
			nd.Set(moved, float32(i)+1, i/3, i%3)
			value, err := nd.Item[float32](loss(moved))
			require.NoError(t, err)
			require.Equal(t, value-base, gradient[i], "%s, element %d", name, i)
		}
	}
}
