package ndarray_test

import (
	"context"
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/fault"
	nd "github.com/weft-nd/weft/ndarray"
)

// requireArray tells whether got has the shape and elements.
func requireArray[T dtype.Element](t *testing.T, got *nd.Array, shape []int, want ...T) {
	t.Helper()
	require.Equal(t, shape, got.Shape())
	require.Equal(t, append([]T{}, want...), append([]T{}, values[T](t, got)...))
}

func TestLikeFunctionsKeepShapeAndDType(t *testing.T) {
	a := nd.FromSlice([]int8{1, 2, 3, 4, 5, 6}, 3, 2)
	requireArray(t, nd.ZerosLike(a), []int{3, 2}, make([]int8, 6)...)
	requireArray[int8](t, nd.OnesLike(a.T()), []int{2, 3}, 1, 1, 1, 1, 1, 1)
	requireArray[int8](t, nd.FullLike(a.Index(0), -7), []int{2}, -7, -7)
	require.ErrorIs(t, mistake(t, func() { nd.FullLike(a, 0.5) }), fault.ErrParameter)
}

func TestEyeHasItsDiagonalWhereItIsAsked(t *testing.T) {
	requireArray[float64](t, nd.EyeDiagonal[float64](2, 3, 1), []int{2, 3}, 0, 1, 0, 0, 0, 1)
	requireArray[int32](t, nd.EyeDiagonal[int32](3, 2, -1), []int{3, 2}, 0, 0, 1, 0, 0, 1)
	for _, beyond := range []int{2, -2, math.MaxInt, -math.MaxInt, math.MinInt} {
		requireArray[uint8](t, nd.EyeDiagonal[uint8](2, 2, beyond), []int{2, 2}, 0, 0, 0, 0)
	}
	requireArray[int64](t, nd.EyeDiagonal[int64](0, 3, 0), []int{0, 3})
}

func TestLinspaceExclusiveStopsOneBefore(t *testing.T) {
	requireArray(t, nd.LinspaceExclusive(0.0, 1, 4), []int{4}, 0, 0.25, 0.5, 0.75)
	requireArray(t, nd.LinspaceExclusive(3.0, 1, 1), []int{1}, 3.0)
	requireArray[float32](t, nd.LinspaceExclusive[float32](3, 1, 0), []int{0})
}

func TestMeshgridsHaveAnAxisForEachArray(t *testing.T) {
	x, y := nd.FromSlice([]int64{1, 2, 3}), nd.FromSlice([]int64{4, 5})
	grids := nd.Meshgrid(x, y)
	requireArray[int64](t, grids[0], []int{2, 3}, 1, 2, 3, 1, 2, 3)
	requireArray[int64](t, grids[1], []int{2, 3}, 4, 4, 4, 5, 5, 5)
	grids = nd.MeshgridIJ(x, y)
	requireArray[int64](t, grids[0], []int{3, 2}, 1, 1, 2, 2, 3, 3)
	requireArray[int64](t, grids[1], []int{3, 2}, 4, 5, 4, 5, 4, 5)
	z := nd.FromSlice([]int64{6})
	for _, g := range nd.Meshgrid(x, y, z) {
		require.Equal(t, []int{2, 3, 1}, g.Shape())
	}
	requireArray[int64](t, nd.Meshgrid(z)[0], []int{1}, 6)
	require.Empty(t, nd.Meshgrid())
	require.ErrorIs(t, mistake(t, func() { nd.Meshgrid(x, grids[0]) }), fault.ErrShape)
}

