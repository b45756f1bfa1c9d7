package ndarray_test

import (
	"fmt"
	"math"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"

	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/engine"
	nd "github.com/weft-nd/weft/ndarray"
	"github.com/weft-nd/weft/ops"
)

// checkConstants checks what makes arrays of equal elements for the dtype of T, in shapes with and without elements.
func checkConstants[T dtype.Element](t *testing.T, one T) {
	var zero T
	d := dtype.Of[T]()
	for _, shape := range [][]int{{}, {3}, {2, 3}, {0}, {2, 0, 3}, {100, 100}} {
		for name, made := range map[string]struct {
			array *nd.Array
			want  T
		}{
			"Zeros":   {nd.Zeros[T](shape...), zero},
			"ZerosIn": {nd.ZerosIn(nd.DefaultEnv(), d, shape...), zero},
			"Ones":    {nd.Ones[T](shape...), one},
			"OnesIn":  {nd.OnesIn(nd.DefaultEnv(), d, shape...), one},
			"Full":    {nd.Full(one, shape...), one},
			"FullIn":  {nd.FullIn(nd.DefaultEnv(), d, 1, shape...), one},
		} {
			require.Equal(t, d, made.array.DType(), name)
			require.Equal(t, fmt.Sprint(shape), fmt.Sprint(made.array.Shape()), name)
			require.True(t, made.array.IsContiguous(), name)
			elements := values[T](t, made.array)
			require.Len(t, elements, made.array.Count(), name)
			for _, v := range elements {
				require.Equal(t, made.want, v, name)
			}
		}
	}
	x := nd.FromSlice([]T{zero, one, one, zero, zero, one}, 2, 3)
	require.Equal(t, []T{zero, zero, one, zero, one, one}, values[T](t, x.T()))
	nd.Set(x, one, -1, 0)
	v, err := nd.At[T](x, 1, -3)
	require.NoError(t, err)
	require.Equal(t, one, v)
}

func TestEveryDTypeIsMadeReadAndWritten(t *testing.T) {
	checkConstants(t, true)
	checkConstants(t, int8(1))
	checkConstants(t, int16(1))
	checkConstants(t, int32(1))
	checkConstants(t, int64(1))
	checkConstants(t, uint8(1))
	checkConstants(t, uint16(1))
	checkConstants(t, uint32(1))
	checkConstants(t, uint64(1))
	checkConstants(t, dtype.ToF16(1))
	checkConstants(t, dtype.ToBF16(1))
	checkConstants(t, float32(1))
	checkConstants(t, float64(1))
	checkConstants(t, complex64(1))
	checkConstants(t, complex128(1))
}

func TestConstantsAreWritable(t *testing.T) {
	x := nd.Full(float32(2), 2, 2)
	nd.Set[float32](x, 5, 0, 0)
	require.Equal(t, []float32{5, 2, 2, 2}, values[float32](t, x))
}

func TestArangeCountsAsNumPyDoes(t *testing.T) {
	require.Equal(t, []int64{0, 2, 4}, values[int64](t, nd.Arange[int64](0, 5, 2)))
	require.Equal(t, []int64{5, 3, 1}, values[int64](t, nd.Arange[int64](5, 0, -2)))
	require.Equal(t, []int8{-128, -28, 72}, values[int8](t, nd.Arange[int8](-128, 127, 100)))
	require.Equal(t, []uint8{250, 253}, values[uint8](t, nd.Arange[uint8](250, 255, 3)))
	require.Equal(t, []int64{math.MinInt64, -1, math.MaxInt64 - 1}, values[int64](t, nd.Arange[int64](math.MinInt64, math.MaxInt64, math.MaxInt64)))
	require.Equal(t, []float64{0, 0.5, 1}, values[float64](t, nd.Arange(0, 1.25, 0.5)))
	require.Empty(t, values[float64](t, nd.Arange(0.0, 1, -1)))
	require.Empty(t, values[uint8](t, nd.Arange[uint8](3, 3, 1)))
	require.Len(t, values[float32](t, nd.Arange[float32](0, 1, 0.1)), 10)
}

func TestLinspaceMeetsBothEnds(t *testing.T) {
	require.Equal(t, []float64{1, 1.5, 2}, values[float64](t, nd.Linspace(1.0, 2, 3)))
	require.Equal(t, []float32{7}, values[float32](t, nd.Linspace[float32](7, 9, 1)))
	require.Empty(t, values[float32](t, nd.Linspace[float32](7, 9, 0)))
	ends := values[float64](t, nd.Linspace(0.1, 0.7, 1000))
	require.Equal(t, []float64{0.1, 0.7}, []float64{ends[0], ends[999]})
	require.Equal(t, []complex64{1i, 1 + 2i, 2 + 3i}, values[complex64](t, nd.Linspace[complex64](1i, 2+3i, 3)))
	require.Equal(t, []complex128{0, 2i}, values[complex128](t, nd.Linspace(0, 2i, 2)))
}

