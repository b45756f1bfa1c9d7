package ndarray_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/weft-nd/weft/fault"
	nd "github.com/weft-nd/weft/ndarray"
)

// counted returns the numbers from 0 on in the given shape.
func counted(shape ...int) *nd.Array {
	count := 1
	for _, n := range shape {
		count *= n
	}
	return nd.Arange(0, float32(count), 1).Reshape(shape...)
}

func whole(values ...int64) *nd.Array { return nd.FromSlice(values) }

// manipulations are calls with what NumPy gives for them.
var manipulations = []struct {
	name  string
	of    func(x *nd.Array) *nd.Array // x is (2,3)
	shape []int
	want  []float32
}{
	{"flip all", func(x *nd.Array) *nd.Array { return x.Flip() }, []int{2, 3}, []float32{5, 4, 3, 2, 1, 0}},
	{"flip one", func(x *nd.Array) *nd.Array { return x.Flip(-1) }, []int{2, 3}, []float32{2, 1, 0, 5, 4, 3}},
	{"roll one", func(x *nd.Array) *nd.Array { return x.Roll(1, 1) }, []int{2, 3}, []float32{2, 0, 1, 5, 3, 4}},
	{"roll both", func(x *nd.Array) *nd.Array { return x.Roll(-1, 0, 1) }, []int{2, 3}, []float32{4, 5, 3, 1, 2, 0}},
	{"roll flat", func(x *nd.Array) *nd.Array { return x.Roll(2) }, []int{2, 3}, []float32{4, 5, 0, 1, 2, 3}},
	{"repeat", func(x *nd.Array) *nd.Array { return x.Repeat(2, 1) }, []int{2, 6}, []float32{0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5}},
	{"repeat never", func(x *nd.Array) *nd.Array { return x.Repeat(0, 0) }, []int{0, 3}, []float32{}},
	{"repeat each", func(x *nd.Array) *nd.Array { return x.RepeatEach([]int{2, 0, 1}, -1) }, []int{2, 3}, []float32{0, 0, 2, 3, 3, 5}},
	{"tile last", func(x *nd.Array) *nd.Array { return x.Tile(2) }, []int{2, 6}, []float32{0, 1, 2, 0, 1, 2, 3, 4, 5, 3, 4, 5}},
	{"tile new", func(x *nd.Array) *nd.Array { return x.Tile(2, 1, 1) }, []int{2, 2, 3}, []float32{0, 1, 2, 3, 4, 5, 0, 1, 2, 3, 4, 5}},
	{"pad", func(x *nd.Array) *nd.Array { return x.Pad(9, []int{0, 1}, []int{1, 0}) }, []int{3, 4}, []float32{9, 0, 1, 2, 9, 3, 4, 5, 9, 9, 9, 9}},
	{"pad edge", func(x *nd.Array) *nd.Array { return x.PadWith(nd.PadEdge, []int{0, 2}, []int{1, 1}) }, []int{3, 6}, []float32{0, 0, 0, 1, 2, 2, 3, 3, 3, 4, 5, 5, 3, 3, 3, 4, 5, 5}},
	{"pad reflect", func(x *nd.Array) *nd.Array { return x.PadWith(nd.PadReflect, []int{0, 3}, []int{0, 2}) }, []int{2, 8}, []float32{1, 2, 1, 0, 1, 2, 1, 0, 4, 5, 4, 3, 4, 5, 4, 3}},
	{"pad symmetric", func(x *nd.Array) *nd.Array { return x.PadWith(nd.PadSymmetric, []int{0, 4}, []int{0, 1}) }, []int{2, 8}, []float32{2, 2, 1, 0, 0, 1, 2, 2, 5, 5, 4, 3, 3, 4, 5, 5}},
	{"pad wrap", func(x *nd.Array) *nd.Array { return x.PadWith(nd.PadWrap, []int{1, 1}, []int{0, 1}) }, []int{3, 5}, []float32{5, 3, 4, 5, 3, 2, 0, 1, 2, 0, 5, 3, 4, 5, 3}},
	{"stack", func(x *nd.Array) *nd.Array { return nd.Stack(-1, x, x.AddScalar(10)) }, []int{2, 3, 2}, []float32{0, 10, 1, 11, 2, 12, 3, 13, 4, 14, 5, 15}},
	{"unstack", func(x *nd.Array) *nd.Array { return x.Unstack(1)[2] }, []int{2}, []float32{2, 5}},
	{"split", func(x *nd.Array) *nd.Array { return x.Split(3, 1)[1] }, []int{2, 1}, []float32{1, 4}},
	{"split sizes", func(x *nd.Array) *nd.Array { return x.SplitSizes(1, 1, 0, 2)[2] }, []int{2, 2}, []float32{1, 2, 4, 5}},
	{"move axis", func(x *nd.Array) *nd.Array { return x.MoveAxis(0, -1) }, []int{3, 2}, []float32{0, 3, 1, 4, 2, 5}},
	{"embedding", func(x *nd.Array) *nd.Array { return nd.Embedding(x, whole(1, -1, 0).Reshape(3, 1)) }, []int{3, 1, 3}, []float32{3, 4, 5, 3, 4, 5, 0, 1, 2}},
	{"take along axis", func(x *nd.Array) *nd.Array { return x.TakeAlongAxis(whole(2, -3).Reshape(2, 1), 1) }, []int{2, 1}, []float32{2, 3}},
	{"put along axis", func(x *nd.Array) *nd.Array { return x.PutAlongAxis(whole(2, 0).Reshape(2, 1), nd.Weak(7), 1) }, []int{2, 3}, []float32{0, 1, 7, 7, 4, 5}},
	{"add along axis", func(x *nd.Array) *nd.Array {
		return x.AddAlongAxis(whole(1, 1, 0, 1).Reshape(2, 2), counted(2, 2).AddScalar(1), 1)
	}, []int{2, 3}, []float32{0, 4, 2, 6, 8, 5}},
	{"gather nd", func(x *nd.Array) *nd.Array { return x.GatherND(whole(1, 2, 0, -2).Reshape(2, 2)) }, []int{2}, []float32{5, 1}},
	{"scatter nd", func(x *nd.Array) *nd.Array { return x.ScatterND(whole(1).Reshape(1, 1), counted(1, 3)) }, []int{2, 3}, []float32{0, 1, 2, 0, 1, 2}},
	{"scatter nd add", func(x *nd.Array) *nd.Array {
		return x.ScatterNDAdd(whole(1, 1, 1, 1).Reshape(2, 2), nd.FromSlice([]float32{10, 20}))
	}, []int{2, 3}, []float32{0, 1, 2, 3, 34, 5}},
	{"scatter", func(x *nd.Array) *nd.Array { return x.Scatter(whole(2, 0, 2), counted(2, 3).Neg(), 1) }, []int{2, 3}, []float32{-1, 1, -2, -4, 4, -5}},
	{"scatter add rows", func(x *nd.Array) *nd.Array { return x.ScatterAdd(whole(1, 1), nd.FromSlice([]float32{1, 2, 3}), 0) }, []int{2, 3}, []float32{0, 1, 2, 5, 8, 11}},
	{"scatter add columns", func(x *nd.Array) *nd.Array { return x.ScatterAdd(whole(0, 0).Reshape(1, 2), counted(2, 1, 2), -1) }, []int{2, 3}, []float32{1, 1, 2, 8, 4, 5}},
}

