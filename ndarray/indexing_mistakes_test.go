package ndarray_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-nd/weft/fault"
	nd "github.com/weft-nd/weft/ndarray"
)

func TestMistakesInIndexValuesPanicWithTheReason(t *testing.T) {
	x := floats(3, 2)
	var none *nd.Array
	mask := nd.FromSlice([]bool{true, false, true})
	two := nd.FromSlice([]int64{0, 1})
	three := nd.FromSlice([]int64{0, 1, 1})
	for _, test := range []struct {
		name   string
		reason error
		text   string
		call   func()
	}{
		{"number", fault.ErrIndex, "Index: index 3 is out of range for axis 0 with 3 elements", func() { x.Index(3) }},
		{"negative number", fault.ErrIndex, "index -3 is out of range for axis 1", func() { x.Index(nd.Whole, -3) }},
		{"too many", fault.ErrIndex, "index values for 3 axes or more, of 2", func() { x.Index(0, 0, 0) }},
		{"too many beside the rest", fault.ErrIndex, "of 2", func() { x.Index(0, nd.Rest, 0, 0) }},
		{"mask of too many axes", fault.ErrIndex, "of 2", func() { x.Index(0, 0, mask) }},
		{"two rests", fault.ErrMisuse, "Rest (...) is given twice", func() { x.Index(nd.Rest, nd.Rest) }},
		{"strange type", fault.ErrMisuse, "index value 1 is a float64", func() { x.Index(0, 1.0) }},
		{"uncomparable type", fault.ErrMisuse, "index value 0 is a []float64", func() { x.Index([]float64{1}) }},
		{"nothing", fault.ErrMisuse, "index value 0 is a <nil>", func() { x.Index(nil) }},
		{"no array", fault.ErrMisuse, "the array is nil", func() { x.Index(none) }},
		{"array that was not made", fault.ErrMisuse, "the array is nil", func() { x.Index(new(nd.Array)) }},
		{"index of no array", fault.ErrMisuse, "the array is nil", func() { none.Index(0) }},
		{"mark that is none", fault.ErrMisuse, "index value 0 is no mark", func() { x.Index(nd.Mark(9)) }},
		{"step of zero", fault.ErrIndex, "the step along axis 0 is zero", func() { x.Index(nd.SpanBy(0, 2, 0)) }},
		{"number in a list", fault.ErrIndex, "index 2 is out of range for axis 1", func() { x.Index(0, []int{0, 2}) }},
		{"numbers that are floats", fault.ErrDType, "index value 0 holds float32, want integers or bools", func() { x.Index(floats(2)) }},
		{"short mask", fault.ErrShape, "a mask of shape (2,) does not fit the axes from 0 on, of shape (3,)", func() { x.Index([]bool{true, false}) }},
		{"mask of the second axis", fault.ErrShape, "does not fit the axes from 1 on, of shape (2,)", func() { x.Index(0, []bool{true}) }},
		{"empty mask", fault.ErrShape, "a mask of shape (0,)", func() { x.Index([]bool{}) }},
		{"mask in an array", fault.ErrMisuse, "MaskSelect waits for them", func() { x.Index(mask) }},
		{"mask to update by", fault.ErrMisuse, "UpdateSlice: index value 0 is a mask", func() { x.UpdateSlice((*nd.Array).Neg, mask) }},
		{"mask of no axes", fault.ErrMisuse, "a mask of no axes in an array, want a bool", func() { x.Index(nd.FromSlice([]bool{true}, []int{}...)) }},
		{"mask of another shape", fault.ErrShape, "a mask of shape (3,) does not fit", func() { x.SetSlice(nd.Weak(1.0), 0, mask) }},
		{"mask beside indices", fault.ErrMisuse, "MaskIndices makes indices of masks", func() { x.SetSlice(nd.Weak(1.0), mask, []int{0}) }},
		{"mask of another shape to wait for", fault.ErrShape, "MaskIndices: a mask", func() { _, _ = nd.MaskIndices(context.Background(), x, nd.Whole, mask) }},
		{"arrays that do not broadcast", fault.ErrShape, "arrays of indices of shapes (2,) and (3,) do not broadcast", func() { x.Index(two, three) }},
		{"lists that do not broadcast", fault.ErrShape, "shapes (0,) and (2,) do not broadcast", func() { x.Index(true, false, false, []int{0, 1}) }},
		{"dtype of a part", fault.ErrDType, "a value of int64 does not go into an array of float32", func() { x.SetSlice(two, 0) }},
		{"dtype of points", fault.ErrDType, "a value of int64 does not go", func() { x.SetSlice(three, []int{0, 1, 2}, 0) }},
		{"dtype of masked", fault.ErrDType, "a value of int64 does not go", func() { x.SetSlice(two, mask) }},
		{"shape of a part", fault.ErrShape, "SetSlice: a value of shape (4,2) does not broadcast to a part of shape (3,2)", func() { x.SetSlice(floats(4, 2)) }},
		{"shape of points", fault.ErrShape, "SetSlice: a value of shape (4,) does not broadcast to a part of shape (2,2)", func() { x.SetSlice(floats(4), []int{0, 1}) }},
		{"shape of masked", fault.ErrShape, "do not broadcast", func() { x.SetSlice(floats(2, 3), mask) }},
		{"too many axes of masked", fault.ErrShape, "a value of 3 axes does not go into a part of 2", func() {
			floats(2, 3, 2).SetSlice(floats(1, 1, 1), 0, nd.Whole, nd.FromSlice([]bool{true, true}))
		}},
		{"no value", fault.ErrMisuse, "array 1 of 2 is nil", func() { x.SetSlice(none, 0) }},
		{"no value from a function", fault.ErrMisuse, "array 1 of 2 is nil", func() { x.UpdateSlice(func(*nd.Array) *nd.Array { return none }, 0) }},
		{"part that repeats", fault.ErrMisuse, "broadcast view", func() { x.Index(0).BroadcastTo(3, 2).SetSlice(nd.Weak(1.0)) }},
		{"points of a part that repeats", fault.ErrMisuse, "broadcast view", func() { x.Index(0).BroadcastTo(3, 2).SetSlice(nd.Weak(1.0), []int{0}) }},
		{"sums of bools", fault.ErrDType, "bool", func() { mask.Copy().AddSlice(mask, []int{0, 1, 2}) }},
		{"masked sums of bools", fault.ErrDType, "no sums of bool", func() { mask.Copy().AddSlice(nd.Weak(true), mask) }},
	} {
		t.Run(test.name, func(t *testing.T) {
			err := mistake(t, test.call)
			require.ErrorIs(t, err, test.reason, err.Error())
			require.Contains(t, err.Error(), test.text)
			require.Contains(t, err.Error(), " at indexing_mistakes_test.go:")
		})
	}
	require.Equal(t, []float32{0, 1, 2, 3, 4, 5}, values[float32](t, x))
}

