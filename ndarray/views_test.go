package ndarray_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	nd "github.com/weft-nd/weft/ndarray"
)

// reference is the slow truth about a view: for each of its elements, row-major, the place in the memory it is in.
type reference struct {
	shape  []int
	places []int
}

// each calls f with the indices of all elements of an array of the given shape, row-major.
func each(shape []int, f func(index []int)) {
	count := 1
	for _, n := range shape {
		count *= n
	}
	for number := range count {
		index := make([]int, len(shape))
		for axis := len(shape) - 1; axis >= 0; axis-- {
			index[axis], number = number%shape[axis], number/shape[axis]
		}
		f(index)
	}
}

func (r reference) at(index []int) int {
	number := 0
	for axis, i := range index {
		number = number*r.shape[axis] + i
	}
	return r.places[number]
}

// picked returns the view of the given shape whose element at an index is that of r at from(index).
func (r reference) picked(shape []int, from func(index []int) []int) reference {
	view := reference{shape: shape, places: []int{}}
	each(shape, func(index []int) { view.places = append(view.places, r.at(from(index))) })
	return view
}

// isStrided reports whether one stride for each axis leads to all elements.
func (r reference) isStrided() bool {
	if len(r.places) == 0 {
		return true
	}
	strided := true
	strides := make([]int, len(r.shape))
	for axis, n := range r.shape {
		if n > 1 {
			unit := make([]int, len(r.shape))
			unit[axis] = 1
			strides[axis] = r.at(unit) - r.places[0]
		}
	}
	each(r.shape, func(index []int) {
		place := r.places[0]
		for axis, i := range index {
			place += i * strides[axis]
		}
		strided = strided && place == r.at(index)
	})
	return strided
}

// randomIndex returns random index values for r, and what they select.
func (r reference) randomIndex(random *rand.Rand) (index []any, selected reference) {
	var shape []int
	var choices [][]int // for each axis of r, its indices
	var axes []int      // for each axis of r, that of the result; -1 if it is removed
	for _, n := range r.shape {
		if random.IntN(5) == 0 {
			index, shape = append(index, nd.NewAxis), append(shape, 1)
		}
		switch kind := random.IntN(4); {
		case kind == 0 && n > 0:
			i := random.IntN(n)
			choices, axes = append(choices, []int{i}), append(axes, -1)
			index = append(index, i-n*random.IntN(2))
			continue
		case kind == 1:
			index = append(index, nd.Whole)
			choices = append(choices, sliced(n, nd.Open, nd.Open, 1))
		default:
			start, stop, step := random.IntN(2*n+3)-n-1, random.IntN(2*n+3)-n-1, 1+random.IntN(3)
			if random.IntN(2) == 0 {
				step = -step
			}
			if random.IntN(4) == 0 {
				start, stop = nd.Open, nd.Open
			}
			index = append(index, nd.SpanBy(start, stop, step))
			choices = append(choices, sliced(n, start, stop, step))
		}
		axes = append(axes, len(shape))
		shape = append(shape, len(choices[len(choices)-1]))
	}
	if random.IntN(3) == 0 {
		index = append(index, nd.Rest)
	}
	return index, r.picked(shape, func(at []int) []int {
		from := make([]int, len(r.shape))
		for axis := range from {
			number := 0
			if axes[axis] >= 0 {
				number = at[axes[axis]]
			}
			from[axis] = choices[axis][number]
		}
		return from
	})
}

// sliced returns the indices that Python's slice(start, stop, step) selects of n elements, by walking.
func sliced(n, start, stop, step int) []int {
	selected := []int{}
	bound := func(b, open int) int {
		switch {
		case b == nd.Open:
			return open
		case b < 0:
			return b + n
		}
		return b
	}
	if step > 0 {
		for i := max(bound(start, 0), 0); i < min(bound(stop, n), n); i += step {
			selected = append(selected, i)
		}
		return selected
	}
	for i := min(bound(start, n-1), n-1); i > max(bound(stop, -1), -1); i += step {
		selected = append(selected, i)
	}
	return selected
}