// TestShapesBroadcastByTheRuleOfTheStandard has the examples of its section "Broadcasting", and mistakes.
func TestShapesBroadcastByTheRuleOfTheStandard(t *testing.T) {
	for _, c := range []struct {
		shapes [][]int
		want   []int
	}{
		{[][]int{{8, 1, 6, 1}, {7, 1, 5}}, []int{8, 7, 6, 5}}, {[][]int{{5, 4}, {1}}, []int{5, 4}}, {[][]int{{5, 4}, {4}}, []int{5, 4}},
		{[][]int{{15, 3, 5}, {15, 1, 5}}, []int{15, 3, 5}}, {[][]int{{15, 3, 5}, {3, 5}}, []int{15, 3, 5}}, {[][]int{{15, 3, 5}, {3, 1}}, []int{15, 3, 5}},
		{[][]int{{0, 1}, {3}, {}}, []int{0, 3}}, {nil, []int{}},
	} {
		require.Equal(t, c.want, nd.BroadcastShapes(c.shapes...))
		arrays := []*nd.Array{}
		for _, shape := range c.shapes {
			arrays = append(arrays, nd.Ones[int8](shape...))
		}
		for _, a := range nd.BroadcastArrays(arrays...) {
			require.Equal(t, c.want, a.Shape())
		}
	}
	for _, shapes := range [][][]int{{{3}, {4}}, {{2, 1}, {8, 4, 3}}, {{15, 3, 5}, {15, 3}}, {{-1}}} {
		require.ErrorIs(t, mistake(t, func() { nd.BroadcastShapes(shapes...) }), fault.ErrShape)
	}
}

func TestResultTypesAreThoseOfArithmetic(t *testing.T) {
	for _, arrays := range [][]*nd.Array{
		{nd.Ones[int8](), nd.Ones[uint8](2)}, {nd.Ones[int16](), nd.Ones[float32]()}, {nd.Ones[uint8](), nd.Weak(1.5)}, {nd.Ones[float32](), nd.Weak(7)},
		{nd.Weak(1), nd.Weak(2.5)}, {nd.Ones[uint64](), nd.Ones[int64]()},
	} {
		require.Equal(t, arrays[0].Add(arrays[1]).DType(), nd.ResultType(arrays...))
	}
	require.Equal(t, dtype.Float64, nd.ResultType(nd.Ones[int8](), nd.Ones[int64](), nd.Ones[float32](3)))
	require.ErrorIs(t, mistake(t, func() { nd.ResultType() }), fault.ErrMisuse)
}

func TestClipLeavesWhatIsWithinBounds(t *testing.T) {
	a := nd.FromSlice([]int32{-5, 0, 3, 9})
	requireArray[int32](t, a.ClipScalar(-1, 4), []int{4}, -1, 0, 3, 4)
	requireArray[int32](t, a.ClipScalar(math.Inf(-1), 4), []int{4}, -5, 0, 3, 4)
	requireArray[int32](t, a.ClipScalar(-1, math.Inf(1)), []int{4}, -1, 0, 3, 9)
	requireArray[int32](t, a.ClipScalar(math.Inf(-1), math.Inf(1)), []int{4}, -5, 0, 3, 9)
	requireArray[int32](t, a.Clip(nd.FromSlice([]int32{0, 1}, 2, 1), nil), []int{2, 4}, 0, 0, 3, 9, 1, 1, 3, 9)
	requireArray[int32](t, a.Clip(nil, nd.Weak(2)), []int{4}, -5, 0, 2, 2)
	nd.ClipInto(a, a, nd.Weak(0), nd.FromSlice([]int32{1, 2, 3, 4}))
	requireArray[int32](t, a, []int{4}, 0, 0, 3, 4)
	require.ErrorIs(t, mistake(t, func() { a.Clip(nil, nil) }), fault.ErrMisuse)
	require.ErrorIs(t, mistake(t, func() { a.ClipScalar(0.5, 2) }), fault.ErrParameter)
	require.ErrorIs(t, mistake(t, func() { a.ClipScalar(math.Inf(1), 2) }), fault.ErrParameter)
}