func TestMistakesInIndexTextsArePointedAt(t *testing.T) {
	x := floats(3, 2)
	for _, test := range []struct {
		text   string
		reason error
		column int
		detail string
	}{
		{"x", fault.ErrParameter, 0, "want a number, a slice, ..., None, True, False or a list"},
		{"0, nope", fault.ErrParameter, 3, "want a number, a slice"},
		{"0 1", fault.ErrParameter, 2, "want a comma"},
		{"0,,1", fault.ErrParameter, 2, "want an index value"},
		{",", fault.ErrParameter, 0, "want an index value"},
		{"1.5", fault.ErrParameter, 1, "want a comma"},
		{"- ", fault.ErrParameter, 1, "want a digit"},
		{"--1", fault.ErrParameter, 1, "want a digit"},
		{"::-", fault.ErrParameter, 3, "want a digit"},
		{"1:2:3:4", fault.ErrParameter, 5, "want a comma"},
		{"..", fault.ErrParameter, 0, "want an index value"},
		{"0, é", fault.ErrParameter, 3, "want an index value"},
		{"[0, 1", fault.ErrParameter, 5, "want a comma or a closing bracket"},
		{"[0 1]", fault.ErrParameter, 3, "want a comma or a closing bracket"},
		{"[,]", fault.ErrParameter, 1, "want a number, True or False"},
		{"[None]", fault.ErrParameter, 1, "want a number, True or False"},
		{"[0, [1]]", fault.ErrParameter, 4, "this differs in shape or kind"},
		{"[[0], [1, 2]]", fault.ErrParameter, 6, "this differs in shape or kind"},
		{"[0, True]", fault.ErrParameter, 4, "this differs in shape or kind"},
		{"]", fault.ErrParameter, 0, "want an index value"},
		{strings.Repeat("[", 1<<20), fault.ErrParameter, 33, "no more than 32 lists"},
		{"1:2, 9", fault.ErrIndex, 5, "index 9 is out of range for axis 1 with 2 elements"},
		{"..., 99999999999999999999", fault.ErrIndex, 5, "index 9223372036854775807 is out of range"},
		{"0, [0, 7]", fault.ErrIndex, 3, "index 7 is out of range for axis 1"},
		{"0, ::0", fault.ErrIndex, 3, "the step along axis 1 is zero"},
		{"..., 0, ...", fault.ErrMisuse, 8, "Rest (...) is given twice"},
		{"0, 1, 0", fault.ErrIndex, 6, "index values for 3 axes or more, of 2"},
		{"[True, False]", fault.ErrShape, 0, "a mask of shape (2,) does not fit the axes from 0 on, of shape (3,)"},
		{"[0, 1], [0, 1, 1]", fault.ErrShape, 8, "arrays of indices of shapes (2,) and (3,) do not broadcast"},
	} {
		err := mistake(t, func() { x.Index(test.text) })
		require.ErrorIs(t, err, test.reason, test.text)
		require.Contains(t, err.Detail, test.detail)
		require.Equal(t, test.column, err.Column, "%.40s: %v", test.text, err.Detail)
		require.Equal(t, test.text, err.Text)
	}
	err := mistake(t, func() { x.SetSlice(nd.Weak(1.0), "1:2, 9") })
	require.Regexp(t, `^weft: SetSlice: index 9 .* at indexing_mistakes_test.go:\d+\n\t1:2, 9\n\t     \^$`, err.Error())
}