// TestViewsShareMemoryAndWritesGoThrough follows random chains of views and compares them, and what a write through the
// last one does to the first, with the reference.
func TestViewsShareMemoryAndWritesGoThrough(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 1500 {
		shape := make([]int, random.IntN(4))
		for axis := range shape {
			shape[axis] = random.IntN(5)
		}
		base := floats(shape...)
		view, history := base, fmt.Sprint(shape)
		truth := reference{shape: shape, places: []int{}}
		each(shape, func([]int) { truth.places = append(truth.places, len(truth.places)) })
		shared := true
		for range random.IntN(5) {
			var step string
			view, truth, step = randomStep(random, view, truth, &shared)
			history += step
		}
		memory := base
		if !shared {
			memory = view // of a copy only the shape and the values are compared
		}
		require.Equal(t, append([]int{}, truth.shape...), append([]int{}, view.Shape()...), history)
		seen := values[float32](t, view)
		require.Len(t, seen, len(truth.places), history)
		for i, place := range truth.places {
			require.EqualValues(t, place, seen[i], history)
		}
		if !shared {
			continue
		}
		want := values[float32](t, memory)
		fresh := make([]float32, len(truth.places))
		for i, place := range truth.places {
			fresh[i] = float32(1000 + i)
			want[place] = fresh[i]
		}
		view.SetSlice(nd.FromSlice(fresh, view.Shape()...))
		require.Equal(t, want, values[float32](t, memory), history)
	}
}

func randomStep(random *rand.Rand, view *nd.Array, truth reference, shared *bool) (*nd.Array, reference, string) {
	switch random.IntN(3) {
	case 0:
		index, selected := truth.randomIndex(random)
		return view.Index(index...), selected, fmt.Sprintf(" index %v", index)
	case 1:
		axes := random.Perm(len(truth.shape))
		shape := make([]int, len(axes))
		for i, axis := range axes {
			shape[i] = truth.shape[axis]
		}
		return view.Transpose(axes...), truth.picked(shape, func(index []int) []int {
			from := make([]int, len(axes))
			for i, axis := range axes {
				from[axis] = index[i]
			}
			return from
		}), fmt.Sprintf(" transpose %v", axes)
	}
	shape := randomFactors(random, len(truth.places))
	reshaped := reference{shape, truth.places}
	*shared = *shared && reshaped.isStrided()
	return view.Reshape(shape...), reshaped, fmt.Sprintf(" reshape %v", shape)
}

// randomFactors returns a random shape of the given count.
func randomFactors(random *rand.Rand, count int) []int {
	if count == 0 {
		return []int{random.IntN(3), 0}
	}
	shape := []int{}
	for count > 1 && len(shape) < 4 {
		divisor := 1 + random.IntN(count)
		for count%divisor != 0 {
			divisor--
		}
		shape = append(shape, divisor)
		count /= divisor
	}
	if count > 1 {
		shape = append(shape, count)
	}
	return shape
}

func TestSpansSelectWhatPythonsSlicesDo(t *testing.T) {
	// The results of list(range(n))[start:stop:step] in Python.
	for _, test := range []struct {
		n    int
		part nd.Range
		want []float32
	}{
		{5, nd.Span(1, 3), []float32{1, 2}},
		{5, nd.Span(-2, nd.Open), []float32{3, 4}},
		{5, nd.Span(nd.Open, -2), []float32{0, 1, 2}},
		{5, nd.Span(-100, 100), []float32{0, 1, 2, 3, 4}},
		{5, nd.Span(3, 1), []float32{}},
		{5, nd.SpanBy(-7, 5, 2), []float32{0, 2, 4}},
		{11, nd.SpanBy(10, 0, -2), []float32{10, 8, 6, 4, 2}},
		{5, nd.SpanBy(nd.Open, nd.Open, -1), []float32{4, 3, 2, 1, 0}},
		{5, nd.SpanBy(100, -100, -2), []float32{4, 2, 0}},
		{5, nd.SpanBy(1, -1, -1), []float32{}},
		{5, nd.SpanBy(3, 0, -10), []float32{3}},
		{0, nd.SpanBy(nd.Open, nd.Open, -1), []float32{}},
		{0, nd.Span(0, 3), []float32{}},
	} {
		require.Equal(t, test.want, values[float32](t, floats(test.n).Index(test.part)), "%v of %d", test.part, test.n)
	}
}

