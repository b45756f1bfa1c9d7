package ndarray_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/weft-nd/weft/fault"
	nd "github.com/weft-nd/weft/ndarray"
)

// slowWindows returns the elements of all windows of rows of x, of shape (rows,columns).
func slowWindows(x [][]float32, size, step int) (all []float32) {
	for _, row := range x {
		for start := 0; start+size <= len(row); start += step {
			all = append(all, row[start:start+size]...)
		}
	}
	return all
}

func TestSlidingWindowsEqualALoop(t *testing.T) {
	rows := [][]float32{{1, 5, 2, 8, 3, 9, 4}, {6, 0, 7, 2, 5, 1, 8}}
	x := nd.FromNested(rows)
	views := map[string]*nd.Array{
		"rows": x, "columns of a transpose": x.T(), "a part": nd.Concat(1, x, x).Index(nd.Whole, nd.Span(7, 14)), "backward": x.Flip(1).Copy().Flip(1),
		"every other": nd.Stack(2, x, x.Neg()).Index(nd.Whole, nd.Whole, 0), "broadcast": nd.Stack(0, x).BroadcastTo(1, 2, 7).Squeeze(0),
	}
	for name, v := range views {
		axis := 1
		if name == "columns of a transpose" {
			axis = 0
		}
		for _, c := range [][2]int{{1, 1}, {3, 1}, {3, 2}, {2, 3}, {7, 1}, {7, 9}, {4, 4}} {
			size, step := c[0], c[1]
			got := v.SlidingWindows(size, step, axis-2)
			if axis == 0 {
				got = got.Transpose(1, 0, 2)
			}
			require.Equal(t, []int{2, (7-size)/step + 1, size}, got.Shape(), name)
			require.Equal(t, slowWindows(rows, size, step), values[float32](t, got), "%s, size %d, step %d", name, size, step)
		}
	}
}

func TestWindowsSeeWhatIsWrittenToTheirArray(t *testing.T) {
	x := floats(5)
	windows := x.SlidingWindows(3, 1, 0)
	nd.Set[float32](x, 9, 2)
	require.Equal(t, []float32{0, 1, 9, 1, 9, 3, 9, 3, 4}, values[float32](t, windows))
	x.SetSlice(windows.Sum(-1), nd.Span(0, 3)) // reads all of it before it is written
	require.Equal(t, []float32{10, 13, 16, 3, 4}, values[float32](t, x))
	nd.AddInto(x, x, windows.Index(0, 0)) // a broadcast operand in the memory of the destination
	require.Equal(t, []float32{20, 23, 26, 13, 14}, values[float32](t, x))
}

func TestWritingIntoWindowsThatOverlapIsAMistake(t *testing.T) {
	x := floats(2, 6)
	for name, write := range map[string]func(windows *nd.Array){
		"fill":      func(w *nd.Array) { w.SetSlice(nd.Weak(1.0)) },
		"into":      func(w *nd.Array) { nd.ExpInto(w, w) },
		"add slice": func(w *nd.Array) { w.AddSlice(nd.Weak(1.0), 0) },
		"a part":    func(w *nd.Array) { w.Index(nd.Whole, nd.Whole, nd.SpanBy(0, nd.Open, 2)).SetSlice(nd.Weak(1.0)) },
		"turned":    func(w *nd.Array) { nd.NegInto(w.Transpose(2, 0, 1), w.Transpose(2, 0, 1)) },
		"scatter":   func(w *nd.Array) { nd.ScatterInto(w, w, whole(0), nd.Weak(1.0), 0) },
	} {
		err := mistake(t, func() { write(x.SlidingWindows(3, 2, 1)) })
		require.ErrorIs(t, err, fault.ErrMisuse, name)
		require.ErrorContains(t, err, "share memory", name)
	}
	require.Equal(t, values[float32](t, floats(2, 6)), values[float32](t, x))

	// Those that do not, and one element of each, are views to write to.
	x.SlidingWindows(3, 3, 1).SetSlice(nd.Weak(7.0), 0)
	x.SlidingWindows(3, 1, 1).SetSlice(nd.Weak(9.0), 1, nd.SpanBy(0, nd.Open, 3))
	x.SlidingWindows(2, 1, 1).Index(1, nd.Whole, 0).SetSlice(nd.Weak(5.0), nd.Span(2, 4))
	require.Equal(t, []float32{7, 7, 7, 7, 7, 7, 9, 9, 5, 5, 9, 9}, values[float32](t, x))
}

func TestWindowsThatDoNotFitAreMistakes(t *testing.T) {
	x := floats(2, 6)
	for text, c := range map[string]struct {
		cause error
		call  func()
	}{
		"sliding_windows: windows of 7 elements along axis 1, which has 6": {fault.ErrShape, func() { x.SlidingWindows(7, 1, 1) }},
		"sliding_windows: windows of 1 elements along axis 0, which has 0": {fault.ErrShape, func() { nd.Zeros[bool](0).SlidingWindows(1, 1, 0) }},
		"sliding_windows: size is 0 (legal: at least 1)":                   {fault.ErrParameter, func() { x.SlidingWindows(0, 1, 0) }},
		"sliding_windows: step is -1 (legal: at least 1)":                  {fault.ErrParameter, func() { x.SlidingWindows(1, -1, 0) }},
		"sliding_windows: axis 2 is out of range for 2 axes":               {fault.ErrAxis, func() { x.SlidingWindows(1, 1, 2) }},
		"sliding_windows: axis 0 is out of range for 0 axes":               {fault.ErrAxis, func() { nd.Full(1.0).SlidingWindows(1, 1, 0) }},
	} {
		err := mistake(t, c.call)
		require.ErrorIs(t, err, c.cause)
		require.ErrorContains(t, err, text)
		require.ErrorContains(t, err, " at windows_test.go:")
	}
	require.Equal(t, []int{0, 3, 2}, nd.Zeros[float32](0, 4).SlidingWindows(2, 1, 1).Shape())
}