func TestManipulationsGiveWhatNumPyGives(t *testing.T) {
	for _, m := range manipulations {
		got := m.of(counted(2, 3))
		require.Equal(t, m.shape, got.Shape(), m.name)
		values, err := nd.Values[float32](got)
		require.NoError(t, err, m.name)
		require.Equal(t, m.want, values, m.name)
	}
}

func TestViewsOfManipulationsShareMemory(t *testing.T) {
	for name, of := range map[string]func(x *nd.Array) *nd.Array{
		"flip":    func(x *nd.Array) *nd.Array { return x.Flip() },
		"split":   func(x *nd.Array) *nd.Array { return x.Split(3, 1)[1] },
		"unstack": func(x *nd.Array) *nd.Array { return x.Unstack(0)[1] },
	} {
		x := counted(2, 3)
		view := of(x)
		nd.MulInto(view, view, nd.Weak(10.0))
		values, err := nd.Values[float32](of(x))
		require.NoError(t, err)
		expected, err := nd.Values[float32](of(counted(2, 3)).MulScalar(10))
		require.NoError(t, err)
		require.Equal(t, expected, values, name)
	}
}

func TestScatteringIntoAnArrayLeavesTheRest(t *testing.T) {
	one := nd.FromSlice([]float32{1})
	for name, into := range map[string]func(dst, x *nd.Array){
		"ScatterInto": func(dst, x *nd.Array) { nd.ScatterInto(dst, x, whole(1), nd.Weak(40), 1) },
		"ScatterAddInto": func(dst, x *nd.Array) {
			nd.ScatterAddInto(dst, x, whole(1), nd.FromSlice([]float32{39, 36}).Reshape(2, 1), 1)
		},
		"ScatterReduceInto": func(dst, x *nd.Array) { nd.ScatterReduceInto(dst, x, nd.ReduceMax, whole(1, 1), nd.Weak(40), 1) },
		"ReduceAlongAxisInto": func(dst, x *nd.Array) {
			nd.ReduceAlongAxisInto(dst, x, nd.ReduceMul, whole(1, 1).Reshape(2, 1), nd.FromSlice([]float32{40, 10}).Reshape(2, 1), 1)
		},
		"PutAlongAxisInto": func(dst, x *nd.Array) { nd.PutAlongAxisInto(dst, x, whole(1, 1).Reshape(2, 1), nd.Weak(40), 1) },
		"AddAlongAxisInto": func(dst, x *nd.Array) {
			nd.AddAlongAxisInto(dst, x, whole(1, 1).Reshape(2, 1), nd.FromSlice([]float32{39, 36}).Reshape(2, 1), 1)
		},
	} {
		x, other := counted(2, 3), nd.Zeros[float32](2, 3)
		into(other, x)
		into(x, x)
		for _, got := range []*nd.Array{x, other} {
			values, err := nd.Values[float32](got)
			require.NoError(t, err, name)
			require.Equal(t, []float32{0, 40, 2, 3, 40, 5}, values, name)
		}
	}
	// What is read overlaps what is written in another way.
	x := counted(4)
	nd.ScatterAddInto(x, x, whole(3, 2, 1, 0), x, 0)
	values, err := nd.Values[float32](x)
	require.NoError(t, err)
	require.Equal(t, []float32{3, 3, 3, 3}, values)
	_, err = nd.Values[float32](one.Take(whole(1), 0))
	require.ErrorContains(t, err, "index 1 is out of range for axis 0 with 1 elements")
}