func TestReshapeCopiesWhereStridesCannotExpressIt(t *testing.T) {
	x := floats(2, 3)
	flat := x.T().Reshape(6)
	nd.Set[float32](flat, 9, 0)
	require.Equal(t, []float32{9, 3, 1, 4, 2, 5}, values[float32](t, flat))
	require.Equal(t, []float32{0, 1, 2, 3, 4, 5}, values[float32](t, x))
}

func TestSqueezeAndExpandDimsAreInverse(t *testing.T) {
	x := floats(2, 3)
	for axis := -3; axis < 3; axis++ {
		expanded := x.ExpandDims(axis)
		require.Equal(t, 1, expanded.Shape()[(axis+3)%3])
		require.Equal(t, x.Shape(), expanded.Squeeze(axis).Shape())
		require.Equal(t, x.Shape(), expanded.Squeeze().Shape())
	}
	require.Empty(t, floats(1, 1).Squeeze().Shape())
}

func TestWithSliceLeavesTheArrayAlone(t *testing.T) {
	for _, dtypeOf := range []*nd.Array{floats(3, 2), floats(3, 2).Cast(nd.Zeros[int32]().DType())} {
		changed := dtypeOf.WithSlice(nd.Weak(int64(9)), nd.Whole, 1)
		seen, err := nd.ValuesAs[float32](changed)
		require.NoError(t, err)
		require.Equal(t, []float32{0, 9, 2, 9, 4, 9}, seen)
		seen, err = nd.ValuesAs[float32](dtypeOf)
		require.NoError(t, err)
		require.Equal(t, []float32{0, 1, 2, 3, 4, 5}, seen)
	}
}

func TestSetSliceOfOverlappingPartsReadsBeforeItWrites(t *testing.T) {
	x := floats(6)
	x.SetSlice(x.Index(nd.Span(0, 4)), nd.Span(2, 6))
	require.Equal(t, []float32{0, 1, 0, 1, 2, 3}, values[float32](t, x))
	x.SetSlice(x.Index(nd.SpanBy(nd.Open, nd.Open, -1)))
	require.Equal(t, []float32{3, 2, 1, 0, 1, 0}, values[float32](t, x))
}

func TestHandlesDoNotShareShapesWithTheirCallers(t *testing.T) {
	shape := []int{2, 3}
	x := nd.FromSlice(make([]float32, 6), shape...)
	y := x.Reshape(shape...)
	shape[0], x.Shape()[1], x.Strides()[0] = 9, 9, 9
	require.Equal(t, []int{2, 3}, x.Shape())
	require.Equal(t, []int{3, 1}, x.Strides())
	require.Equal(t, []int{2, 3}, y.Shape())
	require.True(t, slices.Equal(y.Strides(), x.Strides()))
}

func TestShapesOfArraysWithoutAxesAreNotNil(t *testing.T) {
	x := nd.FromSlice([]float64{1, 2, 3})
	for name, a := range map[string]*nd.Array{
		"zeros": nd.Zeros[float64](), "full": nd.Full(1.0), "neg": nd.Zeros[float64]().Neg(), "sum": x.Sum(),
		"take": x.Take(nd.FromSlice([]int64{1}, []int{}...), 0),
	} {
		require.NotNil(t, a.Shape(), name)
		require.Zero(t, nd.FromSlice([]float64{1}, a.Shape()...).Rank(), name)
	}
}
