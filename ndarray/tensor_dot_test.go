package ndarray_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/weft-nd/weft/fault"
	nd "github.com/weft-nd/weft/ndarray"
)

// The expected numbers are those of NumPy 2.4.
func TestTensorDotSumsOverTheGivenAxes(t *testing.T) {
	a := nd.Arange[int64](0, 24, 1).Reshape(2, 3, 4)
	b := nd.Arange[int64](0, 12, 1).Reshape(3, 4)
	for name, c := range map[string]struct {
		got   *nd.Array
		shape []int
		want  []int64
	}{
		"two axes":     {a.TensorDot(b, 2), []int{2}, []int64{506, 1298}},
		"one axis":     {b.TensorDot(b.T(), 1), []int{3, 3}, []int64{14, 38, 62, 38, 126, 214, 62, 214, 366}},
		"no axis":      {nd.FromSlice([]int64{1, 2}).TensorDot(nd.FromSlice([]int64{3, 4}), 0), []int{2, 2}, []int64{3, 4, 6, 8}},
		"given axes":   {a.TensorDotAxes(b, []int{1}, []int{0}), []int{2, 4, 4}, []int64{80, 92, 104, 116, 92, 107, 122, 137, 104, 122, 140, 158, 116, 137, 158, 179, 224, 272, 320, 368, 236, 287, 338, 389, 248, 302, 356, 410, 260, 317, 374, 431}},
		"crossed axes": {a.TensorDotAxes(b, []int{2, 1}, []int{-1, -2}), []int{2}, []int64{506, 1298}},
	} {
		require.Equal(t, c.shape, c.got.Shape(), name)
		require.Equal(t, c.want, values[int64](t, c.got), name)
	}
	z := nd.FromSlice([]complex64{1 + 2i, 3})
	require.Equal(t, []complex64{(1+2i)*(1+2i) + 9}, values[complex64](t, z.TensorDot(z, 1)))
}

func TestVecDotConjugatesItsFirstOperand(t *testing.T) {
	x, y := nd.FromSlice([]float64{1, 2, 3, 4, 5, 6}, 2, 3), nd.FromSlice([]float64{1, 10, 100})
	require.Equal(t, []float64{321, 654}, values[float64](t, x.VecDot(y, -1)))
	require.Equal(t, []float64{17, 29, 45}, values[float64](t, x.VecDot(x, 0)))
	z, w := nd.FromSlice([]complex128{1 + 2i, 3 - 1i}), nd.FromSlice([]complex128{2, 1i})
	require.Equal(t, []complex128{(1-2i)*2 + (3+1i)*1i}, values[complex128](t, z.VecDot(w, 0)))
	require.ErrorIs(t, nd.Try(func() { x.VecDot(y, 0) }), fault.ErrShape)
	require.ErrorIs(t, nd.Try(func() { x.VecDot(y, 2) }), fault.ErrAxis)
}