func TestMistakenManipulationsAreErrors(t *testing.T) {
	x := counted(2, 3)
	for name, c := range map[string]struct {
		cause error
		call  func()
	}{
		"Split":             {fault.ErrShape, func() { x.Split(2, 1) }},
		"SplitSizes":        {fault.ErrShape, func() { x.SplitSizes(1, 1, 1) }},
		"SplitSizes beyond": {fault.ErrShape, func() { x.SplitSizes(1, 4, -1) }},
		"Stack":             {fault.ErrShape, func() { nd.Stack(0, x, counted(2)) }},
		"Stack of nothing":  {fault.ErrMisuse, func() { nd.Stack(0) }},
		"Flip":              {fault.ErrAxis, func() { x.Flip(2) }},
		"Repeat":            {fault.ErrParameter, func() { x.Repeat(-1, 0) }},
		"RepeatEach":        {fault.ErrShape, func() { x.RepeatEach([]int{1}, 0) }},
		"Tile":              {fault.ErrParameter, func() { x.Tile(-1) }},
		"PadWith":           {fault.ErrParameter, func() { nd.Zeros[float32](0).PadWith(nd.PadEdge, []int{1}, []int{0}) }},
		"pad":               {fault.ErrParameter, func() { nd.Zeros[int8](2).Pad(128, []int{1}, []int{0}) }},
		"scatter_nd":        {fault.ErrDType, func() { x.ScatterND(whole(1).Reshape(1, 1), nd.Zeros[float64](3)) }},
		"put_along_axis":    {fault.ErrDType, func() { nd.Zeros[bool](2).AddAlongAxis(whole(1), nd.Zeros[bool](1), 0) }},
		"take_along_axis":   {fault.ErrDType, func() { x.TakeAlongAxis(x, 0) }},
	} {
		err := nd.Try(c.call)
		require.ErrorIs(t, err, c.cause, name)
	}
}

func TestAxesThatNoMemoryHoldsAreMistakes(t *testing.T) {
	x := nd.Ones[float32](10)
	for name, call := range map[string]func(){
		"pad beyond int":       func() { x.Pad(0, []int{math.MaxInt}, []int{math.MaxInt}) },
		"pad beyond memory":    func() { x.Pad(0, []int{math.MaxInt - 20}, []int{1}) },
		"wrap beyond int":      func() { x.PadWith(nd.PadWrap, []int{math.MaxInt}, []int{math.MaxInt}) },
		"wrap beyond memory":   func() { x.PadWith(nd.PadWrap, []int{1 << 42}, []int{0}) },
		"repeat beyond int":    func() { x.Index(nd.Span(0, 2)).RepeatEach([]int{math.MaxInt, math.MaxInt}, 0) },
		"repeat beyond memory": func() { x.Index(nd.Span(0, 2)).RepeatEach([]int{1 << 42, 1}, 0) },
	} {
		var mistake *nd.Error
		require.ErrorAs(t, nd.Try(call), &mistake, name)
	}
}