func TestTrianglesKeepTheirSideOfADiagonal(t *testing.T) {
	a := nd.Arange[int16](1, 7, 1).Reshape(2, 3)
	requireArray[int16](t, a.Tril(0), []int{2, 3}, 1, 0, 0, 4, 5, 0)
	requireArray[int16](t, a.Triu(1), []int{2, 3}, 0, 2, 3, 0, 0, 6)
	requireArray[int16](t, a.T().Tril(-1), []int{3, 2}, 0, 0, 2, 0, 3, 6)
	requireArray[int16](t, a.Triu(math.MinInt), []int{2, 3}, 1, 2, 3, 4, 5, 6)
}

func TestDifferencesAreTakenSoManyTimes(t *testing.T) {
	a := nd.FromSlice([]float64{1, 4, 9, 16, 25})
	requireArray(t, a.Diff(1, 0), []int{4}, 3.0, 5, 7, 9)
	requireArray(t, a.Diff(2, -1), []int{3}, 2.0, 2, 2)
	requireArray(t, a.Diff(0, 0), []int{5}, 1.0, 4, 9, 16, 25)
	requireArray[float64](t, a.Diff(9, 0), []int{0})
	requireArray[uint8](t, nd.FromSlice([]uint8{3, 1, 2, 2}, 2, 2).Diff(1, 0), []int{1, 2}, 255, 1)
	requireArray(t, nd.Concat(0, nd.Zeros[float64](1), a).Diff(1, 0), []int{5}, 1.0, 3, 5, 7, 9)
	require.ErrorIs(t, mistake(t, func() { a.Diff(-1, 0) }), fault.ErrParameter)
	require.ErrorIs(t, mistake(t, func() { a.Diff(1, 1) }), fault.ErrAxis)
}

func TestCumulativeResultsMayBeginWithThatOfNone(t *testing.T) {
	a := nd.FromSlice([]int8{1, 2, 3, 4}, 2, 2)
	requireArray[int64](t, a.CumSumInitial(1), []int{2, 3}, 0, 1, 3, 0, 3, 7)
	requireArray[int64](t, a.CumProdInitial(-2), []int{3, 2}, 1, 1, 1, 2, 3, 8)
	requireArray[float32](t, nd.Zeros[float32](0).CumSumInitial(0), []int{1}, 0)
}

func TestAxesMoveWhereTheyAreTold(t *testing.T) {
	a := floats(2, 3, 4, 5)
	for _, c := range []struct{ from, to, want []int }{
		{[]int{0}, []int{-1}, []int{3, 4, 5, 2}}, {[]int{0, 1}, []int{-1, -2}, []int{4, 5, 3, 2}}, {[]int{3, 0, 2}, []int{0, 1, 3}, []int{5, 2, 3, 4}}, {nil, nil, []int{2, 3, 4, 5}},
	} {
		require.Equal(t, c.want, a.MoveAxes(c.from, c.to).Shape(), "%v to %v", c.from, c.to)
	}
	require.Equal(t, []int{2, 3, 5, 4}, a.MatrixTranspose().Shape())
	require.Equal(t, []int{}, floats().MoveAxes(nil, nil).Shape())
	for _, c := range [][2][]int{{{0, 0}, {1, 2}}, {{0, 1}, {2, -2}}, {{0}, {}}, {{4}, {0}}} {
		require.ErrorIs(t, mistake(t, func() { a.MoveAxes(c[0], c[1]) }), fault.ErrAxis)
	}
	require.ErrorIs(t, mistake(t, func() { floats(3).MatrixTranspose() }), fault.ErrShape)
}

func TestElementsRollAlongSeveralAxes(t *testing.T) {
	requireArray[float32](t, floats(2, 3).RollEach([]int{1, -1}, []int{0, 1}), []int{2, 3}, 4, 5, 3, 1, 2, 0)
	require.ErrorIs(t, mistake(t, func() { floats(2, 3).RollEach([]int{1}, []int{0, 1}) }), fault.ErrParameter)
}

func TestArraysOfAnyShapeAreJoinedFlat(t *testing.T) {
	requireArray[float32](t, nd.ConcatFlat(floats(2, 2).T(), floats(), floats(1, 1)), []int{6}, 0, 2, 1, 3, 0, 0)
}

