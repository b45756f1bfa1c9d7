package ndarray_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/fault"
	nd "github.com/weft-nd/weft/ndarray"
)

func TestNestedSlicesAndArraysBecomeAxes(t *testing.T) {
	for _, test := range []struct {
		nested any
		want   *nd.Array
	}{
		{[][]float32{{0, 1, 2}, {3, 4, 5}}, floats(2, 3)},
		{[2][3]float32{{0, 1, 2}, {3, 4, 5}}, floats(2, 3)},
		{[][3]float32{{0, 1, 2}, {3, 4, 5}}, floats(2, 3)},
		{[2][]float32{{0, 1, 2}, {3, 4, 5}}, floats(2, 3)},
		{[][][]int{{{1}, {2}}}, nd.FromSlice([]int{1, 2}, 1, 2, 1)},
		{[]bool{true, false}, nd.FromSlice([]bool{true, false})},
		{[]dtype.F16{1}, nd.FromSlice([]dtype.F16{1})},
		{1i, nd.Full(1i)},
		{[][]float64{}, nd.Zeros[float64](0, 0)},
		{[][]float64{{}, {}}, nd.Zeros[float64](2, 0)},
		{[0][2]int8{}, nd.Zeros[int8](0, 2)},
	} {
		require.Equal(t, fmt.Sprintf("%+v", test.want), fmt.Sprintf("%+v", nd.FromNested(test.nested)), "%T", test.nested)
	}
}

func TestRaggedSlicesAndOtherTypesAreMistakes(t *testing.T) {
	require.ErrorIs(t, mistake(t, func() { nd.FromNested([][]float32{{1, 2}, {3}}) }), fault.ErrShape)
	require.ErrorIs(t, mistake(t, func() { nd.FromNested([][]float32{{}, {3}}) }), fault.ErrShape)
	require.ErrorIs(t, mistake(t, func() { nd.FromNested([][][]float32{{{1}}, {{1}, {2}}}) }), fault.ErrShape)
	require.ErrorIs(t, mistake(t, func() { nd.FromNested([]string{"a"}) }), fault.ErrDType)
	require.ErrorIs(t, mistake(t, func() { nd.FromNested([]any{1.0}) }), fault.ErrDType)
	require.ErrorIs(t, mistake(t, func() { nd.FromNested(nil) }), fault.ErrMisuse)
	require.ErrorContains(t, mistake(t, func() { nd.FromNested([][]float32{{1, 2}, {3}}) }), "nested_test.go:")
}