func TestWhatAMaskOrAnIndexHoldsIsAnErrorOfTheResult(t *testing.T) {
	for name, test := range map[string]struct {
		reason error
		text   string
		make   func(x *nd.Array) *nd.Array
	}{
		"index read": {fault.ErrIndex, "index 3 is out of range for axis 0 with 3 elements", func(x *nd.Array) *nd.Array { return x.Index(nd.FromSlice([]int8{0, 3})) }},
		"point read": {fault.ErrIndex, "index -3 is out of range for axis 1", func(x *nd.Array) *nd.Array {
			return x.Index(nd.FromSlice([]int8{0}), nd.FromSlice([]int64{-3}))
		}},
		"unsigned point": {fault.ErrIndex, "out of range", func(x *nd.Array) *nd.Array {
			return x.Index(nd.FromSlice([]uint64{1<<64 - 1}), nd.FromSlice([]int8{0}))
		}},
		"index written": {fault.ErrIndex, "index 3 is out of range", func(x *nd.Array) *nd.Array {
			x.SetSlice(nd.Weak(1.0), nd.FromSlice([]int8{0, 3}))
			return x
		}},
		"mask that is true in more elements": {fault.ErrShape, "the mask is true in 2 elements, there are 3", func(x *nd.Array) *nd.Array {
			x.SetSlice(floats(3, 1), nd.FromSlice([]bool{true, false, true}))
			return x
		}},
		"mask that is true nowhere": {fault.ErrShape, "true in 0 elements, there are 2", func(x *nd.Array) *nd.Array {
			return x.WithSlice(floats(2), nd.Zeros[bool](3, 2))
		}},
	} {
		_, err := nd.Values[float32](test.make(floats(3, 2)))
		require.ErrorIs(t, err, test.reason, name)
		require.ErrorContains(t, err, test.text, name)
	}
}

func TestWaitingForAMaskEndsWithTheContext(t *testing.T) {
	ctx, cancel := context.WithCancelCause(context.Background())
	cancel(context.DeadlineExceeded)
	x, mask := floats(3), nd.FromSlice([]int64{0, 1, 2}).Take(nd.FromSlice([]int64{7}), 0).Greater(nd.FromSlice([]int64{0, 1, 2}))
	_, err := nd.MaskSelect(context.Background(), x, mask)
	require.ErrorIs(t, err, fault.ErrIndex) // that sticks to the mask
	_, err = nd.MaskIndices(context.Background(), x, mask)
	require.ErrorIs(t, err, fault.ErrIndex)
	_, err = nd.MaskSelect(ctx, x, nd.FromSlice([]bool{true, false, true}))
	require.True(t, err == nil || errors.Is(err, context.DeadlineExceeded), "%v", err)
}