func TestPartsOfUniqueAgreeWithIt(t *testing.T) {
	a, ctx := nd.FromSlice([]int64{3, 1, 3, 2}, 2, 2), context.Background()
	different, counts, err := nd.UniqueCounts(ctx, a)
	require.NoError(t, err)
	requireArray[int64](t, different, []int{3}, 1, 2, 3)
	requireArray[int64](t, counts, []int{3}, 1, 1, 2)
	different, inverse, err := nd.UniqueInverse(ctx, a)
	require.NoError(t, err)
	requireArray[int64](t, different, []int{3}, 1, 2, 3)
	requireArray[int64](t, inverse, []int{2, 2}, 2, 0, 2, 1)
	cancelled, cancel := context.WithCancel(ctx)
	cancel()
	_, _, err = nd.UniqueCounts(cancelled, a.Add(a))
	require.ErrorIs(t, err, context.Canceled)
}

// TestReductionsHaveTheSpecialCasesOfTheStandard has a row for each sentence of its statistical functions.
func TestReductionsHaveTheSpecialCasesOfTheStandard(t *testing.T) {
	t.Run("float64", reductionsHaveSpecialCases[float64])
	t.Run("float32", reductionsHaveSpecialCases[float32])
}

func reductionsHaveSpecialCases[T dtype.Float](t *testing.T) {
	nan := T(math.NaN())
	none := nd.Zeros[T](0)
	with := nd.FromSlice([]T{1, nan, 3})
	two := nd.FromSlice([]T{1, 2})
	for sentence, c := range map[string]struct {
		got  *nd.Array
		want float64
	}{
		"sum of none is 0":                                 {none.Sum(), 0},
		"sum with NaN is NaN":                              {with.Sum(), math.NaN()},
		"product of none is 1":                             {none.Prod(), 1},
		"product with NaN is NaN":                          {with.Prod(), math.NaN()},
		"mean of none is NaN":                              {none.Mean(), math.NaN()},
		"mean with NaN is NaN":                             {with.Mean(), math.NaN()},
		"maximum with NaN is NaN":                          {with.Max(), math.NaN()},
		"minimum with NaN is NaN":                          {with.Min(), math.NaN()},
		"variance of N - M = 0 is NaN":                     {two.Var(2), math.NaN()},
		"variance of N - M < 0 is NaN":                     {two.Var(3), math.NaN()},
		"variance with NaN is NaN":                         {with.Var(0), math.NaN()},
		"standard deviation of N - M = 0 is NaN":           {two.Std(2), math.NaN()},
		"standard deviation of N - M < 0 is NaN":           {two.Std(3), math.NaN()},
		"standard deviation with NaN is NaN":               {with.Std(0), math.NaN()},
		"cumulative sum with NaN is NaN from there on":     {with.CumSum(0).Index(2), math.NaN()},
		"cumulative product with NaN is NaN from there on": {with.CumProd(0).Index(2), math.NaN()},
		"variance of none is NaN":                          {none.Var(0), math.NaN()},
	} {
		got := float64(values[T](t, c.got)[0])
		require.True(t, got == c.want || got != got && c.want != c.want, fmt.Sprint(sentence, ", but ", got))
	}
	for sentence, c := range map[string]struct {
		got  *nd.Array
		want bool
	}{
		"NaN is true in all":  {with.AllTrue(), true},
		"NaN is true in any":  {nd.FromSlice([]T{0, nan}).AnyTrue(), true},
		"inf is true in all":  {nd.FromSlice([]T{T(math.Inf(1)), T(math.Inf(-1))}).AllTrue(), true},
		"all of none is true": {none.AllTrue(), true}, "any of none is false": {none.AnyTrue(), false},
	} {
		require.Equal(t, c.want, values[bool](t, c.got)[0], sentence)
	}
}