func TestEyeIsTheIdentity(t *testing.T) {
	x := floats(3, 3)
	require.Equal(t, values[float32](t, x), values[float32](t, x.MatMul(nd.Eye[float32](3))))
	require.Empty(t, values[float32](t, nd.Eye[float32](0)))
	require.Equal(t, []complex64{1, 0, 0, 1}, values[complex64](t, nd.Eye[complex64](2)))
}

func TestWeakScalarsAdapt(t *testing.T) {
	for _, test := range []struct {
		array, weak *nd.Array
		want        dtype.DType
	}{
		{floats(2), nd.Weak(int64(3)), dtype.Float32},
		{floats(2), nd.Weak(3.5), dtype.Float32},
		{nd.Ones[int64](2), nd.Weak(int64(3)), dtype.Int64},
		{nd.Ones[int64](2), nd.Weak(3.5), dtype.Float64},
	} {
		sum, product := test.array.Add(test.weak), test.weak.Mul(test.array)
		require.Equal(t, test.want, sum.DType())
		require.Equal(t, test.want, product.DType())
		require.Equal(t, test.want, nd.Where(nd.Ones[bool](2), test.array, test.weak).DType())
	}
	large := nd.Zeros[int64](1).Add(nd.Weak(int64(math.MaxInt64)))
	require.Equal(t, []int64{math.MaxInt64}, values[int64](t, large))
	require.Equal(t, dtype.Float64, nd.Weak(int64(1)).Add(nd.Weak(0.5)).DType())
	require.Equal(t, []float32{0.5, -0.5}, values[float32](t, nd.Weak(int64(1)).Sub(nd.FromSlice([]float32{0.5, 1.5}))))
}

func TestScalarsKeepTheDType(t *testing.T) {
	require.Equal(t, []float32{1, 1.5}, values[float32](t, nd.FromSlice([]float32{2, 3}).MulScalar(0.5)))
	require.Equal(t, []int64{4, 6}, values[int64](t, nd.FromSlice([]int64{2, 3}).MulScalar(2)))
	require.Equal(t, []bool{false, true}, values[bool](t, nd.FromSlice([]int64{2, 3}).EqualScalar(3)))
	for _, v := range []float64{math.Inf(1), math.NaN(), 0.5, math.Ldexp(1, 63), -math.Ldexp(1, 64)} {
		require.Error(t, nd.Try(func() { nd.Ones[int64](1).AddScalar(v) }), v)
	}
	require.Equal(t, []int64{math.MinInt64}, values[int64](t, nd.Zeros[int64](1).AddScalar(-math.Ldexp(1, 63))))
}

func TestTwoEnginesDoNotMeetAndOneIsEnough(t *testing.T) {
	env := ops.NewEnv(engine.NewNaive())
	x := nd.FromSliceIn(env, []float32{1, 2})
	nd.Set[float32](x, 5, 0)
	sum := x.Add(nd.OnesIn(env, dtype.Float32, 2)).AddScalar(1).Add(nd.WeakIn(env, int64(1)))
	require.Equal(t, []float32{8, 5}, values[float32](t, sum))
	require.Same(t, env, sum.Env())
	require.Error(t, nd.Try(func() { x.Add(floats(2)) }))
}

func TestMatricesGoToGonumAndBack(t *testing.T) {
	m, err := nd.AsMatrix(floats(2, 3).T())
	require.NoError(t, err)
	require.True(t, mat.Equal(mat.NewDense(3, 2, []float64{0, 3, 1, 4, 2, 5}), m))
	require.Equal(t, []float64{0, 1, 2, 3, 4, 5}, values[float64](t, nd.FromMatrix(m.T())))
	for _, shape := range [][]int{{0, 0}, {0, 3}, {3, 0}} {
		m, err := nd.AsMatrix(nd.Zeros[float64](shape...))
		require.NoError(t, err)
		require.Equal(t, shape, nd.FromMatrix(m).Shape())
		require.Equal(t, []int{shape[1], shape[0]}, nd.FromMatrix(m.T()).Shape())
	}
}

func TestIntsAreHeldAsTheirSize(t *testing.T) {
	x := nd.FromSlice([]int{3, -1, 2})
	require.Equal(t, strconv.IntSize/8, x.DType().Size())
	values, err := nd.Values[int](x.AddScalar(1))
	require.NoError(t, err)
	require.Equal(t, []int{4, 0, 3}, values)
	counted, err := nd.Values[int](nd.Arange(0, 3, 1))
	require.NoError(t, err)
	require.Equal(t, []int{0, 1, 2}, counted)
	last, err := nd.At[int](x, -1)
	require.NoError(t, err)
	require.Equal(t, 2, last)
}
