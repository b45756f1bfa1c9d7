package ndarray_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	nd "github.com/weft-nd/weft/ndarray"
)

// TestAViewOfAPartTakesOneObject counts what the heap gets of a call: its index values are not on it.
func TestAViewOfAPartTakesOneObject(t *testing.T) {
	x := floats(6, 5, 4)
	var part *nd.Array
	for _, c := range []struct {
		name  string
		index func()
		shape []int
	}{
		{"ranges", func() { part = x.Index(nd.Span(1, 5), nd.SpanBy(nd.Open, nd.Open, 2)) }, []int{4, 3, 4}},
		{"int", func() { part = x.Index(3) }, []int{5, 4}},
		{"all forms", func() { part = x.Index(-1, nd.NewAxis, nd.Rest, nd.SpanBy(nd.Open, nd.Open, -1)) }, []int{1, 5, 4}},
	} {
		require.Equal(t, 1.0, testing.AllocsPerRun(100, c.index), c.name)
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
