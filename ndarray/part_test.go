package ndarray_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	nd "github.com/weft-nd/weft/ndarray"
	"github.com/weft-nd/weft/ops"
)

// TestAViewOfAPartTakesTwoObjects counts what the heap gets of a call, the view and its sizes: its index values are not on it.
func TestAViewOfAPartTakesTwoObjects(t *testing.T) {
	x := floats(6, 5, 4)
	var part *nd.Array
	for _, c := range []struct {
		name  string
		index func()
		shape []int
	}{
		{"ranges", func() { part = x.Index(nd.Span(1, 5), nd.SpanBy(nd.Open, nd.Open, 2)) }, []int{4, 3, 4}},
		{"int", func() { part = x.Index(3) }, []int{5, 4}},
		{"transpose", func() { part = x.T() }, []int{4, 5, 6}},
		{"reshape", func() { part = x.Reshape(-1, 2) }, []int{60, 2}},
		{"all forms", func() { part = x.Index(-1, nd.NewAxis, nd.Rest, nd.SpanBy(nd.Open, nd.Open, -1)) }, []int{1, 5, 4}},
	} {
		require.Equal(t, 2.0, testing.AllocsPerRun(100, c.index), c.name)
		require.Equal(t, c.shape, part.Shape(), c.name)
	}
}

// TestPartsEqualThoseOfWatchedArrays compares views that are made at once with those of calls, which a tape sees.
func TestPartsEqualThoseOfWatchedArrays(t *testing.T) {
	x := floats(6, 5, 4)
	watched := (&tape{}).watch(x)
	for _, index := range [][]any{
		{}, {2}, {-6, -5, -4}, {nd.Rest}, {nd.Rest, 1}, {1, nd.Rest, nd.Span(1, 3)}, {nd.Span(4, 2)}, {nd.Span(4, 2), 1, nd.SpanBy(3, nd.Open, -2)},
		{nd.NewAxis, nd.Whole, nd.SpanBy(-1, -100, -3), nd.Whole}, {nd.NewAxis, nd.NewAxis, nd.Rest}, {nd.NewAxis, nd.NewAxis, 1, nd.NewAxis},
		{nd.SpanBy(0, nd.Open, 1<<40), nd.Rest, nd.Whole},
	} {
		got, want := x.Index(index...), watched.Index(index...)
		require.Equal(t, want.Shape(), got.Shape(), "%v", index)
		require.Equal(t, values[float32](t, want), values[float32](t, got), "%v", index)
		require.True(t, got.Detach() == got && want.Detach() != want)
	}
	part := x.Index(1, nd.SpanBy(nd.Open, nd.Open, -2), 3)
	part.SetSlice(nd.Weak(-1))
	require.Equal(t, []float32{-1, 27, -1, 35, -1}, values[float32](t, x.Index(1, nd.Whole, 3)), "writes go through")
}

// detail returns what is wrong with a call.
func detail(t *testing.T, call func()) string {
	var fault *nd.Error
	require.ErrorAs(t, nd.Try(call), &fault)
	return fault.Detail
}

// TestOtherShapesEqualThoseOfWatchedArrays compares transposes and reshapes that are made at once with those of calls, which a tape sees.
func TestOtherShapesEqualThoseOfWatchedArrays(t *testing.T) {
	for name, x := range map[string]*nd.Array{
		"whole": floats(6, 5, 4), "rows": floats(6, 5, 4).Index(nd.Span(1, 3)), "turned": floats(4, 5, 6).T(), "columns": floats(6, 5, 8).Index(nd.Rest, nd.SpanBy(0, nd.Open, 2)),
		"none": floats(0, 4), "element": floats(6).Index(2), "row": floats(1, 3), "one": floats(1), "five axes": floats(2, 1, 3, 1, 2),
	} {
		watched := (&tape{}).watch(x)
		same := func(what string, change func(x *nd.Array) *nd.Array) {
			got, want := change(x), change(watched)
			require.Equal(t, want.Shape(), got.Shape(), "%s %s", name, what)
			require.Equal(t, want.Strides(), got.Strides(), "%s %s", name, what)
			require.Equal(t, values[float32](t, want), values[float32](t, got), "%s %s", name, what)
		}
		same("T", (*nd.Array).T)
		for _, shape := range [][]int{
			{-1}, {x.Count()}, {1, -1, 1}, {2, -1}, {-1, 4}, {2, 2, -1}, {1, 1, 1, 1, -1}, {0, 7}, {}, {1 << 32, 1 << 32}, {-1, 1 << 32, 1 << 32}, {1<<62 + 1, 4}, {-1, -1},
		} {
			if fault := nd.Try(func() { watched.Reshape(shape...) }); fault != nil {
				require.Equal(t, fault.(*nd.Error).Detail, detail(t, func() { x.Reshape(shape...) }), "%s %v", name, shape)
				continue
			}
			same(fmt.Sprint(shape), func(x *nd.Array) *nd.Array { return x.Reshape(shape...) })
		}
		for _, shape := range [][]int{x.Shape(), append([]int{3}, x.Shape()...), append([]int{0}, x.Shape()...), append([]int{2, 1}, x.Shape()...), {6}, {}, {2, 5, 3, 4, 2}, {1, 3}, {2, 3}, {1 << 62, 4}, {1<<62 + 1, 4}, {1 << 62}, {-1}} {
			if fault := nd.Try(func() { watched.BroadcastTo(shape...) }); fault != nil {
				require.Equal(t, fault.(*nd.Error).Detail, detail(t, func() { x.BroadcastTo(shape...) }), "%s %v", name, shape)
				continue
			}
			same(fmt.Sprint("to ", shape), func(x *nd.Array) *nd.Array { return x.BroadcastTo(shape...) })
		}
	}
}

// TestPartsAreWrittenAtOnceAsByCalls compares what SetSlice and AddSlice write where the array is at rest, and where calls of it are pending.
func TestPartsAreWrittenAtOnceAsByCalls(t *testing.T) {
	e := newEngine(t)
	env, ctx := ops.NewEnv(e), t.Context()
	for _, index := range [][]any{{2}, {nd.Span(1, 4)}, {nd.Whole, 3}, {-1, nd.SpanBy(4, nd.Open, -2)}, {nd.Rest}} {
		var results [2][]float32
		for pending := range results {
			x := nd.FromSliceIn(env, values[float32](t, floats(6, 5)), 6, 5)
			value := x.AddScalar(100).Index(index...)
			for range 3 {
				require.NoError(t, e.WaitAll(ctx))
				if pending == 1 {
					require.NoError(t, e.Stop(ctx))
				}
				x.SetSlice(value, index...)
				x.AddSlice(value, index...)
				x.AddSlice(x.Index(index...), index...)
				e.Start()
			}
			results[pending] = values[float32](t, x)
		}
		require.Equal(t, results[1], results[0], "%v", index)
	}
}
